//! Uploads of components, as the body itself or as the file of a form.

use std::time::Duration;

use api_core::{
    auth::{AuthorizedCaller, Permission, Plugins},
    body,
    error::{ApiError, ErrorKind},
    form,
    media_kind::declared_type,
    query::QueryParameters,
};
use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use domain::plugin_origin::ComponentNotes;
use plugins::{self, NewSource, UploadPlace};
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{
    background_upload::{self, PendingBody, Preference},
    plugin_bodies::PluginBody,
    request::api_error,
    state::PluginState,
};

/// Longest time for the arrival of a component.
const UPLOAD_TIME: Duration = Duration::from_secs(120);
const FORM_BYTES: usize = 64 * 1024;
const FILE: &str = "file";
const SIGNATURE: &str = "signature";
const SOURCE: &str = "source";
const MANIFEST: &str = "manifest";

/// The form of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "described, never made")]
struct PluginForm {
    /// The component.
    #[schema(value_type = String, format = Binary, content_media_type = "application/wasm")]
    file: Vec<u8>,
    /// The signature over the component: the file that `minisign -S` writes.
    #[schema(value_type = Option<String>, nullable = false)]
    signature: Option<String>,
    /// The artifact of an OCI registry that has the component: `oci://REGISTRY/REPOSITORY@sha256:DIGEST`.
    #[schema(value_type = Option<String>, nullable = false)]
    source: Option<String>,
    /// With `source`: the OCI manifest whose digest is in `source`, at most 32 KiB. It must name the component as a
    /// layer.
    #[schema(value_type = Option<String>, nullable = false)]
    manifest: Option<String>,
}

/// The name for an upload.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct UploadName {
    /// Name of the plugin.
    #[param(max_length = 64, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$", example = "greeter")]
    name: String,
}

/// The name for a check, which is optional.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
pub(super) struct CheckName {
    /// Name of the plugin that it would be a version of.
    #[param(nullable = false)]
    name: Option<String>,
}

/// Uploads a component as a new version of a plugin.
///
/// The server checks and compiles the component and calls it once on trial, with the same limits as normal calls,
/// before it accepts it. The same bytes under the same name are the same version. With the header `Prefer: respond-async` the
/// answer comes as soon as the component has arrived, with the address of its progress. A signature must be of a key of
/// the client. If the bytes are stored already, the signature is added to that version. If the client accepts only
/// signed uploads, an unsigned upload gets 400.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins",
    operation_id = "uploadPlugin",
    tag = "Plugins",
    params(UploadName, Preference),
    request_body(content((Vec<u8> = "application/wasm"), (PluginForm = "multipart/form-data")), description = "The component, at most 32 MiB (`limits.plugin_bytes`)."),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The version exists already.", body = PluginBody),
        (status = 201, description = "A new version.", body = PluginBody),
        (status = 202, description = "The component is being compiled. `Location` shows the progress.", body = PendingBody,
         headers(("Location" = String, description = "Address of the progress."))),
        (status = 409, description = "The client has the maximum number of plugins. Delete some."),
    ),
)]
pub(super) async fn upload(
    State(state): State<PluginState>,
    allowed: AuthorizedCaller<Plugins>,
    request: Request,
) -> Result<Response, ApiError> {
    let name = name(&request)?.unwrap_or_default();
    let is_awaited = !background_upload::prefers_no_wait(request.headers());
    let (form, place) = upload_form(&state, &allowed, request).await?;
    let client = allowed.caller.client;
    let UploadForm { file, signature, source } = form;
    let new = plugins::NewUpload { name, bytes: Vec::from(file), signature, source, actor: allowed.actor(), place };
    if !is_awaited {
        let begun = plugins::begin_upload(&state.context, client, new).await;
        return Ok(background_upload::start_answer(begun.map_err(api_error)?));
    }
    let uploaded = plugins::upload(&state.context, client, new).await;
    let uploaded = uploaded.map_err(api_error)?;
    let status = if uploaded.new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(PluginBody::from(uploaded.version))).into_response())
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CheckedPlugin)]
pub(super) struct CheckBody {
    /// The world of the plugin.
    #[schema(value_type = crate::closed_sets::WorldName)]
    world: &'static str,
    /// Version of the WIT interface that it was built with.
    api_version: String,
    /// SHA-256 of the component.
    sha256: String,
    /// Size of the component in bytes.
    size: u64,
    /// Interfaces that it imports from the host.
    imports: Vec<String>,
    /// Notes of the author and the tools in the component.
    notes: ComponentNotes,
    /// The JSON Schema of its configuration, if it exports one.
    #[schema(value_type = Option<Value>)]
    config_schema: Option<Value>,
}

