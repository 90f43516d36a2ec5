//! Files that pages send: uploaded (`POST /{page}/message_attachments`), as `filedata`, or at an address that Meta fetches.

use axum::{
    extract::{FromRequest, Multipart, Request},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    files::keep,
    page_token::{page_of, token},
    state::Attachment,
};
use crate::{
    clock,
    graph::{GraphCall, call, errors::SimulatedGraphError},
    request_log::LoggedRequest,
    world::WorldState,
};

const LARGEST: usize = 25 << 20;
const NOT_FETCHED: u32 = 2_018_008;
const NOT_UPLOADED: u32 = 2_018_047;
const TOO_LARGE: u32 = 2_018_109;

pub(super) struct AttachmentFile {
    mime_type: String,
    name: String,
    bytes: Bytes,
}

pub(super) struct CallContent {
    pub(super) fields: Value,
    pub(super) file: Option<AttachmentFile>,
}

pub(super) async fn read(request: Request) -> Result<CallContent, SimulatedGraphError> {
    if !is_form(request.headers()) {
        return Ok(CallContent { fields: call::parsed(&call::bytes(request).await?)?, file: None });
    }
    let broken = |_| SimulatedGraphError::parameter("The form cannot be read.");
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| broken(()))?;
    let (mut fields, mut file) = (Map::new(), None);
    while let Some(field) = form.next_field().await.map_err(|_| broken(()))? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "filedata" {
            let mime_type = field.content_type().unwrap_or("application/octet-stream").to_owned();
            let name = field.file_name().unwrap_or("file").to_owned();
            file = Some(AttachmentFile { mime_type, name, bytes: field.bytes().await.map_err(|_| broken(()))? });
            continue;
        }
        let text = field.text().await.map_err(|_| broken(()))?;
        let value = match text.starts_with(['{', '[']) {
            true => serde_json::from_str(&text)
                .map_err(|_| SimulatedGraphError::parameter(format!("Param {name} must be a JSON object")))?,
            false => Value::String(text),
        };
        fields.insert(name, value);
    }
    Ok(CallContent { fields: Value::Object(fields), file })
}

fn is_form(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|name| name.starts_with("multipart/form-data"))
}

pub(crate) async fn upload(call: GraphCall, request: Request) -> Result<Value, SimulatedGraphError> {
    let token = token(request.headers(), &call);
    let CallContent { fields, file } = read(request).await?;
    let outcome = take(&mut call.world.state(), &call.node, &token, &fields, file);
    call.world.state().requests.add(LoggedRequest {
        time: clock::now(),
        path: format!("/{}/{}/message_attachments", call.version, call.node),
        kind: "upload",
        opaque: None,
        status: outcome.as_ref().map_or_else(|error| error.status, |_| 200),
        code: outcome.as_ref().err().map(|error| error.code),
        wamid: None,
        body: fields.to_string().into(),
    });
    outcome.map(|id| json!({"attachment_id": id}))
}

fn take(
    state: &mut WorldState,
    node: &str,
    token: &str,
    fields: &Value,
    file: Option<AttachmentFile>,
) -> Result<String, SimulatedGraphError> {
    let page = page_of(state, node, token)?;
    let attachment = fields.pointer("/message/attachment");
    let attachment =
        attachment.ok_or_else(|| SimulatedGraphError::parameter("The parameter message[attachment] is required"))?;
    let kind = kind(attachment)?;
    let (id, url) = match (file, attachment.pointer("/payload/url").and_then(Value::as_str)) {
        (Some(file), _) => store(state, kind, file)?,
        (None, Some(url)) => {
            fetchable(url)?;
            // The bytes stay at that address. Only the id is ours.
            let (id, _) = keep(state, "text/uri-list", "address", Bytes::from(url.to_owned()));
            (id, url.to_owned())
        }
        (None, None) => {
            return Err(SimulatedGraphError::parameter("Must provide filedata or message[attachment][payload][url]"));
        }
    };
    let kind = kind.to_owned();
    state.messenger.add_attachment(id.clone(), Attachment { page_id: page.page_id, kind, url });
    Ok(id)
}

pub(super) fn kind(attachment: &Value) -> Result<&str, SimulatedGraphError> {
    let kind = attachment.get("type").and_then(Value::as_str).unwrap_or_default();
    if ["image", "audio", "video", "file"].contains(&kind) {
        return Ok(kind);
    }
    let words = "Param attachment[type] must be one of {audio, file, image, template, video}";
    Err(SimulatedGraphError::parameter(words))
}

pub(super) fn deliver(
    state: &mut WorldState,
    page_id: &str,
    message: &Value,
    file: Option<AttachmentFile>,
) -> Result<Option<String>, SimulatedGraphError> {
    let attachment = message.get("attachment").filter(|attachment| attachment["type"] != "template");
    let Some(attachment) = attachment else { return Ok(None) };
    let kind = kind(attachment)?;
    if let Some(file) = file {
        return store(state, kind, file).map(|(_, url)| Some(url));
    }
    let payload = attachment.get("payload").unwrap_or(&Value::Null);
    let named = match payload.get("attachment_id") {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    if let Some(id) = named {
        let known = state.messenger.attachment(page_id, &id).filter(|attachment| attachment.kind == kind);
        let words = "Param attachment[payload][attachment_id] is no attachment of this page of this type";
        return known.map(|known| Some(known.url.clone())).ok_or_else(|| SimulatedGraphError::parameter(words));
    }
    fetchable(payload.get("url").and_then(Value::as_str).unwrap_or_default())?;
    Ok(None)
}

fn store(state: &mut WorldState, kind: &str, file: AttachmentFile) -> Result<(String, String), SimulatedGraphError> {
    if file.bytes.len() > LARGEST {
        return Err(SimulatedGraphError::parameter("Attachment size exceeds allowable limit").with_subcode(TOO_LARGE));
    }
    let fits = kind == "file" || file.mime_type.split('/').next() == Some(kind);
    if file.bytes.is_empty() || !fits {
        return Err(SimulatedGraphError::parameter("Upload attachment failure.").with_subcode(NOT_UPLOADED));
    }
    let name: String = file.name.chars().filter(|c| !"/?#%".contains(*c)).collect();
    Ok(keep(state, &file.mime_type, &name, file.bytes))
}

/// Refuses addresses that Meta's servers visibly cannot reach.
fn fetchable(url: &str) -> Result<(), SimulatedGraphError> {
    let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url =
        parsed.ok_or_else(|| SimulatedGraphError::parameter("Param attachment[payload][url] must be a valid URI"))?;
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let public = match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(address)) => {
            !(address.is_loopback() || address.is_private() || address.is_link_local() || address.is_unspecified())
        }
        Ok(std::net::IpAddr::V6(address)) => !(address.is_loopback() || address.is_unspecified()),
        Err(_) => host != "localhost" && !host.ends_with(".localhost"),
    };
    match public {
        true => Ok(()),
        false => Err(SimulatedGraphError::parameter("Failed to fetch the file from the url").with_subcode(NOT_FETCHED)),
    }
}
