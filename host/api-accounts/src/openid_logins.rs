//! Logins by OpenID Connect: `/api/v1/sessions/openid` (ADR 0073).

use std::time::Duration;

use api_core::{
    body::SmallJson,
    error::{ApiError, ErrorKind},
    https::RequestSource,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::body::{Faults, FieldFault};
use serde::{Deserialize, Serialize};
use tenancy::accounts::openid::{self, OpenidFault, OpenidLoginError, OpenidProvider, OpenidReturn};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::sessions::NewSessionBody;

/// The page of the console to which the provider sends people back.
const RETURN_PAGE: &str = "/console/openid";

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(offer)).routes(routes!(begin)).routes(routes!(finish))
}

/// The login by OpenID Connect that this server offers.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenidOffer)]
struct OfferBody {
    /// `true`: the server has a login provider. A client may not accept its logins.
    enabled: bool,
    /// Name of the provider, for people. Null if there is none.
    #[schema(examples("Acme Login"))]
    name: Option<String>,
}

/// A client to log in to.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = OpenidBegin, examples(json!({ "clientRef": "acme" })))]
struct BeginBody {
    /// The client that the user belongs to.
    #[schema(required, nullable = false)]
    client_ref: Option<String>,
}

/// A login that waits for a person at the provider.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenidLogin)]
struct BegunBody {
    /// Open it in the browser. The provider sends the person back to `/console/openid` with `code` and `state`.
    #[schema(examples("https://login.example.com/auth?response_type=code&client_id=patchbay&state=01ab"))]
    url: String,
    /// A secret of this browser tab, for the end of the login. Keep it until then, and give it to no other page.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    secret: String,
}

/// The values with which a person comes back from the provider.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OpenidReturn, examples(json!({
    "code": "SplxlOBeZQQYbYS6WxSbIA",
    "state": "01ab",
    "secret": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
})))]
struct FinishBody {
    /// The parameter `code` of the address.
    #[schema(required, nullable = false)]
    code: Option<String>,
    /// The parameter `state` of the address.
    #[schema(required, nullable = false)]
    state: Option<String>,
    /// The secret from the begin of the login.
    #[schema(required, nullable = false)]
    secret: Option<String>,
}

fn provider(state: &ApiState) -> Result<&OpenidProvider, ApiError> {
    state.context.openid.as_ref().ok_or_else(|| refused(OpenidLoginError::NotConfigured))
}

fn redirect(state: &ApiState) -> String {
    format!("{}{RETURN_PAGE}", state.context.settings.server.public_base())
}

fn refused(error: OpenidLoginError) -> ApiError {
    let kind = match error {
        OpenidLoginError::Failed(cause) => return cause.into(),
        OpenidLoginError::BadRef(fault) => return ApiError::fault("clientRef", fault.to_string()),
        OpenidLoginError::Provider(OpenidFault::Crowded) => {
            return ApiError::new(ErrorKind::TooManyRequests, error.to_string()).retry_after(Duration::from_secs(5));
        }
        OpenidLoginError::NotConfigured => ErrorKind::NotFound,
        OpenidLoginError::Stale | OpenidLoginError::Provider(OpenidFault::CodeRefused) => ErrorKind::InvalidCredentials,
        OpenidLoginError::Off { .. }
        | OpenidLoginError::UnverifiedEmail
        | OpenidLoginError::NoUser { .. }
        | OpenidLoginError::Deleted { .. }
        | OpenidLoginError::OtherAccount
        | OpenidLoginError::Disabled(_) => ErrorKind::Forbidden,
        OpenidLoginError::Concurrent => ErrorKind::Conflict,
        OpenidLoginError::Provider(
            OpenidFault::Unreachable | OpenidFault::Misconfigured | OpenidFault::Clock | OpenidFault::Unverified,
        ) => ErrorKind::ProviderError,
    };
    ApiError::new(kind, error.to_string())
}

/// Tells if this server has a login provider.
///
/// For the login page. The answer is the same for all clients.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/openid",
    operation_id = "readOpenidOffer",
    tag = "Account keys",
    responses((status = 200, description = "The offer.", body = OfferBody)),
)]
async fn offer(State(state): State<ApiState>) -> Json<OfferBody> {
    let enabled = state.context.openid.is_some();
    Json(OfferBody { enabled, name: enabled.then(|| state.context.settings.openid.name.clone()) })
}

/// Begins a login by OpenID Connect.
///
/// Open `url` in the same browser tab. The login must end within ten minutes. An unknown `clientRef` is refused at the
/// end only, so that the answer does not tell which clients exist.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/openid/begin",
    operation_id = "startOpenidLogin",
    tag = "Account keys",
    request_body = BeginBody,
    responses(
        (status = 200, description = "The address at the provider, and the secret for the end.", body = BegunBody),
        (status = 404, description = "This server has no login provider."),
        (status = 502, description = "The login provider does not answer, or refuses the settings of this server."),
    ),
)]
async fn begin(
    State(state): State<ApiState>,
    SmallJson(body): SmallJson<BeginBody>,
) -> Result<Json<BegunBody>, ApiError> {
    let provider = provider(&state)?;
    let client_ref = body.client_ref.ok_or_else(|| ApiError::faults(vec![FieldFault::required("clientRef")]))?;
    let (admin, redirect) = (state.administration(), redirect(&state));
    let begun = openid::begin(&admin, provider, &client_ref, &redirect).await.map_err(refused)?;
    Ok(Json(BegunBody { url: begun.url, secret: begun.secret.expose().to_owned() }))
}

/// Ends a login by OpenID Connect and returns a session key.
///
/// The session is the same as that of a login with a password (`POST /api/v1/sessions`). The provider must have verified
/// the e-mail address. The first login finds the user by it, each later one by the account at the provider.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/openid/finish",
    operation_id = "finishOpenidLogin",
    tag = "Account keys",
    request_body = FinishBody,
    responses(
        (status = 201, description = "The session with its key, which is shown only once.", body = NewSessionBody),
        (status = 401, description = "The login was begun elsewhere, is too old, or was used. Begin again."),
        (status = 403, description = "The client does not admit this person. `message` has the cure."),
        (status = 404, description = "This server has no login provider."),
        (status = 409, description = "The same login came twice at the same time."),
        (status = 502, description = "The login provider does not answer, or its answer is not valid."),
    ),
)]
async fn finish(
    State(state): State<ApiState>,
    RequestSource(from): RequestSource,
    SmallJson(body): SmallJson<FinishBody>,
) -> Result<(StatusCode, Json<NewSessionBody>), ApiError> {
    let provider = provider(&state)?;
    let mut missing = Faults::default();
    let back = OpenidReturn {
        code: missing.required_text("code", body.code),
        state: missing.required_text("state", body.state),
        secret: missing.required_text("secret", body.secret),
        from,
    };
    if !missing.is_empty() {
        return Err(ApiError::faults(missing));
    }
    let (admin, redirect) = (state.administration(), redirect(&state));
    let times = state.context.settings.limits.session_times();
    let opened = openid::finish(&admin, provider, back, &redirect, times).await.map_err(refused)?;
    Ok((StatusCode::CREATED, Json(NewSessionBody::of(opened.session, opened.client_ref))))
}
