//! The keys that may sign uploads, and the policy of the client (ADR 0070).

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::JsonBody,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::ids::UserId;
use domain::iso_time::iso_time;
use plugins::{SigningKey, UploadTrust};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request::api_error;

/// The policy and the keys for uploads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginTrust)]
pub(super) struct TrustBody {
    /// Whether uploads without a signature are refused.
    signed_only: bool,
    /// The keys, by name.
    keys: Vec<KeyBody>,
}

impl From<UploadTrust> for TrustBody {
    fn from(trust: UploadTrust) -> Self {
        Self { signed_only: trust.signed_only, keys: trust.keys.into_iter().map(KeyBody::from).collect() }
    }
}

/// A public key of minisign.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginSigningKey)]
pub(super) struct KeyBody {
    /// Name of the key.
    #[schema(examples("ci"))]
    name: String,
    /// Id of the key, as minisign shows it.
    #[schema(examples("E7620F1842B4E81F"))]
    key_id: String,
    /// The second line of the public key file.
    #[schema(examples("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"))]
    public_key: String,
    /// SHA-256 of the decoded public key, in hexadecimal.
    fingerprint: String,
    /// The user who added it.
    #[schema(value_type = Option<Uuid>)]
    created_by: Option<UserId>,
    /// Time when it was added.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<SigningKey> for KeyBody {
    fn from(key: SigningKey) -> Self {
        Self {
            key_id: plugins::key_id(&key.public_key).unwrap_or_default(),
            name: key.name,
            public_key: key.public_key,
            fingerprint: key.fingerprint,
            created_by: key.created_by,
            created_time: iso_time(key.created_at),
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PluginTrustChange, examples(json!({"signedOnly": true})))]
pub(super) struct PolicyBody {
    /// Whether uploads without a signature are refused.
    signed_only: bool,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewPluginSigningKey, examples(json!({
    "name": "ci", "publicKey": "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
})))]
pub(super) struct NewKeyBody {
    /// A name of 1 to 64 letters, digits, `.`, `_` and `-`. Unique for the client.
    #[schema(max_length = 64, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    name: String,
    /// The file `minisign.pub`, or its second line.
    public_key: String,
}

/// Returns the keys that may sign uploads, and the policy.
///
/// By default, uploads need no signature.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/plugin-trust",
    operation_id = "getPluginTrust",
    tag = "Plugins",
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "The keys and the policy.", body = TrustBody)),
)]
pub(super) async fn show(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
) -> Result<Json<TrustBody>, ApiError> {
    let trust = plugins::upload_trust(&state.context, allowed.caller.client).await?;
    Ok(Json(trust.into()))
}

/// Sets whether uploads must be signed.
///
/// Stored versions without a signature stay usable. Their verification then names the missing signature.
#[utoipa::path(
    put,
    path = "/plugin-service/api/v1/plugin-trust",
    operation_id = "setPluginTrust",
    tag = "Plugins",
    request_body = PolicyBody,
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The keys and the policy.", body = TrustBody),
        (status = 409, description = "`signedOnly` is true, but the client has no key. Add one first."),
    ),
)]
pub(super) async fn change(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    JsonBody(body): JsonBody<PolicyBody>,
) -> Result<Json<TrustBody>, ApiError> {
    let client = allowed.caller.client;
    let trust = plugins::set_signed_only(&state.context, client, body.signed_only, allowed.actor()).await;
    Ok(Json(trust.map_err(api_error)?.into()))
}

/// Adds a public key of minisign that may sign uploads.
///
/// A client has at most 50 keys.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugin-trust/keys",
    operation_id = "addPluginSigningKey",
    tag = "Plugins",
    request_body = NewKeyBody,
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 201, description = "The key.", body = KeyBody),
        (status = 409, description = "The client has a key with this name, or this key under another name."),
    ),
)]
pub(super) async fn add(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    JsonBody(body): JsonBody<NewKeyBody>,
) -> Result<(StatusCode, Json<KeyBody>), ApiError> {
    let client = allowed.caller.client;
    let key = plugins::add_signing_key(&state.context, client, &body.name, &body.public_key, allowed.actor()).await;
    Ok((StatusCode::CREATED, Json(key.map_err(api_error)?.into())))
}

/// Removes a key.
///
/// Versions that it signed stay usable. Their verification says that the key was removed.
#[utoipa::path(
    delete,
    path = "/plugin-service/api/v1/plugin-trust/keys/{name}",
    operation_id = "removePluginSigningKey",
    tag = "Plugins",
    params(("name" = String, Path, description = "Name of the key.", example = "ci")),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "The key is removed."),
        (status = 409, description = "It is the last key, and uploads must be signed."),
    ),
)]
pub(super) async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let removed = plugins::remove_signing_key(&state.context, allowed.caller.client, &name, allowed.actor()).await;
    removed.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
