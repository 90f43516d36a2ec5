//! Passwords of users: choosing one's own, and temporary ones in their place.

use domain::{
    body::FieldFault,
    ids::{ClientId, UserId},
};
use storage::tenancy::users::{self, NewPassword};

use super::{
    Login, LoginError,
    create::{PASSWORD_MAX, PASSWORD_MIN},
    logins::{admit, judge},
    password,
    users::UserError,
};
use base::{
    Error,
    audit::{Actor, Administration, audit},
    secrets::{self, SealError},
};

/// Letters and digits that nobody takes for each other: 32, so that a byte chooses one without favour.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// 100 bits.
const TEMPORARY_LENGTH: usize = 20;

/// A password that was made here: shown once, and good for nothing but choosing another. `Debug` does not show it.
pub struct TemporaryPassword(String);

impl TemporaryPassword {
    pub(super) fn generate() -> Result<Self, SealError> {
        let bytes = secrets::random::<TEMPORARY_LENGTH>()?;
        let letter = |byte: &u8| ALPHABET.get(usize::from(byte & 31)).copied().map_or('x', char::from);
        Ok(Self(bytes.iter().map(letter).collect()))
    }

    /// The password itself; the caller keeps it out of logs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for TemporaryPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TemporaryPassword")
    }
}

/// Why a password was not changed.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The new one will not do.
    #[error("`{}` {}", .0.field, .0.message)]
    New(FieldFault),
    /// The old one will not do.
    #[error(transparent)]
    Login(#[from] LoginError),
}

/// Replaces the password of whoever knows it. The old one, temporary or not, is good for nothing afterwards; the API key stays.
/// `new_field` is what the request calls the new password.
pub async fn change_password(
    admin: &Administration<'_>,
    login: Login,
    (new_field, new): (&str, String),
) -> Result<(), PasswordError> {
    let fault = |message: String| PasswordError::New(FieldFault::new(new_field, message));
    if !(PASSWORD_MIN..=PASSWORD_MAX).contains(&new.len()) {
        return Err(fault(format!("must have {PASSWORD_MIN} to {PASSWORD_MAX} bytes")));
    }
    let same = new == login.password;
    let judged = judge(admin, login).await?;
    // Nobody has anything hashed for storage who does not know the password.
    let hash = match judged.is_right() && !same {
        true => Some(password::hash(new).await.map_err(|_| LoginError::from(Error::Sealed(SealError::NoRandomness)))?),
        false => None,
    };
    let mut admitted = admit(admin, judged).await?;
    let Some(hash) = hash else { return Err(fault("must be another one than before".to_owned())) };
    let (client, user) = (admitted.client, admitted.user);
    let new = NewPassword { hash: &hash, is_temporary: false };
    let tx = &mut admitted.tx;
    if !users::set_password(tx, client, user.id, &user.password_hash, new).await.map_err(LoginError::from)? {
        // Somebody was faster with the same password.
        return Err(LoginError::InvalidCredentials.into());
    }
    audit(admin, tx, client, Actor::User(user.id), "change", ("password", &user.id.to_string()))
        .await
        .map_err(LoginError::from)?;
    admitted.tx.commit().await.map_err(LoginError::from)?;
    admitted.visitor.welcome();
    Ok(())
}

/// Puts a temporary password in the place of a user's own, which is good for nothing afterwards; the API key stays.
pub async fn reset_password(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    actor: Actor,
) -> Result<TemporaryPassword, UserError> {
    if actor == Actor::User(user) {
        return Err(UserError::OwnPassword);
    }
    let password = TemporaryPassword::generate().map_err(Error::from)?;
    let hash = password::hash(password.0.clone()).await.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    let mut tx = admin.db.begin().await?;
    let Some(found) = users::get(&mut tx, client, user).await? else { return Err(UserError::Unknown) };
    let new = NewPassword { hash: &hash, is_temporary: true };
    if !users::set_password(&mut tx, client, user, &found.password_hash, new).await? {
        return Err(UserError::Meanwhile);
    }
    audit(admin, &mut tx, client, actor, "reset", ("password", &user.to_string())).await?;
    tx.commit().await?;
    Ok(password)
}
