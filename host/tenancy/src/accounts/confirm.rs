//! Checks a password outside a login: the subject of a mail (SPEC 4.9).

use std::net::IpAddr;

use domain::{
    ids::{ClientId, UserId},
    source::CountedSource,
};
use sha2::{Digest, Sha256};
use storage::tenancy::users;

use super::{LoginError, failures::FailureCounter, logins::check_passwords_are_on, password, turns::LoginVisitor};
use base::{Error, audit::Administration, secrets::SealError};

/// A password to check outside a login.
pub struct PresentedPassword<'a> {
    /// Failures are counted for this, such as the sender of a mail, and not for logins, so that forged senders cannot
    /// block the user's logins.
    pub on_behalf_of: &'a str,
    pub password: String,
    /// The source of the password.
    pub from: Option<IpAddr>,
}

/// Checks the password of a user.
pub async fn confirm_password(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    PresentedPassword { on_behalf_of, password, from }: PresentedPassword<'_>,
) -> Result<(), LoginError> {
    let (account, source) = (account_hash(on_behalf_of), CountedSource::of_caller(from));
    let place = password::TURNS.enter(source)?;
    let (counted, found) = {
        let _turn = place.look_up().await?;
        let mut db = admin.db.acquire().await?;
        let counted = FailureCounter::find(&mut db, account.clone(), from).await?;
        counted.refuse_when_limited(admin, &mut db).await?;
        (counted, users::get(&mut db, client, user).await?)
    };
    let visitor = LoginVisitor::new(source, account);
    let stored = found.as_ref().map(|user| user.password_hash.clone());
    let turn = place.wait(&visitor).await?;
    let right = password::verify(turn, password, stored).await;
    let right = right.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    let mut tx = admin.db.begin().await?;
    counted.lock(&mut tx).await?;
    counted.refuse_when_limited(admin, &mut tx).await?;
    match found.filter(|_| right) {
        None => {
            counted.record(admin, &mut tx).await?;
            tx.commit().await?;
            Err(LoginError::InvalidCredentials)
        }
        Some(user) if user.password_is_temporary => Err(LoginError::TemporaryPassword),
        Some(user) => {
            check_passwords_are_on(&mut tx, client, user.role).await?;
            counted.welcome(admin, &mut tx).await?;
            tx.commit().await?;
            password::TURNS.remember(visitor);
            Ok(())
        }
    }
}

fn account_hash(on_behalf_of: &str) -> Vec<u8> {
    let mut digest = Sha256::new();
    // No clientRef is empty, so no login has this account.
    digest.update([0]);
    digest.update(b"e-mail sender");
    digest.update([0]);
    digest.update(on_behalf_of.as_bytes());
    digest.finalize().to_vec()
}
