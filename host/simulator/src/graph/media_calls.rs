//! Uploads and downloads of media (PROVIDERS A.6).

use std::sync::Arc;

use axum::{
    extract::{FromRequest, Multipart, Path, Query, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{call::GraphCall, errors::SimulatedGraphError};
use crate::world::SimulatedWorld;

const MB: usize = 1024 * 1024;

const ACCEPTED: [(&str, usize); 22] = [
    ("audio/aac", 16 * MB),
    ("audio/amr", 16 * MB),
    ("audio/mp4", 16 * MB),
    ("audio/mpeg", 16 * MB),
    ("audio/ogg", 16 * MB),
    ("audio/opus", 16 * MB),
    ("image/jpeg", 5 * MB),
    ("image/png", 5 * MB),
    ("image/webp", MB / 2),
    ("video/mp4", 16 * MB),
    ("video/3gp", 16 * MB),
    ("video/3gpp", 16 * MB),
    ("text/plain", 100 * MB),
    ("text/csv", 100 * MB),
    ("application/pdf", 100 * MB),
    ("application/zip", 100 * MB),
    ("application/msword", 100 * MB),
    ("application/vnd.ms-excel", 100 * MB),
    ("application/vnd.ms-powerpoint", 100 * MB),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", 100 * MB),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", 100 * MB),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", 100 * MB),
];

pub(crate) async fn upload(call: &GraphCall, request: Request) -> Result<Value, SimulatedGraphError> {
    let broken = |_| SimulatedGraphError::parameter("The request must be multipart/form-data.");
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| broken(()))?;
    let (mut product, mut kind, mut file): (String, Option<String>, Option<(String, Bytes)>) =
        (String::new(), None, None);
    while let Some(field) = form.next_field().await.map_err(|_| broken(()))? {
        match field.name().unwrap_or_default() {
            "messaging_product" => product = field.text().await.map_err(|_| broken(()))?,
            "type" => kind = Some(field.text().await.map_err(|_| broken(()))?),
            "file" => {
                let own = field.content_type().unwrap_or_default().to_owned();
                file = Some((own, field.bytes().await.map_err(|_| broken(()))?));
            }
            _ => {}
        }
    }
    if product != "whatsapp" {
        return Err(SimulatedGraphError::parameter("The parameter messaging_product is required."));
    }
    let (own_type, bytes) = file.ok_or_else(|| SimulatedGraphError::parameter("The parameter file is required."))?;
    let mime_type = if own_type.is_empty() { kind.unwrap_or_default() } else { own_type };
    check(&mime_type, bytes.len())?;
    let medium = call.world.state().media.store(&mime_type, bytes);
    Ok(json!({"id": medium.id}))
}

fn check(mime_type: &str, size: usize) -> Result<(), SimulatedGraphError> {
    let plain = mime_type.split(';').next().unwrap_or_default().trim();
    let largest = ACCEPTED.iter().find(|(accepted, _)| *accepted == plain).map(|(_, size)| *size);
    match largest {
        None => {
            let known: Vec<&str> = ACCEPTED.iter().map(|(name, _)| *name).collect();
            Err(SimulatedGraphError::parameter(format!(
                "Param file must be a file with one of the following types: {}. Received file of type '{plain}'.",
                known.join(", ")
            )))
        }
        Some(largest) if size > largest => Err(SimulatedGraphError::new(
            131_053,
            format!("File is too large: {size} bytes, the limit of {plain} is {largest}"),
        )),
        Some(_) if size == 0 => Err(SimulatedGraphError::parameter("Param file must not be empty.")),
        Some(_) => Ok(()),
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Seal {
    ext: i64,
    hash: String,
}

pub(crate) async fn download(
    State(world): State<Arc<SimulatedWorld>>,
    Path(id): Path<String>,
    Query(seal): Query<Seal>,
) -> Response {
    let state = world.state();
    match state.media.get(&id) {
        Some(medium) if state.media.download_allowed(&id, seal.ext, &seal.hash) => {
            ([(header::CONTENT_TYPE, medium.mime_type.clone())], medium.bytes.clone()).into_response()
        }
        _ => (StatusCode::NOT_FOUND, "URL signature expired").into_response(),
    }
}
