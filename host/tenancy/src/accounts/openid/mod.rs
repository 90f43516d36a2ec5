//! Logins by OpenID Connect (ADR 0073): `state.rs` is what travels through the provider, `login.rs` begins and ends a
//! login, `admission.rs` finds or creates the user for a person, `rule.rs` has the rule of a client.

mod admission;
mod error;
mod login;
mod rule;
mod state;

pub use channels::openid::{OpenidFault, OpenidProvider};
pub use error::OpenidLoginError;
pub use login::{OpenedLogin, OpenidReturn, OpenidStart, begin, finish};
pub use rule::{OpenidRuleError, read_rule, set_rule, unlink};
pub use storage::tenancy::openid::{OpenidMode, OpenidRule};
