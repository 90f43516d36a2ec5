//! Accounts: clients, their users, API keys and passwords (SPEC 4.6, part 5).

mod authenticate;
mod confirm;
mod create;
mod failures;
mod keys;
mod logins;
mod password;
mod passwords;
mod turns;
pub mod users;

pub use authenticate::{Authenticator, Caller, Unavailable};
pub use confirm::confirm_password;
pub use create::{CreateError, CreatedUser, NewClient, NewUser, create_client, create_user};
pub(crate) use create::{check_name as check_client_name, check_ref};
pub use failures::forget_old_failures;
pub use keys::{ApiKey, generate_api_key, retrieve_api_key};
pub use logins::{Login, LoginError};
pub use passwords::{PasswordError, TemporaryPassword, change_password, reset_password};
pub use storage::tenancy::users::{Role, UnknownRole};
