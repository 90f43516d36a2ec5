//! Files for holders of a signed address: the `mediaUrl` of webhooks is fetched without an API key (DESIGN 7).

use api_core::{
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};
use axum::{
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use base::media::MediaAddressRefused;
use domain::ids::{ClientId, MediaId};
use inbound::media::{FoundMedia, MediaRefused, find};
use serde::Deserialize;
use tokio_util::io::ReaderStream;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::ranges::{FileState, RangeAnswer};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(fetch))
}

/// The parts of an address that make it valid without a key.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Signed {
    /// End of its validity, in seconds since 1970.
    expires: i64,
    /// Signature of the address and that time.
    signature: String,
}

/// Returns a file that a customer sent.
///
/// Use the whole address from `mediaUrl` of a webhook. It is valid for a week and needs no key. `Range` with one range
/// of bytes is supported, so players can seek and downloads can be resumed. If several ranges are given, the answer is
/// the whole file.
#[utoipa::path(
    get,
    path = "/media/{client}/{id}",
    operation_id = "fetchMedia",
    tag = "Media",
    params(
        ("client" = Uuid, Path, description = "Id of the client of the file."),
        ("id" = Uuid, Path, description = "Id of the file."),
        Signed,
        ("Range" = Option<String>, Header, description = "A range of bytes, such as `bytes=0-1023`."),
        ("If-Range" = Option<String>, Header, description = "`ETag` or `Last-Modified` of the file that the range belongs to."),
        ("If-None-Match" = Option<String>, Header, description = "`ETag` of the file that the caller has."),
    ),
    responses(
        (
            status = 200,
            description = "The file, as a download.",
            body = Vec<u8>,
            content_type = "*/*",
            headers(
                ("Content-Disposition" = String, description = "The name of the customer's file."),
                ("Accept-Ranges" = String, description = "`bytes`."),
                ("ETag" = String, description = "It never changes, because files do not change."),
            ),
        ),
        (
            status = 206,
            description = "The requested range.",
            body = Vec<u8>,
            content_type = "*/*",
            headers(("Content-Range" = String, description = "The range and the size of the file.")),
        ),
        (status = 304, description = "The caller has the file."),
        (status = 403, description = "The address was changed, is not signed, or has expired. Or it did not come over HTTPS."),
        (
            status = 416,
            description = "The range begins behind the end of the file.",
            headers(("Content-Range" = String, description = "The size of the file, such as `bytes */1024`.")),
        ),
        (status = 503, description = "The file has not been fetched from the provider yet, or the server is overloaded."),
    ),
)]
async fn fetch(
    State(state): State<ApiState>,
    Segments((client, id)): Segments<(ClientId, MediaId)>,
    signed: Result<Query<Signed>, axum::extract::rejection::QueryRejection>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Ok(Query(signed)) = signed else { return Err(api_error(MediaAddressRefused::BadSignature.into())) };
    let found = find(&state.context, client, id, signed.expires, &signed.signature).await.map_err(api_error)?;
    answer(&found, &method, &headers).await
}

async fn answer(found: &FoundMedia, method: &Method, asked: &HeaderMap) -> Result<Response, ApiError> {
    let tag = format!("\"{}\"", found.tag());
    let file = FileState { size: found.bytes, tag: &tag, modified: found.at };
    let wanted = file.requested_range(asked);
    let (status, part) = match wanted {
        // Ranges apply to GET only.
        RangeAnswer::Part(_) | RangeAnswer::Beyond if *method == Method::HEAD => (StatusCode::OK, None),
        RangeAnswer::Whole => (StatusCode::OK, None),
        RangeAnswer::Part(part) => (StatusCode::PARTIAL_CONTENT, Some(part)),
        RangeAnswer::NothingNew => (StatusCode::NOT_MODIFIED, None),
        RangeAnswer::Beyond => return Ok(range_error(found.bytes)),
    };
    let mut response = match (status, method) {
        (StatusCode::NOT_MODIFIED, _) => status.into_response(),
        (_, &Method::HEAD) => status.into_response(),
        _ => {
            let open = found.read(part.clone()).await.map_err(api_error)?;
            (status, Body::from_stream(ReaderStream::new(open.reader))).into_response()
        }
    };
    let headers = response.headers_mut();
    describe(headers, found);
    headers.extend(header_value(header::ETAG, &tag));
    headers.extend(header_value(header::LAST_MODIFIED, &file.last_modified()));
    if status != StatusCode::NOT_MODIFIED {
        let length = part.as_ref().map_or(found.bytes, |part| part.end - part.start);
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    if let Some(part) = part {
        let range = format!("bytes {}-{}/{}", part.start, part.end.saturating_sub(1), found.bytes);
        headers.extend(header_value(header::CONTENT_RANGE, &range));
    }
    Ok(response)
}

/// Marks the answer as a download, because a customer's file must not run in a browser under the operator's name.
fn describe(headers: &mut HeaderMap, found: &FoundMedia) {
    let content_type = HeaderValue::from_str(&found.mime_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CONTENT_DISPOSITION, disposition(&found.filename));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
}

fn range_error(size: u64) -> Response {
    let said = format!("the file has {size} bytes, and the range begins after its end");
    let mut response = ApiError::new(ErrorKind::RangeNotSatisfiable, said).into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.extend(header_value(header::CONTENT_RANGE, &format!("bytes */{size}")));
    response
}

fn header_value(name: HeaderName, value: &str) -> Option<(HeaderName, HeaderValue)> {
    Some((name, HeaderValue::from_str(value).ok()?))
}

/// The name in UTF-8, percent-encoded (RFC 6266), without any character that could end the header.
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

fn api_error(error: MediaRefused) -> ApiError {
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
