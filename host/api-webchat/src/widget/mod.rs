//! The widget: one script, built from the files of `widget/` at compile time, the same for every site. A page of ours shows it with the
//! settings that the console edits.

mod tokens;

use std::sync::LazyLock;

use api_core::entity_tag::EntityTag;
use axum::{
    body::Bytes,
    http::{HeaderMap, HeaderValue, Uri, header},
    response::Response,
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::state::WidgetState;
use tokens::WidgetTokens;

/// In the order of their dependencies, within one function that hides their names.
const PARTS: [&str; 14] = [
    include_str!("texts.js"),
    include_str!("style.js"),
    include_str!("dom.js"),
    include_str!("store.js"),
    include_str!("connection.js"),
    include_str!("outbox.js"),
    include_str!("content.js"),
    include_str!("form.js"),
    include_str!("thread.js"),
    include_str!("panel.js"),
    include_str!("shell.js"),
    include_str!("chat.js"),
    include_str!("preview.js"),
    include_str!("start.js"),
];

/// Allows the script of the widget and no call. Only pages of this server, such as the console, may frame it.
const PREVIEW_POLICY: &str = "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; \
                              frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

static SCRIPT: LazyLock<(Bytes, EntityTag)> = LazyLock::new(|| {
    let WidgetTokens { light, dark } = WidgetTokens::of_the_console();
    let tokens = format!("const TOKENS = {{ light: {light:?}, dark: {dark:?} }};");
    let script = format!("(function () {{\n\"use strict\";\n{tokens}\n{}\n}})();\n", PARTS.join("\n"));
    let tag = EntityTag::of(script.as_bytes());
    (script.into(), tag)
});

/// Its script has an address of its version: browsers keep the script for a day, but the console needs the one it was made with.
static PREVIEW: LazyLock<(Bytes, EntityTag)> = LazyLock::new(|| {
    let (_, script) = &*SCRIPT;
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>Preview</title></head><body><script src=\"widget.js?preview={}\"></script></body></html>\n",
        script.version()
    );
    let tag = EntityTag::of(page.as_bytes());
    (page.into(), tag)
});

pub(super) fn routes() -> OpenApiRouter<WidgetState> {
    OpenApiRouter::new().routes(routes!(script)).routes(routes!(preview))
}

/// Returns the widget, for a script tag: `widget.js?site=SITEKEY`.
///
/// The script shows the chat on the page. Its settings come from the site.
#[utoipa::path(
    get,
    path = "/web-chat/widget.js",
    operation_id = "webWidget",
    tag = "Web chat",
    params(("site" = Option<String>, Query, description = "Public key of the web chat site (`site_...`). The script reads it from its own address.")),
    responses(
        (status = 200, description = "The script.", body = String, content_type = "text/javascript"),
        (status = 304, description = "The browser has it already."),
    ),
)]
async fn script(uri: Uri, headers: HeaderMap) -> Response {
    let (script, tag) = &*SCRIPT;
    // A preview of another version, which another node served, gets this script, but does not keep it under its address.
    let version = uri.query().and_then(|query| query.strip_prefix("preview="));
    let is_kept = version.is_none_or(|version| version == tag.version());
    let mut response = tag.answer(&headers, "text/javascript; charset=utf-8", script.clone());
    let headers = response.headers_mut();
    let kept = if is_kept { "public, max-age=86400, stale-while-revalidate=604800" } else { "no-store" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    response
}

/// Returns the page in which the console shows the widget with settings that are being edited.
///
/// The page that frames it sends the settings with `postMessage`. It makes no session and no call.
#[utoipa::path(
    get,
    path = "/web-chat/preview",
    operation_id = "webWidgetPreview",
    tag = "Web chat",
    responses(
        (status = 200, description = "A page.", body = String, content_type = "text/html"),
        (status = 304, description = "The browser has it already."),
    ),
)]
async fn preview(headers: HeaderMap) -> Response {
    let (page, tag) = &*PREVIEW;
    let mut response = tag.answer(&headers, "text/html; charset=utf-8", page.clone());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PREVIEW_POLICY));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, io::Write};

    use domain::web_chat::TEXT_KEYS;

    use super::*;

    #[test]
    fn the_widget_has_less_than_forty_kilobytes_compressed() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&SCRIPT.0).unwrap();
        let bytes = gzip.finish().unwrap().len();
        assert!((2_000..40_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn every_text_that_a_site_may_word_is_one_of_the_widgets() {
        let texts = PARTS[0].split_once("const TEXTS = {").unwrap().1.split_once("};").unwrap().0;
        let keys: BTreeSet<&str> =
            texts.lines().filter_map(|line| line.trim().split_once(": \"")).map(|(key, _)| key).collect();
        assert_eq!(keys, BTreeSet::from(TEXT_KEYS));
    }
}
