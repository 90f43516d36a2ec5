//! Uploads with `Prefer: respond-async` (RFC 7240), and their progress.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::body::FieldFault;
use domain::iso_time::iso_time;
use plugins::{PendingUpload, PluginError, UploadProgress, UploadStart};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{closed_sets::UploadStage, plugin_bodies::PluginBody, request::api_error};

const PREFER: HeaderName = HeaderName::from_static("prefer");
const APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const NO_WAIT: &str = "respond-async";

/// The header for an upload in the background.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct Preference {
    /// `respond-async`: the answer does not wait until the component is compiled.
    #[param(rename = "Prefer", nullable = false)]
    prefer: Option<String>,
}

/// An upload in the background.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginUpload)]
pub(super) struct PendingBody {
    /// Id of the upload.
    id: Uuid,
    /// Name of the plugin.
    name: String,
    /// Size of the component in bytes.
    #[schema(minimum = 0)]
    size: i64,
    /// `COMPILING`, then `READY` or `REFUSED`.
    state: UploadStage,
    /// The new version.
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<PluginBody>,
    /// The reason for a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedBody>,
    /// Time of the upload.
    #[schema(format = DateTime)]
    created_time: String,
}

/// The answer that the upload would have got without `respond-async`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RefusedUpload)]
struct RefusedBody {
    /// The HTTP status.
    status: u16,
    /// An error text that says how to fix it.
    message: String,
    /// The faults of the component.
    #[schema(value_type = Vec<Object>)]
    details: Vec<FieldFault>,
    /// Seconds before a repetition makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
}

impl RefusedBody {
    fn of(error: PluginError) -> Self {
        let error = api_error(error);
        let (status, message, details, delay) = error.parts();
        Self {
            status: status.as_u16(),
            message: message.to_owned(),
            details: details.to_vec(),
            retry_after_seconds: delay.map(|delay| delay.as_secs().max(1)),
        }
    }
}

fn body(upload: PendingUpload, progress: UploadProgress) -> PendingBody {
    let (state, plugin, refused) = match progress {
        UploadProgress::Working => (UploadStage::Compiling, None, None),
        UploadProgress::Ready(version) => (UploadStage::Ready, Some(PluginBody::from(*version)), None),
        UploadProgress::Refused(error) => (UploadStage::Refused, None, Some(RefusedBody::of(error))),
    };
    PendingBody {
        id: upload.id,
        name: upload.plugin,
        size: upload.size,
        state,
        plugin,
        refused,
        created_time: iso_time(upload.created_at),
    }
}

pub(super) fn prefers_no_wait(headers: &HeaderMap) -> bool {
    let values = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let mut named =
        values.flat_map(|value| value.split(',')).map(|one| one.split(';').next().unwrap_or_default().trim());
    named.any(|name| name.eq_ignore_ascii_case(NO_WAIT))
}

pub(super) fn start_answer(begun: UploadStart) -> Response {
    match begun {
        UploadStart::There(version) => Json(PluginBody::from(*version)).into_response(),
        UploadStart::Working(upload) => {
            let place = format!("/plugin-service/api/v1/plugin-uploads/{}", upload.id);
            let mut response = (StatusCode::ACCEPTED, Json(body(*upload, UploadProgress::Working))).into_response();
            let headers = response.headers_mut();
            headers.insert(APPLIED, HeaderValue::from_static(NO_WAIT));
            if let Ok(place) = HeaderValue::from_str(&place) {
                headers.insert(header::LOCATION, place);
            }
            response
        }
    }
}

/// Returns the progress of an upload in the background.
///
/// Every node has it, for a day.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugin-uploads/{id}",
    operation_id = "getPluginUpload",
    tag = "Plugins",
    params(("id" = Uuid, Path, description = "Id of the upload.")),
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "The upload.", body = PendingBody)),
)]
pub(super) async fn upload(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(id): Segments<String>,
) -> Result<Json<PendingBody>, ApiError> {
    let id: Uuid = id.parse().map_err(|_| ApiError::not_found())?;
    let found = plugins::upload_progress(&state.context, allowed.caller.client, id).await?;
    let (upload, progress) = found.ok_or_else(ApiError::not_found)?;
    Ok(Json(body(upload, progress)))
}
