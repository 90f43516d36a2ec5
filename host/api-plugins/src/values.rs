//! Lists and erases the key-values of a plugin.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    error::ApiError,
    page::{ListQuery, Page},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::ids::ParticipantId;
use domain::iso_time::iso_time;
use plugins::{Erase, KeyValue, StorePart, ValueErasure};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    lists::parameter,
    request::{PluginPath, api_error},
};

/// Filters of the list of values.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct WantedValues {
    /// Values of this participant. If it is absent, values that all participants share.
    #[param(nullable = false, value_type = Option<Uuid>)]
    #[param(rename = "participantId")]
    participant: Option<ParticipantId>,
    /// Only values whose keys begin with this.
    #[param(nullable = false, max_length = 128)]
    prefix: Option<String>,
}

/// The values to erase. At least one parameter is needed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct ErasedValues {
    /// The values of this participant, all of them unless `key` or `prefix` is given. If absent, the values that all
    /// participants share. Then `key` or `prefix` is required.
    #[param(nullable = false, value_type = Option<Uuid>)]
    #[param(rename = "participantId")]
    participant: Option<ParticipantId>,
    /// Only the value with this key.
    #[param(nullable = false, max_length = 128)]
    key: Option<String>,
    /// Only values whose keys begin with this. Not together with `key`.
    #[param(nullable = false, max_length = 128)]
    prefix: Option<String>,
}

/// One value: in `value` if it is text, otherwise in `valueBase64`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyValue)]
pub(super) struct ValueBody {
    /// The key.
    key: String,
    /// The value, if it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The value in base64, if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_base64: Option<String>,
    /// Time of its deletion. If null, it is kept.
    #[schema(format = DateTime)]
    expires_time: Option<String>,
}

impl From<KeyValue> for ValueBody {
    fn from(stored: KeyValue) -> Self {
        let (value, value_base64) = match String::from_utf8(stored.value) {
            Ok(text) => (Some(text), None),
            Err(bytes) => (None, Some(STANDARD.encode(bytes.as_bytes()))),
        };
        Self { key: stored.key, value, value_base64, expires_time: stored.expires_at.map(iso_time) }
    }
}

/// The result of an erasure.
#[derive(Serialize, ToSchema)]
#[schema(as = ErasedValues)]
pub(super) struct ErasedBody {
    /// Number of erased values.
    erased: u64,
}

fn participant(parts: &Parts) -> Result<Option<ParticipantId>, ApiError> {
    let id = parameter(parts, "participantId")?.map(|id| id.parse::<ParticipantId>()).transpose();
    id.map_err(|_| ApiError::fault("participantId", "is not the id of a participant"))
}

/// Lists the stored values of a plugin, by key.
///
/// Values are private to a plugin of a client.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugins/{name}/key-values",
    operation_id = "listKeyValues",
    tag = "Plugins",
    params(PluginPath, ListQuery, WantedValues),
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "A page of values.", body = Page<ValueBody>)),
)]
pub(super) async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    query: ListQuery,
    parts: Parts,
) -> Result<Page<ValueBody>, ApiError> {
    let (whose, prefix) = (participant(&parts)?, parameter(&parts, "prefix")?.unwrap_or_default());
    let part = StorePart { participant: whose, prefix: &prefix };
    let page = plugins::key_values(&state.context, allowed.caller.client, &name, part, query.page).await;
    Ok(Page::new(query.page, page.map_err(api_error)?, ValueBody::from))
}

/// Erases stored values of a plugin.
///
/// The values of other plugins stay.
#[utoipa::path(
    delete,
    path = "/plugin-service/api/v1/plugins/{name}/key-values",
    operation_id = "eraseKeyValues",
    tag = "Plugins",
    params(PluginPath, ErasedValues),
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "Erased.", body = ErasedBody)),
)]
pub(super) async fn erase(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    parts: Parts,
) -> Result<Json<ErasedBody>, ApiError> {
    let (whose, key, prefix) = (participant(&parts)?, parameter(&parts, "key")?, parameter(&parts, "prefix")?);
    let which = match (&key, &prefix, whose) {
        (Some(_), Some(_), _) => return Err(ApiError::fault("prefix", "cannot be given together with `key`")),
        (Some(key), None, _) => Erase::Key(key),
        (None, Some(prefix), _) => Erase::Prefix(prefix),
        (None, None, Some(_)) => Erase::Prefix(""),
        (None, None, None) => {
            let said = "must be given, or `key` or `prefix` for values that all participants share";
            return Err(ApiError::fault("participantId", said));
        }
    };
    let (client, erasure) = (allowed.caller.client, ValueErasure { participant: whose, which });
    let erased = plugins::erase_key_values(&state.context, client, &name, erasure, allowed.actor()).await;
    Ok(Json(ErasedBody { erased: erased.map_err(api_error)? }))
}