/// Checks a component as an upload does, without storing it.
///
/// The findings are those of an upload. A signature is not checked.
#[utoipa::path(
    post,
    path = "/plugin-service/api/v1/plugins/check",
    operation_id = "checkPlugin",
    tag = "Plugins",
    params(CheckName),
    request_body(content((Vec<u8> = "application/wasm"), (PluginForm = "multipart/form-data")), description = "The component, at most 32 MiB (`limits.plugin_bytes`)."),
    security(("apiKey" = [Plugins::ROW.name])),
    responses(
        (status = 200, description = "The component would be accepted.", body = CheckBody),
    ),
)]
pub(super) async fn check(
    State(state): State<PluginState>,
    allowed: AuthorizedCaller<Plugins>,
    request: Request,
) -> Result<Json<CheckBody>, ApiError> {
    let name = name(&request)?;
    let (form, place) = upload_form(&state, &allowed, request).await?;
    let (client, bytes) = (allowed.caller.client, Vec::from(form.file));
    let examined = plugins::check(&state.context, client, name.as_deref(), bytes, &place).await.map_err(api_error)?;
    Ok(Json(CheckBody {
        world: examined.world.as_str(),
        api_version: examined.api_version,
        sha256: examined.sha256,
        size: examined.size,
        imports: examined.imports,
        notes: examined.notes,
        config_schema: examined.config_schema.and_then(|text| serde_json::from_str(&text).ok()),
    }))
}

fn name(request: &Request) -> Result<Option<String>, ApiError> {
    Ok(QueryParameters::of(request.uri())?.value("name").map(str::to_owned))
}

async fn upload_form(
    state: &PluginState,
    allowed: &AuthorizedCaller<Plugins>,
    request: Request,
) -> Result<(UploadForm, UploadPlace), ApiError> {
    let file_limit = state.context.settings.limits.plugin_bytes();
    let is_form = is_form(request.headers())?;
    let limit = if is_form { file_limit.saturating_add(FORM_BYTES) } else { file_limit };
    let too_large = |declared: Option<u64>| match declared {
        Some(size) => format!("a plugin may have {file_limit} bytes at most; this request has {size}"),
        None => format!("a plugin may have {file_limit} bytes at most; this request has more"),
    };
    if body::declares_more(request.headers(), limit) {
        // The body is read to its end before the refusal, outside the turns of other uploads.
        body::read_saying(request, limit, UPLOAD_TIME, too_large).await?;
        return Err(ApiError::new(ErrorKind::PayloadTooLarge, too_large(None)));
    }
    let place = state.service.enter(allowed.caller.client).await.map_err(api_error)?;
    let (parts, content) = request.into_parts();
    let whole = Request::from_parts(parts.clone(), content);
    let bytes = body::read_saying(whole, limit, UPLOAD_TIME, too_large).await?;
    let form = match is_form {
        true => read_form(Request::from_parts(parts, Body::from(bytes))).await?,
        false => UploadForm { file: bytes, signature: None, source: None },
    };
    if form.file.is_empty() {
        return Err(ApiError::fault(
            FILE,
            "is empty: send the component as the body, or as the field `file` of a form",
        ));
    }
    Ok((form, place))
}

fn is_form(headers: &HeaderMap) -> Result<bool, ApiError> {
    match declared_type(headers).as_str() {
        "" | "application/wasm" | "application/octet-stream" => Ok(false),
        "multipart/form-data" => Ok(true),
        _ => {
            let said = "a plugin is uploaded as application/wasm, or as the field `file` of multipart/form-data";
            Err(ApiError::new(ErrorKind::UnsupportedMediaType, said))
        }
    }
}

/// The parts of an upload.
struct UploadForm {
    file: Bytes,
    signature: Option<String>,
    source: Option<NewSource>,
}

async fn read_form(request: Request) -> Result<UploadForm, ApiError> {
    let mut form = form::fields_of(request).await?;
    let (mut file, mut signature, mut source, mut manifest) = (None, None, None, None);
    while let Some(field) = form.next_field().await.map_err(form::unreadable)? {
        match field.name() {
            Some(FILE) => file = Some(field.bytes().await.map_err(form::unreadable)?),
            Some(MANIFEST) => manifest = Some(field.bytes().await.map_err(form::unreadable)?),
            Some(SIGNATURE) => signature = Some(field.text().await.map_err(form::unreadable)?),
            Some(SOURCE) => source = Some(field.text().await.map_err(form::unreadable)?),
            _ => {}
        }
    }
    let missing = || ApiError::fault(FILE, "is missing: the form must have a field of this name with the component");
    let source = match (source, manifest) {
        (Some(reference), Some(manifest)) => Some(NewSource { reference, manifest }),
        (Some(_), None) => {
            return Err(ApiError::fault(MANIFEST, "is missing: `source` needs the manifest with its digest"));
        }
        (None, Some(_)) => return Err(ApiError::fault(SOURCE, "is missing: `manifest` needs the reference to it")),
        (None, None) => None,
    };
    Ok(UploadForm { file: file.ok_or_else(missing)?, signature, source })
}
