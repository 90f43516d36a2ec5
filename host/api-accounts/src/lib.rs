//! Accounts: clients, their users, keys and teams, the log of requests and the audit trail.

mod account_keys;
mod audit;
mod clients;
mod closed_sets;
mod openid_logins;
mod openid_rules;
mod requests;
mod session_links;
mod sessions;
mod teams;
mod test_keys;
mod users;

use api_core::state::ApiState;
use utoipa_axum::router::OpenApiRouter;

pub fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(account_keys::routes())
        .merge(clients::routes())
        .merge(users::routes())
        .merge(teams::routes())
        .merge(test_keys::routes())
        .merge(sessions::routes())
        .merge(session_links::routes())
        .merge(openid_logins::routes())
        .merge(openid_rules::routes())
        .merge(requests::routes())
        .merge(audit::routes())
}
