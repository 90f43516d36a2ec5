//! The rule of a client for logins by OpenID Connect, and the links of its users.

use api_core::{
    auth::{AuthorizedCaller, Clients, Permission, Users},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    path::Segments,
    query::choose,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::body::{self, FieldFault};
use serde::{Deserialize, Serialize};
use tenancy::accounts::{
    Role,
    openid::{self, OpenidMode, OpenidRule, OpenidRuleError},
};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    closed_sets::{OpenidModeName, RoleName},
    users::{api_error, user_id},
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read, set)).routes(routes!(unlink))
}

/// The rule of a client for logins by OpenID Connect.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpenidRule)]
struct RuleBody {
    /// `OFF`: no logins. `LINKED_USERS`: users of the client, found by e-mail. `CREATE_USERS`: also new users of the domains.
    #[schema(value_type = OpenidModeName)]
    mode: &'static str,
    /// Role of new users.
    #[schema(value_type = Option<RoleName>)]
    role: Option<&'static str>,
    /// Domains of the e-mail addresses of new users.
    #[schema(examples("acme.example"))]
    email_domains: Vec<String>,
    /// `false`: only users with the role API log in with a password.
    password_login: bool,
}

impl From<OpenidRule> for RuleBody {
    fn from(rule: OpenidRule) -> Self {
        Self {
            mode: rule.mode.as_str(),
            role: rule.role.map(Role::as_str),
            email_domains: rule.email_domains,
            password_login: rule.password_login,
        }
    }
}

/// A new rule of a client for logins by OpenID Connect.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = OpenidRuleChange, examples(json!({
    "mode": "CREATE_USERS", "role": "AGENT", "emailDomains": ["acme.example"], "passwordLogin": true,
})))]
struct RuleChangeBody {
    /// The users who may log in.
    #[schema(value_type = Option<OpenidModeName>, required, nullable = false)]
    mode: Option<String>,
    /// Role of new users, with `CREATE_USERS` only: SUPERVISOR, AGENT or DEVELOPER.
    #[schema(value_type = Option<RoleName>)]
    role: Option<String>,
    /// Domains of the e-mail addresses of new users, with `CREATE_USERS` only. At most 50; subdomains count separately.
    #[schema(nullable = false)]
    email_domains: Option<Vec<String>>,
    /// `false`: only users with the role API log in with a password. If absent, `true`.
    #[schema(nullable = false)]
    password_login: Option<bool>,
}

impl RuleChangeBody {
    fn judged(self) -> Result<OpenidRule, ApiError> {
        let mode = self.mode.as_deref().ok_or_else(|| FieldFault::required("mode"));
        let mode = mode.and_then(|name| choose("mode", name, OpenidMode::ALL, OpenidMode::as_str));
        let mut faults: Vec<FieldFault> = mode.as_ref().err().cloned().into_iter().collect();
        let role = self.role.as_deref().map(str::parse::<Role>).transpose();
        if let Err(error) = &role {
            faults.push(FieldFault::new("role", error.to_string()));
        }
        if !faults.is_empty() {
            return Err(ApiError::faults(faults));
        }
        Ok(OpenidRule {
            mode: mode.unwrap_or_default(),
            role: role.unwrap_or_default(),
            email_domains: self.email_domains.unwrap_or_default(),
            password_login: self.password_login.unwrap_or(true),
        })
    }
}

fn refused(error: OpenidRuleError) -> ApiError {
    let field = match error {
        OpenidRuleError::Failed(cause) => return cause.into(),
        OpenidRuleError::UnknownClient => return ApiError::not_found(),
        OpenidRuleError::OtherClient => return ApiError::new(ErrorKind::Forbidden, error.to_string()),
        OpenidRuleError::NotTried => return ApiError::new(ErrorKind::Conflict, error.to_string()),
        OpenidRuleError::BadRole => "role",
        OpenidRuleError::BadDomains => "emailDomains",
        OpenidRuleError::NoWayIn => "passwordLogin",
    };
    ApiError::fault(field, error.to_string())
}

/// Returns the rule of a client for logins by OpenID Connect.
///
/// A client without a rule has the mode `OFF`.
#[utoipa::path(
    get,
    path = "/api/v1/clients/{clientRef}/openid-rule",
    operation_id = "readOpenidRule",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    security(("apiKey" = [Clients::ROW.name])),
    responses((status = 200, description = "The rule.", body = RuleBody)),
)]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
) -> Result<Json<RuleBody>, ApiError> {
    let rule = openid::read_rule(&state.context.db, allowed.caller.client, &client_ref).await.map_err(refused)?;
    Ok(Json(rule.into()))
}

/// Sets the rule of a client for logins by OpenID Connect.
///
/// Only for the caller's own client. It applies from the next login on. Sessions stay. Before `passwordLogin` is `false`, the caller must have logged in by
/// OpenID Connect once, so that a mistake locks out no person. API keys and users with the role API are not affected.
#[utoipa::path(
    put,
    path = "/api/v1/clients/{clientRef}/openid-rule",
    operation_id = "setOpenidRule",
    tag = "Clients",
    params(("clientRef" = String, Path, description = "Reference of the client; `me` is the caller's own.")),
    request_body = RuleChangeBody,
    security(("apiKey" = [Clients::ROW.name])),
    responses(
        (status = 200, description = "The new rule.", body = RuleBody),
        (status = 403, description = "The caller's role may not, or the client is below the caller's."),
        (status = 409, description = "The caller has not logged in by OpenID Connect yet."),
    ),
)]
async fn set(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Clients>,
    Segments(client_ref): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<RuleBody>, ApiError> {
    let asked: RuleChangeBody = body::parse(&bytes).map_err(|fault| ApiError::faults(vec![fault]))?;
    let (admin, caller, rule) = (state.administration(), allowed.caller.client, asked.judged()?);
    let rule = openid::set_rule(&admin, caller, &client_ref, rule, allowed.actor()).await.map_err(refused)?;
    Ok(Json(rule.into()))
}

/// Removes the link of a user to an account of the login provider.
///
/// The sessions of the user end. The next login by OpenID Connect finds the user by e-mail again. Needed if the e-mail
/// address belongs to another account at the provider now.
#[utoipa::path(
    delete,
    path = "/api/v1/users/{id}/openid-link",
    operation_id = "removeOpenidLink",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    security(("apiKey" = [Users::ROW.name])),
    responses((status = 204, description = "The user has no link.")),
)]
async fn unlink(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Users>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let (admin, client) = (state.administration(), allowed.caller.client);
    openid::unlink(&admin, client, user_id(&id)?, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
