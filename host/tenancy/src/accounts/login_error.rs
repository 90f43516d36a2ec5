use std::time::Duration;

use base::Error;
use storage::tenancy::disablement::DisabledOwner;

use super::turns::LoginQueueFull;

#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// Unknown client or user, or a wrong password. The error does not tell which.
    #[error("e-mail, password and clientRef do not match")]
    InvalidCredentials,
    /// Too many wrong passwords for this account. A correct one is refused too.
    #[error("too many wrong passwords for this account: try again later")]
    RateLimited { retry_after: Duration },
    #[error(
        "this password is temporary: choose your own first, with POST \
         /messaging-service/WhatsApp/authenticate/changePassword"
    )]
    TemporaryPassword,
    /// By the rule for OpenID Connect of the client.
    #[error("this client accepts no passwords of people: log in by OpenID Connect")]
    PasswordOff,
    #[error("your {} is disabled: ask the operator", .0.as_str())]
    Disabled(DisabledOwner),
    #[error("too many logins at once from your address: wait for answers before you send more")]
    Crowded,
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<LoginQueueFull> for LoginError {
    fn from(LoginQueueFull: LoginQueueFull) -> Self {
        Self::Crowded
    }
}

base::fails_with!(LoginError: storage::Error);
