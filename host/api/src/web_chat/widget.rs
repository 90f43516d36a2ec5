//! The widget: one script, built from the files of `widget/` at compile time, the same for every site.

use std::sync::LazyLock;

use axum::{
    Extension,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{admission::answer::SharedBytes, state::ApiState};

/// In the order of their dependencies, within one function that hides their names.
const PARTS: [&str; 11] = [
    include_str!("widget/texts.js"),
    include_str!("widget/style.js"),
    include_str!("widget/dom.js"),
    include_str!("widget/store.js"),
    include_str!("widget/connection.js"),
    include_str!("widget/outbox.js"),
    include_str!("widget/content.js"),
    include_str!("widget/form.js"),
    include_str!("widget/thread.js"),
    include_str!("widget/panel.js"),
    include_str!("widget/start.js"),
];

/// The script and its entity tag.
static SCRIPT: LazyLock<(String, String)> = LazyLock::new(|| {
    let script = format!("(function () {{\n\"use strict\";\n{}\n}})();\n", PARTS.join("\n"));
    let tag = format!("\"{:016x}\"", fingerprint(script.as_bytes()));
    (script, tag)
});

/// FNV-1a. It tells versions of our own script apart; there is no reason to forge one.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(super) fn routes() -> OpenApiRouter<ApiState> {
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
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let same = known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag));
    let mut response = if same {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let content_type = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
        (content_type, Extension(SharedBytes), script.as_str()).into_response()
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    let kept = "public, max-age=86400, stale-while-revalidate=604800";
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
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
        gzip.write_all(SCRIPT.0.as_bytes()).unwrap();
        let bytes = gzip.finish().unwrap().len();
        assert!((2_000..40_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn the_widget_works_with_a_strict_policy_and_shows_text_as_text() {
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
            assert!(!SCRIPT.0.contains(forbidden), "{forbidden}");
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
