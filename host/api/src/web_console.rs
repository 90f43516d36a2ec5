//! `/console`: the web console (ADR 0061). Every path below it is the same page, except the files of the page below
//! `/console/assets/{version}`. The page needs no key; its calls of the API do.

use std::sync::LazyLock;

use api_core::{admission::answer::SharedBytes, entity_tag::EntityTag, error, state::ApiState};
use axum::{
    Extension,
    body::Bytes,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use console::ConsoleFile;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Modules and styles come from here, and calls go here. The one frame is the preview of the widget (`/web-chat/preview`). Files of
/// customers may be at a public address of their store.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; script-src 'self' 'sha256-{}'; style-src 'self'; img-src 'self' blob: data: http: https:; \
         media-src 'self' blob: http: https:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        console::IMPORT_MAP_SHA256
    );
    HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
});
static PAGE_TAG: LazyLock<EntityTag> = LazyLock::new(|| EntityTag::of(console::PAGE.plain));

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(page))
}

/// Shows the console: the inbox of agents, and pages for other roles.
///
/// Every path below it that is not served otherwise is a page of the console, too. It loads nothing from other hosts.
#[utoipa::path(
    get,
    path = "/console",
    operation_id = "console",
    tag = "Operations",
    responses(
        (status = 200, description = "A page.", body = String, content_type = "text/html"),
        (status = 304, description = "The browser has it already."),
    ),
)]
async fn page(headers: HeaderMap) -> Response {
    serve_page(&headers)
}

/// Serves paths below `/console`; other unknown paths get 404.
pub(super) async fn below(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let is_read = method == Method::GET || method == Method::HEAD;
    let Some(path) = uri.path().strip_prefix("/console/").filter(|_| is_read) else {
        return error::no_such_path().into_response();
    };
    let Some(asset) = path.strip_prefix("assets/") else { return serve_page(&headers) };
    let Some((version, path)) = asset.split_once('/') else { return error::no_such_path().into_response() };
    console::find(path)
        .map_or_else(|| error::no_such_path().into_response(), |file| serve_file(&headers, version, file))
}

fn serve_page(asked: &HeaderMap) -> Response {
    let (bytes, packed) = form(asked, &console::PAGE);
    let mut response = PAGE_TAG.answer(asked, console::PAGE.content_type, bytes);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    encode(&mut response, packed);
    response
}

/// A page of another version, which another node served, gets the files of this one, but does not keep them.
fn serve_file(asked: &HeaderMap, version: &str, file: &'static ConsoleFile) -> Response {
    let kept = if version == console::VERSION { "public, max-age=31536000, immutable" } else { "no-store" };
    let (bytes, packed) = form(asked, file);
    let content_type = HeaderValue::from_static(file.content_type);
    let mut response =
        (StatusCode::OK, [(header::CONTENT_TYPE, content_type)], Extension(SharedBytes), bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    encode(&mut response, packed);
    response
}

/// The form that the caller can read, and whether it is compressed.
fn form(asked: &HeaderMap, file: &'static ConsoleFile) -> (Bytes, bool) {
    let takes_gzip = asked
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(allows_gzip);
    if takes_gzip { (Bytes::from_static(file.gzip), true) } else { (Bytes::from_static(file.plain), false) }
}

/// Whether one item of `Accept-Encoding` is gzip with a weight above 0 (RFC 9110, 12.5.3).
fn allows_gzip(item: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    let is_gzip = parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case("gzip") || coding == "*");
    let is_refused = parts
        .filter_map(|parameter| parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q=")))
        .any(|weight| weight.parse() == Ok(0.0));
    is_gzip && !is_refused
}

fn encode(response: &mut Response, packed: bool) {
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}
