//! The guides: the Markdown of `docs/` as pages (`/docs/webhooks`), as Markdown for machines (`/docs/webhooks.md`), and
//! their search. The pages have no scripts. They are made once per process, and all requests share their bytes.

mod guide;
mod link;
mod listing;
mod overview;
mod rendering;
mod search;
mod shelf;
mod shell;

use api_core::{
    entity_tag::EntityTag, error::ApiError, path::Segments, query::QueryParameters, served_document::Document,
    state::ApiState,
};
use axum::{
    Extension,
    body::Bytes,
    http::{HeaderMap, HeaderValue, Uri, header},
    response::{IntoResponse, Response},
};
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::page;
pub(super) use overview::overview;
use shelf::{GuideLibrary, ServedBytes};

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";
const SEARCH_LENGTH: usize = 100;

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(start))
        .routes(routes!(guides))
        .routes(routes!(search_guides))
        .routes(routes!(one))
        .routes(routes!(inner))
        .routes(routes!(for_machines))
}

/// Lists the guides.
///
/// The start page of this server. It leads to the API reference and to every guide.
#[utoipa::path(
    get,
    path = "/",
    operation_id = "start",
    tag = "Operations",
    responses(
        (status = 200, description = "A page.", body = String, content_type = "text/html"),
        (status = 304, description = "The caller has it already."),
    ),
)]
async fn start(headers: HeaderMap) -> Response {
    serve(&headers, &GuideLibrary::get().index)
}

/// Lists the guides, as the start page does.
///
/// Each guide has a page, and its Markdown under the same path with `.md`.
#[utoipa::path(
    get,
    path = "/docs/guides",
    operation_id = "listGuides",
    tag = "Operations",
    responses(
        (status = 200, description = "A page.", body = String, content_type = "text/html"),
        (status = 304, description = "The caller has it already."),
    ),
)]
async fn guides(headers: HeaderMap) -> Response {
    serve(&headers, &GuideLibrary::get().index)
}

/// The query of a search.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct GuideSearch {
    /// Search words. A section matches if it has all of them, in any order. At most 100 characters. Absent or empty:
    /// the page has no results.
    #[param(nullable = false, max_length = 100, example = "signature retry")]
    q: Option<String>,
}

/// Searches the guides.
///
/// The best sections come first, at most 30.
#[utoipa::path(
    get,
    path = "/docs/search",
    operation_id = "searchGuides",
    tag = "Operations",
    params(GuideSearch),
    responses((status = 200, description = "An HTML page of results.", body = String, content_type = "text/html")),
)]
async fn search_guides(uri: Uri) -> Result<Response, ApiError> {
    let given = QueryParameters::of(&uri)?;
    let wanted = given.value("q").unwrap_or_default();
    if wanted.chars().count() > SEARCH_LENGTH {
        return Err(ApiError::fault("q", "must have at most 100 characters"));
    }
    let mut response =
        ([(header::CONTENT_TYPE, shelf::HTML)], search::page(&GuideLibrary::get().sections, wanted)).into_response();
    protect(&mut response);
    Ok(response)
}

/// Returns a guide, its Markdown, or a file of the page `/docs`.
///
/// `webhooks` is a page for people, and `webhooks.md` is the same text as Markdown.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    operation_id = "docsFile",
    tag = "Operations",
    params(("file" = String, Path, description = "Name of a guide or a file.", example = "webhooks.md")),
    responses(
        (
            status = 200,
            description = "The file.",
            content(
                (String = "text/html"),
                (String = "text/markdown"),
                (String = "text/css"),
                (String = "text/javascript"),
                (String = "image/png"),
                (String = "application/xml"),
            ),
        ),
        (status = 304, description = "The caller has it already."),
    ),
)]
async fn one(headers: HeaderMap, Segments(file): Segments<String>) -> Result<Response, ApiError> {
    if let Some(response) = page::file(&file) {
        return Ok(response);
    }
    let found = GuideLibrary::get().find(&file).ok_or_else(ApiError::not_found)?;
    Ok(serve(&headers, found))
}

/// Returns a guide within a folder, its Markdown, or an image.
///
/// The folders are `adr` (the decisions behind the design), `rules` (each rule and its test), `plugins` and `console`.
#[utoipa::path(
    get,
    path = "/docs/{folder}/{file}",
    operation_id = "docsFileInFolder",
    tag = "Operations",
    params(
        ("folder" = String, Path, description = "Name of the folder.", example = "rules"),
        ("file" = String, Path, description = "Name of a guide.", example = "webhooks.md"),
    ),
    responses(
        (
            status = 200,
            description = "The guide.",
            content((String = "text/html"), (String = "text/markdown"), (String = "image/webp")),
        ),
        (status = 304, description = "The caller has it already."),
    ),
)]
async fn inner(headers: HeaderMap, Segments((folder, file)): Segments<(String, String)>) -> Result<Response, ApiError> {
    let found = GuideLibrary::get().find(&format!("{folder}/{file}")).ok_or_else(ApiError::not_found)?;
    Ok(serve(&headers, found))
}

/// Lists the documentation for language models.
///
/// The form is that of llmstxt.org: Markdown with the address of each guide.
#[utoipa::path(
    get,
    path = "/llms.txt",
    operation_id = "llmsTxt",
    tag = "Operations",
    responses(
        (status = 200, description = "The list.", body = String, content_type = "text/plain"),
        (status = 304, description = "The caller has it already."),
    ),
)]
async fn for_machines(headers: HeaderMap, Extension(Document { overview, .. }): Extension<Document>) -> Response {
    let text = Bytes::clone(&overview);
    let mut response = EntityTag::of(&text).answer(&headers, "text/plain; charset=utf-8", text);
    protect(&mut response);
    response
}

fn serve(request_headers: &HeaderMap, ServedBytes { content_type, bytes, tag }: &ServedBytes) -> Response {
    let mut response = tag.answer(request_headers, content_type, bytes.clone());
    protect(&mut response);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response
}

fn protect(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}
