//! Links to the webhook page for a developer outside the client: `/api/v1/sessions/links`.

use api_core::{
    auth::{AuthorizedCaller, PERMISSIONS, Permission, Webhooks},
    body::SmallJson,
    error::{ApiError, ErrorKind},
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{body::FieldFault, ids::SessionId, session::SessionPurpose};
use serde::{Deserialize, Serialize};
use tenancy::accounts::sessions;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create)).routes(routes!(open))
}

/// A link that opens the webhook page once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookLink)]
struct LinkBody {
    /// The token of the link. It is not shown again.
    #[schema(format = Uuid, examples("b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"))]
    token: String,
    /// The link, with the token behind `#`, so that no server on the way sees it.
    #[schema(examples("https://patchbay.example/console#link=b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"))]
    url: String,
    /// End of the link, and of its session.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Creates a link to the webhook page of the client, for a developer outside it.
///
/// The link works once, within an hour. Its session can read and change the webhooks of the client, and nothing else. It
/// ends with the hour, with the sessions of the caller, or by an ADMIN.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/links",
    operation_id = "createWebhookLink",
    tag = "Account keys",
    security(("apiKey" = [Webhooks::ROW.name])),
    responses((status = 201, description = "The link. It is shown only once.", body = LinkBody)),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Webhooks>,
) -> Result<(StatusCode, Json<LinkBody>), ApiError> {
    let caller = &allowed.caller;
    if caller.purpose != SessionPurpose::Login {
        return Err(ApiError::new(ErrorKind::Forbidden, "a session of a link may not make links"));
    }
    let (token, expires_at) = sessions::make_link(&state.administration(), caller.client, caller.user).await?;
    let base = state.context.settings.server.public_base();
    let link = LinkBody {
        url: format!("{base}/console#link={}", token.expose()),
        token: token.expose().to_owned(),
        expires_at: iso_time(expires_at),
    };
    Ok((StatusCode::CREATED, Json(link)))
}

/// The token of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookLinkToken, examples(json!({ "token": "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e" })))]
struct OpenBody {
    /// The token.
    #[schema(required, nullable = false, format = Uuid)]
    token: Option<String>,
}

/// A session for the webhooks of a client.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookSession)]
struct LinkSessionBody {
    /// Id of the session.
    #[schema(value_type = Uuid)]
    id: SessionId,
    /// The key, for the header `Authorization`. It is not shown again.
    #[schema(format = Uuid, examples("b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"))]
    session_key: String,
    /// The client whose webhooks it opens.
    client_ref: String,
    /// Names of its permissions.
    #[schema(examples("Webhooks"))]
    permissions: Vec<&'static str>,
    /// End of the session if it is not used.
    #[schema(format = DateTime)]
    expires_at: String,
    /// End of the session, also if it is used.
    #[schema(format = DateTime)]
    ends_at: String,
}

/// Opens a session with a link.
///
/// The link is used up.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/links/open",
    operation_id = "openWebhookLink",
    tag = "Account keys",
    request_body = OpenBody,
    responses(
        (status = 201, description = "The session with its key, which is shown only once.", body = LinkSessionBody),
        (status = 404, description = "The link is unknown, was used, or has expired."),
    ),
)]
async fn open(
    State(state): State<ApiState>,
    SmallJson(body): SmallJson<OpenBody>,
) -> Result<(StatusCode, Json<LinkSessionBody>), ApiError> {
    let token = body.token.ok_or_else(|| ApiError::faults(vec![FieldFault::required("token")]))?;
    let times = state.context.settings.limits.session_times();
    let opened = sessions::open_link(&state.administration(), &token, times).await?;
    let opened = opened.ok_or_else(ApiError::not_found)?;
    let session = LinkSessionBody {
        id: opened.id,
        session_key: opened.key.expose().to_owned(),
        client_ref: opened.client_ref,
        permissions: PERMISSIONS.iter().filter(|row| row.opens_to_links()).map(|row| row.name).collect(),
        expires_at: iso_time(opened.expires_at),
        ends_at: iso_time(opened.ends_at),
    };
    Ok((StatusCode::CREATED, Json(session)))
}
