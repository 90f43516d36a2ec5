//! Rows of web chat: its sites, and the calls of widgets.

use serde_json::json;

use super::{ALL, Call, DEVELOPERS, Ids, OWN, Others, Row, Who, plain, row, with};

const SITES: &str = "/messaging-service/web/sites";

/// A call about a site. The id is that of an inbox of another kind, which counts as unknown.
fn site(ids: &Ids, rest: &str) -> Call {
    with(&format!("{SITES}/{}{rest}", ids.number_id), &json!({}))
}

/// A call from a page that may not show the widget.
fn widget(path: &str) -> Call {
    with(&format!("/web-chat/{path}?site=nobodys"), &json!({}))
}

const PAGES: Who = Who::Everybody("pages call it; the origin and the visitor's token are what counts");
const OF_PAGES: Others = Others::None("a site is named by its key and its origin: tests/it/web_chat/refusals.rs");

pub const ROWS: &[Row] = &[
    row("POST", "/messaging-service/web/sites", DEVELOPERS, |_| with(SITES, &json!({})), OWN),
    row("GET", "/messaging-service/web/sites", ALL, |_| plain(SITES), OWN),
    row("GET", "/messaging-service/web/sites/{id}", ALL, |ids| site(ids, ""), Others::Unknown(404)),
    row("PUT", "/messaging-service/web/sites/{id}", DEVELOPERS, |ids| site(ids, ""), Others::Unknown(404)),
    row("DELETE", "/messaging-service/web/sites/{id}", DEVELOPERS, |ids| site(ids, ""), Others::Unknown(404)),
    row("POST", "/messaging-service/web/sites/{id}/key", DEVELOPERS, |ids| site(ids, "/key"), Others::Unknown(404)),
    row(
        "GET",
        "/messaging-service/web/sites/{id}/secret",
        DEVELOPERS,
        |ids| site(ids, "/secret"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/web/sites/{id}/secret/rotate",
        DEVELOPERS,
        |ids| site(ids, "/secret/rotate"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/web-chat/widget.js",
        Who::Everybody("it is the same script for every site"),
        |_| plain("/web-chat/widget.js"),
        OF_PAGES,
    ),
    row(
        "GET",
        "/web-chat/preview",
        Who::Everybody("an empty page; the console sends it what it shows"),
        |_| plain("/web-chat/preview"),
        OF_PAGES,
    ),
    row("POST", "/web-chat/sessions", PAGES, |_| widget("sessions"), OF_PAGES),
    row("OPTIONS", "/web-chat/sessions", PAGES, |_| widget("sessions"), OF_PAGES),
    row("POST", "/web-chat/files", PAGES, |_| widget("files"), OF_PAGES),
    row("OPTIONS", "/web-chat/files", PAGES, |_| widget("files"), OF_PAGES),
    row("GET", "/web-chat/socket", PAGES, |_| plain("/web-chat/socket?site=nobodys"), OF_PAGES),
];
