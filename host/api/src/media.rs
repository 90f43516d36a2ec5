//! Files of customers, for whoever holds a signed address: `mediaUrl` of webhooks is fetched without an API key
//! (DESIGN 7).

use axum::{
    body::Body,
    extract::{Query, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use base::media::AddressRefused;
use domain::ids::{ClientId, MediaId};
use inbound::media::{MediaRefused, OpenedMedia, open};
use serde::Deserialize;
use tokio_util::io::ReaderStream;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(fetch))
}

/// What makes an address valid without a key.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Signed {
    /// Until when, in seconds since 1970.
    expires: i64,
    /// Of the address and that moment.
    signature: String,
}

/// A file that a customer sent.
///
/// The address as a whole comes from `mediaUrl` of a webhook. It is valid for a week and needs no key.
#[utoipa::path(
    get,
    path = "/media/{client}/{id}",
    operation_id = "fetchMedia",
    tag = "Media",
    params(
        ("client" = Uuid, Path, description = "Whose file it is."),
        ("id" = Uuid, Path, description = "Of the file."),
        Signed,
    ),
    responses(
        (
            status = 200,
            description = "The file, as a download.",
            body = Vec<u8>,
            content_type = "*/*",
            headers(("Content-Disposition" = String, description = "The name that the customer's file had.")),
        ),
        (status = 403, description = "The address was changed, is not signed, or has expired. Or it did not come over HTTPS."),
        (status = 503, description = "The file has not been fetched from the provider yet, or the server is overloaded."),
    ),
)]
async fn fetch(
    State(state): State<ApiState>,
    Segments((client, id)): Segments<(ClientId, MediaId)>,
    signed: Result<Query<Signed>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, ApiError> {
    let Ok(Query(signed)) = signed else { return Err(refused(AddressRefused::BadSignature.into())) };
    let opened = open(&state.context, client, id, signed.expires, &signed.signature).await.map_err(refused)?;
    Ok(shown(opened))
}

/// The file, as a download: what customers send must not run in anybody's browser under our name.
fn shown(opened: OpenedMedia) -> Response {
    let content_type = HeaderValue::from_str(&opened.mime_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_LENGTH, HeaderValue::from(opened.bytes)),
        (header::CONTENT_DISPOSITION, disposition(&opened.filename)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600")),
    ];
    (headers, Body::from_stream(ReaderStream::new(opened.reader))).into_response()
}

/// RFC 6266: the name in UTF-8, percent-encoded, with nothing of it left that could end the header.
fn disposition(filename: &str) -> HeaderValue {
    let mut encoded = String::from("attachment; filename*=UTF-8''");
    for byte in filename.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    HeaderValue::from_str(&encoded).unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}

fn refused(error: MediaRefused) -> ApiError {
    match error {
        MediaRefused::Address(_) => ApiError::new(ErrorKind::Forbidden, error.to_string()),
        MediaRefused::NotFound | MediaRefused::Gone => ApiError::new(ErrorKind::NotFound, error.to_string()),
        MediaRefused::NotYet => {
            ApiError::new(ErrorKind::Unavailable, error.to_string()).retry_after(std::time::Duration::from_secs(5))
        }
        MediaRefused::Store(cause) => ApiError::internal(cause),
        MediaRefused::Failed(cause) => cause.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_end_the_header_or_leave_its_folder() {
        let value = disposition("../a\"; x=\r\né.pdf");
        assert_eq!(value.to_str().unwrap(), "attachment; filename*=UTF-8''..%2Fa%22%3B%20x%3D%0D%0A%C3%A9.pdf");
    }
}
