use base::Error;
use channels::openid::OpenidFault;
use storage::tenancy::disablement::DisabledOwner;

use crate::accounts::CreateError;

/// The reason why a login by OpenID Connect opened no session. The texts are for the person who logs in.
#[derive(Debug, thiserror::Error)]
pub enum OpenidLoginError {
    #[error("logins by OpenID Connect are not set up on this server: log in with your password")]
    NotConfigured,
    #[error(transparent)]
    BadRef(CreateError),
    /// Another browser, another state, too late, or used before. The error does not tell which.
    #[error(
        "this login was begun in another browser or tab, is older than ten minutes, or was used before: begin again"
    )]
    Stale,
    /// The client is unknown, or its rule is OFF. The error does not tell which.
    #[error("client `{client_ref}` accepts no logins by OpenID Connect: ask an ADMIN of the client")]
    Off { client_ref: String },
    #[error("the login provider has not verified your e-mail address: verify it there, then begin again")]
    UnverifiedEmail,
    #[error("client `{client_ref}` has no user with the e-mail address {email}: ask an ADMIN of the client to add you")]
    NoUser { client_ref: String, email: String },
    /// A login does not undo the deletion, so a person loses access by it.
    #[error(
        "the user of client `{client_ref}` with the e-mail address {email} was deleted: ask an ADMIN of the client to \
         add you again"
    )]
    Deleted { client_ref: String, email: String },
    #[error(
        "the user with your e-mail address is linked to another account of the login provider: ask an ADMIN of the \
         client to remove the link"
    )]
    OtherAccount,
    #[error("your {} is disabled: ask the operator", .0.as_str())]
    Disabled(DisabledOwner),
    #[error("the same login came twice at the same time: begin again")]
    Concurrent,
    #[error(transparent)]
    Provider(#[from] OpenidFault),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl OpenidLoginError {
    /// The reason for the log, without names of persons. `None`: it is logged elsewhere, or any stranger can cause it.
    pub(super) fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotConfigured | Self::BadRef(_) | Self::Stale | Self::Provider(_) | Self::Failed(_) => return None,
            Self::Off { .. } => "the client is unknown, or its rule is OFF",
            Self::UnverifiedEmail => "the provider has not verified an e-mail address",
            Self::NoUser { .. } => "the client has no such user",
            Self::Deleted { .. } => "the user was deleted",
            Self::OtherAccount => "the user is linked to another account",
            Self::Disabled(_) => "the user or the client is disabled",
            Self::Concurrent => "the same login came twice",
        })
    }
}

base::fails_with!(OpenidLoginError: storage::Error);
