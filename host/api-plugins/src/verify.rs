//! Verifying a stored version.

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State};
use domain::iso_time::iso_time;
use plugins::{self, VerificationResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    closed_sets::{SignatureStateName, WorldName},
    origin_bodies::SignatureBody,
    request::{PluginPath, api_error, version},
};

#[derive(Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Verify, examples(json!({"version": 3})))]
pub(super) struct VerifyBody {
    /// Number of the version. If it is absent, the newest.
    #[schema(value_type = Option<u32>)]
    version: Option<Value>,
}

/// The findings about a stored version.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VerifiedVersion)]
pub(super) struct VerifiedBody {
    /// Name of the plugin.
    name: String,
    /// Number of the version.
    version: i32,
    /// The world of the plugin.
    #[schema(value_type = WorldName)]
    world: String,
    /// Version of the WIT interface that it was built with.
    api_version: String,
    /// SHA-256 of the component at its upload.
    sha256: String,
    /// SHA-256 of the stored component. Null if it is not stored.
    stored_sha256: Option<String>,
    /// Size of the component at its upload, in bytes.
    #[schema(minimum = 0)]
    size: i64,
    /// Interfaces that it imports from the host.
    imports: Vec<String>,
    /// The state of its signature.
    signature_state: SignatureStateName,
    /// The signature. Absent if the version is not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<SignatureBody>,
    /// Whether there are no problems: the stored component is the uploaded one and can be loaded, and its signature is
    /// valid or not needed.
    intact: bool,
    /// All problems, as texts for people: differences between the upload and the stored component, and a signature that
    /// is missing or not valid.
    problems: Vec<String>,
    /// Time of the upload.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<VerificationResult> for VerifiedBody {
    fn from(verified: VerificationResult) -> Self {
        let VerificationResult { version, stored_sha256, signature, problems } = verified;
        Self {
            name: version.name,
            version: version.version,
            world: version.world,
            api_version: version.api_version,
            sha256: version.sha256,
            stored_sha256,
            size: version.size,
            imports: version.imports,
            signature_state: signature.into(),
            signature: version.signature.map(SignatureBody::from),
            intact: problems.is_empty(),
            problems,
            created_time: iso_time(version.created_at),
        }
    }
}

/// Verifies a stored version.
///
/// The server hashes the stored component, checks it like an upload, and compares it with the record of the upload. It
/// checks the signature with the present keys of the client.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/{name}/verify",
    operation_id = "verifyPlugin",
    tag = "Plugins",
    params(PluginPath),
    request_body(content = Option<VerifyBody>),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The findings.", body = VerifiedBody),
        (status = 409, description = "The plugin was not uploaded by the client."),
    ),
)]
pub(super) async fn verify(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<VerifyBody>,
) -> Result<Json<VerifiedBody>, ApiError> {
    let version = version(body.version.as_ref())?;
    let verified = plugins::verify(&state.context, allowed.caller.client, &name, version).await;
    verified.map(|verified| Json(verified.into())).map_err(api_error)
}
