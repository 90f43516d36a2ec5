//! Accounts: clients, their users, API keys and passwords (SPEC 4.6, part 5).

mod authenticate;
mod create;
mod keys;
mod password;
mod turns;

pub use authenticate::{Authenticator, Caller, Unavailable};
pub use create::{CreateError, CreatedUser, NewClient, NewUser, create_client, create_user};
pub use keys::{ApiKey, Login, LoginError, forget_old_failures, generate_api_key, retrieve_api_key};
pub use storage::tenancy::users::{Role, UnknownRole};
