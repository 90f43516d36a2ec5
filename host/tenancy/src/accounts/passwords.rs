use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SealError,
};
use domain::{
    body::FieldFault,
    ids::{ClientId, UserId},
};
use storage::tenancy::{
    session_keys,
    users::{self, NewPassword},
};

use super::{
    Login, LoginError,
    logins::{admit, check_passwords_are_on, judge},
    password::{self, PASSWORD_MAX, PASSWORD_MIN},
    temporary_password::TemporaryPassword,
    users::UserError,
};

#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    #[error("`{}` {}", .0.field, .0.message)]
    New(FieldFault),
    #[error(transparent)]
    Login(#[from] LoginError),
}

/// Replaces the password of the user who logs in. The old one, temporary or not, becomes invalid. The API key stays; all
/// sessions end.
/// `new_field` is the name of the new password in the request.
pub async fn change_password(
    admin: &Administration<'_>,
    login: Login,
    new_field: &str,
    new: String,
) -> Result<(), PasswordError> {
    let fault = |message: String| PasswordError::New(FieldFault::new(new_field, message));
    if !(PASSWORD_MIN..=PASSWORD_MAX).contains(&new.len()) {
        return Err(fault(format!("must have {PASSWORD_MIN} to {PASSWORD_MAX} bytes")));
    }
    let same = new == login.password;
    let judged = judge(admin, login).await?;
    // Only a caller with the correct password may cause a new hash.
    let hash = match judged.is_right() && !same {
        true => Some(password::hash(new).await.map_err(|_| LoginError::from(Error::Sealed(SealError::NoRandomness)))?),
        false => None,
    };
    let mut admitted = admit(admin, judged).await?;
    check_passwords_are_on(&mut admitted.tx, admitted.client, admitted.user.role).await?;
    let Some(hash) = hash else { return Err(fault("must be another one than before".to_owned())) };
    let (client, user) = (admitted.client, admitted.user);
    let new = NewPassword { hash: &hash, is_temporary: false };
    let tx = &mut admitted.tx;
    if !users::set_password(tx, client, user.id, &user.password_hash, new).await.map_err(LoginError::from)? {
        // Another request with the same password was faster.
        return Err(LoginError::InvalidCredentials.into());
    }
    session_keys::remove_all(tx, client, user.id).await.map_err(LoginError::from)?;
    audit(admin, tx, client, Actor::User(user.id), "change", AuditObject::new("password", &user.id))
        .await
        .map_err(LoginError::from)?;
    admitted.tx.commit().await.map_err(LoginError::from)?;
    admitted.visitor.welcome();
    Ok(())
}

/// Replaces a user's password by a temporary one. The API key stays; all sessions end.
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
        return Err(UserError::Concurrent);
    }
    session_keys::remove_all(&mut tx, client, user).await?;
    audit(admin, &mut tx, client, actor, "reset", AuditObject::new("password", &user)).await?;
    tx.commit().await?;
    Ok(password)
}
