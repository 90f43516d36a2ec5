//! `/docs`: Swagger UI with the document. All files are in the program, and the page loads nothing from elsewhere.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use api_core::{admission::answer::SharedBytes, state::ApiState};
use axum::{
    Extension,
    body::Bytes,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use utoipa_axum::{router::OpenApiRouter, routes};
use utoipa_swagger_ui::{Config, SwaggerFile};

const PAGE: &str = include_str!("page.html");
const START: &str = include_str!("start.js");
const FILES: [&str; 3] = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];
/// Allows nothing from elsewhere. Swagger UI sets styles on its elements.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(page))
}

/// Shows the API in a browser, where it can be tried out.
///
/// The page loads nothing from other hosts.
#[utoipa::path(
    get,
    path = "/docs",
    operation_id = "docs",
    tag = "Operations",
    responses((status = 200, description = "A page.", body = String, content_type = "text/html")),
)]
async fn page() -> Response {
    serve("text/html; charset=utf-8", Bytes::from_static(PAGE.as_bytes()))
}

pub(super) fn file(name: &str) -> Option<Response> {
    if name == "start.js" {
        return Some(serve("text/javascript; charset=utf-8", Bytes::from_static(START.as_bytes())));
    }
    let found = files().get(name)?;
    let mut response = serve(&found.content_type, found.bytes.clone());
    if found.is_gzip {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Some(response)
}

struct File {
    bytes: Bytes,
    content_type: String,
    is_gzip: bool,
}

fn files() -> &'static HashMap<&'static str, File> {
    static READ: LazyLock<HashMap<&'static str, File>> = LazyLock::new(|| {
        let config = Arc::new(Config::from("/openapi.json"));
        let read = |name: &'static str| {
            let SwaggerFile { bytes, content_type, gzpipped, .. } =
                utoipa_swagger_ui::serve(name, Arc::clone(&config)).ok().flatten()?;
            Some((name, File { bytes: bytes.into_owned().into(), content_type, is_gzip: gzpipped }))
        };
        FILES.into_iter().filter_map(read).collect()
    });
    &READ
}

fn serve(content_type: &str, bytes: Bytes) -> Response {
    let content_type =
        HeaderValue::from_str(content_type).unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
    ];
    (headers, Extension(SharedBytes), bytes).into_response()
}
