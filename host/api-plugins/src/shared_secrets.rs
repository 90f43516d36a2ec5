//! The shared secrets of the client, which configurations of plugins name (ADR 0072).

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body::JsonBody,
    error::ApiError,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{ids::InboxId, iso_time::iso_time};
use plugins::{SecretChange, SharedSecret, slots::SlotActivation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    closed_sets::{ModeName, WorldName},
    request::api_error,
};

/// The shared secrets of the client, by name.
#[derive(Serialize, ToSchema)]
#[schema(as = PluginSecrets)]
pub(super) struct SecretsBody {
    /// The secrets, at most 100.
    secrets: Vec<SecretBody>,
}

/// A shared secret without its value.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginSecret)]
pub(super) struct SecretBody {
    /// Name of the secret.
    #[schema(examples("crm-key"))]
    name: String,
    /// The plugins that may use it, by name. `*` alone: all plugins.
    #[schema(examples("shop"))]
    plugins: Vec<String>,
    /// The activations whose configurations name it.
    used_by: Vec<SecretUseBody>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
    /// Time when its value was last set.
    #[schema(format = DateTime)]
    value_time: String,
}

/// An activation that uses a shared secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PluginSecretUse)]
struct SecretUseBody {
    /// Name of the plugin.
    plugin: String,
    /// Its version. Null for a built-in plugin or one in `plugins.dir`.
    version: Option<u32>,
    /// The world of the plugin.
    #[schema(value_type = WorldName)]
    world: &'static str,
    /// Mode of the activation.
    #[schema(value_type = ModeName)]
    mode: &'static str,
    /// For this number. If null, for all numbers without an activation of their own.
    #[schema(value_type = Option<Uuid>)]
    whats_app_number_id: Option<InboxId>,
}

impl From<&SlotActivation> for SecretUseBody {
    fn from(user: &SlotActivation) -> Self {
        Self {
            plugin: user.plugin.name().to_owned(),
            version: user.plugin.version(),
            world: user.world.as_str(),
            mode: user.mode.as_str(),
            whats_app_number_id: user.inbox,
        }
    }
}

impl From<SharedSecret> for SecretBody {
    fn from(secret: SharedSecret) -> Self {
        Self {
            used_by: secret.used_by.iter().map(SecretUseBody::from).collect(),
            name: secret.name,
            plugins: secret.plugins,
            created_time: iso_time(secret.created_at),
            value_time: iso_time(secret.value_at),
        }
    }
}

/// The value of a secret, and the plugins that may use it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PluginSecretChange, examples(json!({"value": "sk-4711", "plugins": ["shop"]})))]
pub(super) struct SecretChangeBody {
    /// The value, a text of 4 to 8192 bytes. A new secret needs it. If it is absent, the present value stays.
    #[schema(value_type = Option<String>, min_length = 4, write_only)]
    value: Option<String>,
    /// The plugins that may use it, by name, at most 50. `*` alone: all plugins. If it is absent, the present list stays, and
    /// no plugin may use a new secret.
    plugins: Option<Vec<String>>,
}

/// Returns the shared secrets, without their values.
///
/// No answer has the value of a secret.
#[utoipa::path(
    get,
    path = "/plugin-service/api/v1/secrets",
    operation_id = "listPluginSecrets",
    tag = "Plugins",
    security(("apiKey" = [Plugins::ROW.name])),
    responses((status = 200, description = "The secrets.", body = SecretsBody)),
)]
pub(super) async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
) -> Result<Json<SecretsBody>, ApiError> {
    let secrets = plugins::list_secrets(&state.context, allowed.caller.client).await?;
    Ok(Json(SecretsBody { secrets: secrets.into_iter().map(SecretBody::from).collect() }))
}

/// Creates a shared secret, or replaces its value or the list of plugins that may use it.
///
/// The configuration of an activation names it as `{"$secret": "NAME"}` in place of a value that the schema of the plugin
/// marks `writeOnly`. A new value counts from the next call on, without a new activation. A client has at most 100 secrets.
#[utoipa::path(
    put,
    path = "/plugin-service/api/v1/secrets/{name}",
    operation_id = "putPluginSecret",
    tag = "Plugins",
    params((
        "name" = String, Path, example = "crm-key",
        description = "Name of the secret: 1 to 64 letters, digits, `.`, `_` and `-`, beginning with a letter or digit.",
    )),
    request_body = SecretChangeBody,
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The secret is changed.", body = SecretBody),
        (status = 201, description = "The secret is created.", body = SecretBody),
        (status = 409, description = "An active plugin uses the secret and is missing in `plugins`, or the client has 100 secrets already."),
    ),
)]
pub(super) async fn put(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
    JsonBody(body): JsonBody<SecretChangeBody>,
) -> Result<(StatusCode, Json<SecretBody>), ApiError> {
    let change = SecretChange { name, value: body.value, plugins: body.plugins };
    let put = plugins::put_secret(&state.context, allowed.caller.client, change, allowed.actor()).await;
    let (secret, is_new) = put.map_err(api_error)?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(secret.into())))
}

/// Removes a shared secret.
///
/// The answer 409 names the plugins that use it, and where.
#[utoipa::path(
    delete,
    path = "/plugin-service/api/v1/secrets/{name}",
    operation_id = "removePluginSecret",
    tag = "Plugins",
    params(("name" = String, Path, description = "Name of the secret.", example = "crm-key")),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 204, description = "The secret is removed."),
        (status = 409, description = "An active plugin uses the secret."),
    ),
)]
pub(super) async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Plugins>,
    Segments(name): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let removed = plugins::remove_secret(&state.context, allowed.caller.client, &name, allowed.actor()).await;
    removed.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
