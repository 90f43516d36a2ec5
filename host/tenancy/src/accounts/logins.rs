//! Logins with e-mail, password and `clientRef`. Failures are counted, and too many block the account for a while.

use std::{fmt, net::IpAddr};

use base::{Error, audit::Administration, secrets::SealError};
use domain::{ids::ClientId, source::CountedSource};
use sha2::{Digest, Sha256};
use storage::{
    PgConnection, Transaction,
    tenancy::{disablement, openid, users},
};

use super::{failures::FailureCounter, login_error::LoginError, password, turns::LoginVisitor};

/// The credentials of a login. `Debug` hides them.
#[derive(Clone)]
pub struct Login {
    pub email: String,
    pub password: String,
    pub client_ref: String,
    pub from: Option<IpAddr>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

pub(super) struct CheckedLogin {
    counted: FailureCounter,
    visitor: LoginVisitor,
    found: Option<(ClientId, users::User)>,
}

impl CheckedLogin {
    pub fn is_right(&self) -> bool {
        self.found.is_some()
    }
}

/// A user with a correct password, in a transaction that blocks other logins of the account.
pub(super) struct AdmittedLogin {
    pub tx: Transaction<'static>,
    pub client: ClientId,
    pub user: users::User,
    pub visitor: KnownVisitor,
}

impl AdmittedLogin {
    /// Refuses a password that opens nothing: a temporary one, or that of a person whose client has turned passwords off.
    pub async fn check_password_opens(&mut self) -> Result<(), LoginError> {
        if self.user.password_is_temporary {
            return Err(LoginError::TemporaryPassword);
        }
        check_passwords_are_on(&mut self.tx, self.client, self.user.role).await
    }
}

/// Refuses every password of a person, also a temporary one, if the client has turned passwords off.
pub(super) async fn check_passwords_are_on(
    db: &mut PgConnection,
    client: ClientId,
    role: users::Role,
) -> Result<(), LoginError> {
    if role != users::Role::Api && !openid::rule(db, client).await?.password_login {
        return Err(LoginError::PasswordOff);
    }
    Ok(())
}

pub(super) struct KnownVisitor(LoginVisitor);

impl KnownVisitor {
    /// Call this after everything is stored. The next login from this place will not wait for strangers.
    pub fn welcome(self) {
        password::TURNS.remember(self.0);
    }
}

/// Compares the password of a login, when it is its turn.
///
/// Failures are counted for the given account, even if it does not exist. Passwords are hashed in parallel, but
/// admitted one at a time, so that a hundred parallel guesses reveal no more than ten in a row.
pub(super) async fn judge(admin: &Administration<'_>, login: Login) -> Result<CheckedLogin, LoginError> {
    let source = CountedSource::of_caller(login.from);
    let place = password::TURNS.enter(source)?;
    let (account, counted, found) = {
        let _turn = place.look_up().await?;
        let mut db = admin.db.acquire().await?;
        let account = account_hash(&mut db, &login).await?;
        let counted = FailureCounter::find(&mut db, account.clone(), login.from).await?;
        counted.refuse_when_limited(admin, &mut db).await?;
        (account, counted, find_user(&mut db, &login).await?)
    };
    let visitor = LoginVisitor::new(source, account);
    let stored = found.as_ref().map(|(_, user)| user.password_hash.clone());
    let turn = place.wait(&visitor).await?;
    let right = password::verify(turn, login.password, stored).await;
    let right = right.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    Ok(CheckedLogin { counted, visitor, found: found.filter(|_| right) })
}

pub(super) async fn admit(admin: &Administration<'_>, judged: CheckedLogin) -> Result<AdmittedLogin, LoginError> {
    let CheckedLogin { counted, visitor, found } = judged;
    let mut tx = admin.db.begin().await?;
    counted.lock(&mut tx).await?;
    counted.refuse_when_limited(admin, &mut tx).await?;
    let Some((client, user)) = found else {
        counted.record(admin, &mut tx).await?;
        tx.commit().await?;
        return Err(LoginError::InvalidCredentials);
    };
    // The password may have been changed while the login waited for its turn.
    if users::lock_password(&mut tx, client, user.id).await?.as_ref() != Some(&user.password_hash) {
        return Err(LoginError::InvalidCredentials);
    }
    if let Some(owner) = disablement::of_user(&mut tx, client, user.id).await? {
        return Err(LoginError::Disabled(owner));
    }
    counted.welcome(admin, &mut tx).await?;
    Ok(AdmittedLogin { tx, client, user, visitor: KnownVisitor(visitor) })
}

async fn find_user(db: &mut PgConnection, login: &Login) -> Result<Option<(ClientId, users::User)>, storage::Error> {
    if !is_storable(login) {
        return Ok(None);
    }
    let Some(client) = storage::tenancy::clients::find_by_ref(db, &login.client_ref).await? else { return Ok(None) };
    Ok(users::find_by_email(db, client, &login.email).await?.map(|user| (client, user)))
}

/// PostgreSQL texts have no NUL characters, so a login with one matches nothing.
fn is_storable(login: &Login) -> bool {
    !login.client_ref.contains('\0') && !login.email.contains('\0')
}

/// The key of the failure counter. The database folds the e-mail address, because it folds the case of characters that
/// Rust does not (`İ` becomes `i`).
async fn account_hash(db: &mut PgConnection, login: &Login) -> Result<Vec<u8>, storage::Error> {
    let email =
        if is_storable(login) { users::compared_email(db, &login.email).await? } else { login.email.to_lowercase() };
    let mut digest = Sha256::new();
    digest.update(login.client_ref.as_bytes());
    digest.update([0]);
    digest.update(email.as_bytes());
    Ok(digest.finalize().to_vec())
}
