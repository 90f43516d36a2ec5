//! A password that comes with something else than a login: the subject of a mail (SPEC 4.9).

use std::net::IpAddr;

use domain::ids::{ClientId, UserId};
use sha2::{Digest, Sha256};
use storage::tenancy::users;
use uuid::Uuid;

use super::{LoginError, logins::refuse_when_limited, password, turns::Visitor};
use base::{Error, audit::Administration, secrets::SealError};

/// Whether a password is that of a user. Wrong ones are counted for `on_behalf_of`, such as the sender of a mail, apart from
/// logins: whoever forges a sender must not keep its user from logging in. `from` is where the password comes from.
pub async fn confirm_password(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    (on_behalf_of, password): (&str, String),
    from: Option<IpAddr>,
) -> Result<(), LoginError> {
    let account = account_hash(on_behalf_of);
    let found = {
        let mut db = admin.db.acquire().await?;
        refuse_when_limited(admin, &mut db, &account).await?;
        users::get(&mut db, client, user).await?
    };
    let visitor = Visitor::new(from, account.clone());
    let stored = found.as_ref().map(|user| user.password_hash.clone());
    let turn = password::TURNS.wait(&visitor).await?;
    let right = password::verify(turn, password, stored).await;
    let right = right.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    let mut tx = admin.db.begin().await?;
    users::lock_account(&mut tx, &account).await?;
    refuse_when_limited(admin, &mut tx, &account).await?;
    match found.filter(|_| right) {
        None => {
            users::record_failure(&mut tx, &account, admin.mint::<Uuid>(), admin.now()).await?;
            tx.commit().await?;
            Err(LoginError::InvalidCredentials)
        }
        Some(user) if user.password_is_temporary => Err(LoginError::TemporaryPassword),
        Some(_) => {
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
