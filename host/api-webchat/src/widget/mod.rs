//! The widget: one script, built from the files of `widget/` at compile time, the same for every site.

mod tokens;

use std::sync::LazyLock;

use api_core::entity_tag::EntityTag;
use axum::{
    body::Bytes,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::state::WidgetState;
use tokens::WidgetTokens;

/// In the order of their dependencies, within one function that hides their names.
const PARTS: [&str; 12] = [
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
    include_str!("chat.js"),
    include_str!("start.js"),
];

static SCRIPT: LazyLock<(Bytes, EntityTag)> = LazyLock::new(|| {
    let WidgetTokens { light, dark } = WidgetTokens::of_the_console();
    let tokens = format!("const TOKENS = {{ light: {light:?}, dark: {dark:?} }};");
    let script = format!("(function () {{\n\"use strict\";\n{tokens}\n{}\n}})();\n", PARTS.join("\n"));
    let tag = EntityTag::of(script.as_bytes());
    (script.into(), tag)
});

pub(super) fn routes() -> OpenApiRouter<WidgetState> {
    OpenApiRouter::new().routes(routes!(script))
}

/// Returns the widget, for a script tag: `widget.js?site=SITEKEY`.
///
/// The script shows the chat on the page. Its settings come from the site.
#[utoipa::path(
    get,
    path = "/web-chat/widget.js",
    operation_id = "webWidget",
    tag = "Web chat",
    params(("site" = Option<String>, Query, description = "Key of the site. The script reads it from its own address.")),
    responses(
        (status = 200, description = "The script.", body = String, content_type = "text/javascript"),
        (status = 304, description = "The browser has it already."),
    ),
)]
async fn script(headers: HeaderMap) -> Response {
    let (script, tag) = &*SCRIPT;
    let mut response = tag.answer(&headers, "text/javascript; charset=utf-8", script.clone());
    let headers = response.headers_mut();
    let kept = "public, max-age=86400, stale-while-revalidate=604800";
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
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
    fn the_widget_works_with_a_strict_policy_and_shows_text_as_text() {
        let script = std::str::from_utf8(&SCRIPT.0).unwrap();
        for forbidden in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "setAttribute(\"style\"",
            ".style.",
            "javascript:",
            "srcdoc",
            "DOMParser",
            "createContextualFragment",
        ] {
            assert!(!script.contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn every_text_that_a_site_may_word_is_one_of_the_widgets() {
        let texts = PARTS[0].split_once("const TEXTS = {").unwrap().1.split_once("};").unwrap().0;
        let keys: BTreeSet<&str> =
            texts.lines().filter_map(|line| line.trim().split_once(": \"")).map(|(key, _)| key).collect();
        assert_eq!(keys, BTreeSet::from(TEXT_KEYS));
    }
}
