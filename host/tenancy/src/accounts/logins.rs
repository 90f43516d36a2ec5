//! Logins with e-mail, password and `clientRef`: wrong ones are counted, and too many close the account for a while.

use std::{fmt, net::IpAddr, time::Duration};

use domain::ids::ClientId;
use sha2::{Digest, Sha256};
use storage::{PgConnection, Transaction, tenancy::users};

use super::{
    failures::Counted,
    password,
    turns::{TooMany, Visitor},
};
use base::audit::Administration;
use base::{Error, secrets::SealError};

/// Who somebody says to be. `Debug` does not show them.
#[derive(Clone)]
pub struct Login {
    /// The user's e-mail.
    pub email: String,
    /// Its password.
    pub password: String,
    /// Its client.
    pub client_ref: String,
    /// Where the request comes from, when that is known.
    pub from: Option<IpAddr>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

/// Why a login gives no key.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// Unknown client or user, or a wrong password: never said which.
    #[error("e-mail, password and clientRef do not belong together")]
    InvalidCredentials,
    /// Too many wrong passwords for this account; the right one is not taken either.
    #[error("too many wrong passwords for this account: try again later")]
    RateLimited {
        /// When the next attempt is judged again.
        retry_after: Duration,
    },
    /// The right password, and good for nothing but choosing another.
    #[error(
        "this password is temporary: choose your own first, with POST \
         /messaging-service/WhatsApp/authenticate/changePassword"
    )]
    TemporaryPassword,
    /// Too many logins from there at once.
    #[error("too many logins at once from your address: wait for answers before you send more")]
    Crowded,
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<TooMany> for LoginError {
    fn from(TooMany: TooMany) -> Self {
        Self::Crowded
    }
}

impl From<storage::Error> for LoginError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for LoginError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// A login whose password was compared, and which has not been admitted.
pub(super) struct Judged {
    counted: Counted,
    visitor: Visitor,
    /// The user, when the password is its own.
    found: Option<(ClientId, users::User)>,
}

impl Judged {
    /// Whether the password is the user's.
    pub fn is_right(&self) -> bool {
        self.found.is_some()
    }
}

/// A user who knows the password, in a transaction that other logins of the account wait for.
pub(super) struct Admitted {
    pub tx: Transaction<'static>,
    pub client: ClientId,
    pub user: users::User,
    pub visitor: Known,
}

/// Somebody who has logged in.
pub(super) struct Known(Visitor);

impl Known {
    /// To be called when everything is stored: the next login from there does not wait for strangers.
    pub fn welcome(self) {
        password::TURNS.remember(self.0);
    }
}

/// Compares the password of a login, when it is its turn.
///
/// Guesses are counted per account named, known or not. They are hashed side by side but admitted one after the other, so
/// that a hundred at once learn no more than ten in a row.
pub(super) async fn judge(admin: &Administration<'_>, login: Login) -> Result<Judged, LoginError> {
    let (account, counted, found) = {
        let mut db = admin.db.acquire().await?;
        let account = account_hash(&mut db, &login).await?;
        let counted = Counted::find(&mut db, account.clone(), login.from).await?;
        counted.refuse_when_limited(admin, &mut db).await?;
        (account, counted, find_user(&mut db, &login).await?)
    };
    let visitor = Visitor::new(login.from, account);
    let stored = found.as_ref().map(|(_, user)| user.password_hash.clone());
    let turn = password::TURNS.wait(&visitor).await?;
    let right = password::verify(turn, login.password, stored).await;
    let right = right.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    Ok(Judged { counted, visitor, found: found.filter(|_| right) })
}

/// Lets in whoever knows the password, and counts everybody else.
pub(super) async fn admit(admin: &Administration<'_>, judged: Judged) -> Result<Admitted, LoginError> {
    let Judged { counted, visitor, found } = judged;
    let mut tx = admin.db.begin().await?;
    counted.lock(&mut tx).await?;
    counted.refuse_when_limited(admin, &mut tx).await?;
    let Some((client, user)) = found else {
        counted.record(admin, &mut tx).await?;
        tx.commit().await?;
        return Err(LoginError::InvalidCredentials);
    };
    counted.welcome(admin, &mut tx).await?;
    Ok(Admitted { tx, client, user, visitor: Known(visitor) })
}

async fn find_user(db: &mut PgConnection, login: &Login) -> Result<Option<(ClientId, users::User)>, storage::Error> {
    if !is_storable(login) {
        return Ok(None);
    }
    let Some(client) = storage::tenancy::clients::find_by_ref(db, &login.client_ref).await? else { return Ok(None) };
    Ok(users::find_by_email(db, client, &login.email).await?.map(|user| (client, user)))
}

/// No database text holds a NUL character, so nothing stored is named by one.
fn is_storable(login: &Login) -> bool {
    !login.client_ref.contains('\0') && !login.email.contains('\0')
}

/// What failures are counted by: the account that the database finds. It folds the case of some characters that nothing else
/// folds (`İ` is `i` there), so it is asked.
async fn account_hash(db: &mut PgConnection, login: &Login) -> Result<Vec<u8>, storage::Error> {
    let email =
        if is_storable(login) { users::compared_email(db, &login.email).await? } else { login.email.to_lowercase() };
    let mut digest = Sha256::new();
    digest.update(login.client_ref.as_bytes());
    digest.update([0]);
    digest.update(email.as_bytes());
    Ok(digest.finalize().to_vec())
}
