//! Accounts: clients, their users, API keys and passwords (SPEC 4.6, part 5).

mod authenticate;
mod confirm;
mod create;
mod failures;
mod keys;
mod login_error;
mod logins;
pub mod openid;
mod password;
mod passwords;
pub mod sessions;
mod temporary_password;
pub mod test_keys;
mod turns;
pub mod users;

pub use storage::tenancy::{
    disablement::DisabledOwner,
    users::{Role, UnknownRole},
};

pub use authenticate::{Authenticator, Caller, LookupUnavailable};
pub use base::api_key::ApiKey;
pub use confirm::{PresentedPassword, confirm_password};
pub use create::{CreateError, CreatedUser, NewClient, NewUser, create_client, create_user};
pub(crate) use create::{check_name as check_client_name, check_ref};
pub use failures::forget_old_failures;
pub use keys::{generate_api_key, remove_api_key, retrieve_api_key};
pub use login_error::LoginError;
pub use logins::Login;
pub use passwords::{PasswordError, change_password, reset_password};
pub use temporary_password::TemporaryPassword;
