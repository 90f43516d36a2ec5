//! The page with the phones, its files, and the files of messages.

mod assets;
mod headers;
mod message_files;
mod visitor_page;

use std::{fmt::Write as _, sync::Arc, sync::LazyLock};

use axum::{
    Router,
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use crate::world::SimulatedWorld;
use headers::NO_SNIFF;

/// Messages may link files on any host. Everything else comes from the simulator.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let mut policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; style-src 'self'; \
        connect-src 'self'; frame-src 'self'; img-src 'self' http: https: data:; media-src 'self' http: https: data:; \
        require-trusted-types-for 'script'; trusted-types 'none'; script-src 'self'"
            .to_owned();
    if let Some(map) = import_map(assets::INDEX) {
        let _ = write!(policy, " 'sha256-{}'", STANDARD.encode(Sha256::digest(map)));
    }
    policy
});

/// The text of the import map, which browsers take only from the page itself.
fn import_map(html: &str) -> Option<&str> {
    let (_, rest) = html.split_once("<script type=\"importmap\">")?;
    rest.split_once("</script>").map(|(map, _)| map)
}

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/", get(index))
        .route("/page/{*path}", get(asset))
        .route("/web", get(visitor_page::show))
        .route("/simulator/files/{id}", get(message_files::download))
}

async fn index() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, POLICY.as_str()),
        NO_SNIFF,
    ];
    (headers, assets::INDEX).into_response()
}

async fn asset(Path(path): Path<String>) -> Response {
    let Some((kind, bytes)) = assets::find(&path) else { return StatusCode::NOT_FOUND.into_response() };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache"), NO_SNIFF], bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_inline_script_of_the_page_is_its_import_map() {
        assert_eq!(assets::INDEX.matches("<script").count(), assets::INDEX.matches("<script src=").count() + 1);
        assert!(!assets::INDEX.contains("style="));
        assert!(POLICY.contains("'sha256-"));
    }
}
