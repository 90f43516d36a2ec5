//! The begin and the end of a login.

use std::net::IpAddr;

use base::{Error, audit::Administration, secrets};
use channels::openid::{OpenidProvider, OpenidSecret};
use domain::session::SessionTimes;
use storage::tenancy::{clients, disablement, openid, users};

use super::{
    OpenidLoginError,
    admission::{self, LoginCandidate},
    state::{LIFETIME, LoginState},
};
use crate::accounts::{
    check_ref,
    sessions::{self, OpenedSession},
};

/// A login that waits for a person at the provider.
#[derive(Debug)]
pub struct OpenidStart {
    /// The address at the provider.
    pub url: String,
    /// For the browser, which presents it at the end.
    pub secret: OpenidSecret,
}

/// The values with which a person comes back from the provider.
#[derive(Clone)]
pub struct OpenidReturn {
    pub code: String,
    pub state: String,
    /// The text of [`OpenidStart::secret`].
    pub secret: String,
    pub from: Option<IpAddr>,
}

/// A session that a login opened.
#[derive(Debug)]
pub struct OpenedLogin {
    pub session: OpenedSession,
    pub client_ref: String,
}

/// Begins a login. It does not tell if there is such a client. `redirect` is our address for the way back.
pub async fn begin(
    admin: &Administration<'_>,
    provider: &OpenidProvider,
    client_ref: &str,
    redirect: &str,
) -> Result<OpenidStart, OpenidLoginError> {
    check_ref(client_ref).map_err(OpenidLoginError::BadRef)?;
    let secret = OpenidSecret::new(secrets::random().map_err(Error::from)?);
    let state =
        LoginState { client_ref: client_ref.to_owned(), expires_at: admin.now() + LIFETIME, browser: secret.hash() };
    let state = state.seal(admin).map_err(Error::from)?;
    let url = provider.login_url(&secret, state, redirect).await?;
    Ok(OpenidStart { url, secret })
}

/// Ends a login: exchanges the code, finds or makes the user, and opens a session as a login with a password does.
pub async fn finish(
    admin: &Administration<'_>,
    provider: &OpenidProvider,
    back: OpenidReturn,
    redirect: &str,
    times: SessionTimes,
) -> Result<OpenedLogin, OpenidLoginError> {
    let finished = open_session(admin, provider, back, redirect, times).await;
    if let Some(reason) = finished.as_ref().err().and_then(OpenidLoginError::reason) {
        tracing::info!(reason, "a login by OpenID Connect was refused");
    }
    finished
}

async fn open_session(
    admin: &Administration<'_>,
    provider: &OpenidProvider,
    back: OpenidReturn,
    redirect: &str,
    times: SessionTimes,
) -> Result<OpenedLogin, OpenidLoginError> {
    let secret = OpenidSecret::parse(&back.secret).ok_or(OpenidLoginError::Stale)?;
    let (state, state_hash) = LoginState::open(admin, &back.state, &secret).ok_or(OpenidLoginError::Stale)?;
    let person = provider.identify(back.code, back.from, &secret, redirect, admin.now()).await?;
    let candidate = LoginCandidate { person: &person, issuer: provider.issuer(), client_ref: &state.client_ref };
    // Before the transaction, because a password hash takes a while.
    let password = candidate.unusable_password(admin).await?;

    let mut tx = admin.db.begin().await?;
    let off = || OpenidLoginError::Off { client_ref: state.client_ref.clone() };
    let client = clients::find_by_ref(&mut tx, &state.client_ref).await?.ok_or_else(off)?;
    if !openid::use_state(&mut tx, client, &state_hash, state.expires_at).await? {
        return Err(OpenidLoginError::Stale);
    }
    let user = admission::admit(admin, &mut tx, client, &candidate, password).await?;
    users::lock_password(&mut tx, client, user).await?.ok_or(OpenidLoginError::Concurrent)?;
    if let Some(owner) = disablement::of_user(&mut tx, client, user).await? {
        return Err(OpenidLoginError::Disabled(owner));
    }
    let session = sessions::insert(admin, &mut tx, client, user, times).await?;
    let session = session.ok_or(OpenidLoginError::Concurrent)?;
    // If the link was removed before the user was locked, its sessions were ended without this one.
    if !admission::is_linked(&mut tx, client, &candidate, user).await? {
        return Err(OpenidLoginError::Concurrent);
    }
    tx.commit().await?;
    Ok(OpenedLogin { session, client_ref: state.client_ref })
}
