//! Closed sets in the bodies of accounts.

use api_core::closed_set;
use domain::{chat::FallbackMode, team::Assignment};
use tenancy::accounts::{Role, openid::OpenidMode};

closed_set! {
    /// The role of a user, which decides its permissions.
    pub(crate) RoleName as "Role" = Role::ALL.map(Role::as_str);
    /// How a team assigns waiting chats.
    pub(crate) AssignmentName as "ChatAssignment" = Assignment::ALL.map(Assignment::as_str);
    /// The users who may log in by OpenID Connect.
    pub(crate) OpenidModeName as "OpenidMode" = OpenidMode::ALL.map(OpenidMode::as_str);
    /// The failures that count as "not on WhatsApp".
    pub(crate) FallbackModeName as "SmsFallbackMode" = FallbackMode::ALL.map(FallbackMode::as_str);
}
