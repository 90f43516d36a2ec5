//! The login provider of the operator: the authorization-code flow of OpenID Connect with PKCE, state and nonce (ADR 0073).
//!
//! `provider.rs` keeps the discovery document and the keys, `code.rs` exchanges a code for a verified person. Logs have the
//! reason of a failure, and no token, code or e-mail address.

mod calls;
mod code;
mod fault;
mod places;
mod provider;
mod secret;

pub use code::OpenidPerson;
pub use fault::OpenidFault;
pub use provider::{OpenidProvider, OpenidSettings, OpenidSetupError};
pub use secret::OpenidSecret;
