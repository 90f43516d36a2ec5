//! Rows of the sessions of WhatsApp Lite numbers.

use serde_json::json;

use super::{ALL, Call, DEVELOPERS, Ids, Others, Row, Who, row, with};

/// A call about the session of a number.
fn lite(ids: &Ids, rest: &str) -> Call {
    with(&format!("/messaging-service/WhatsApp/WhatsAppLiteSessions/{}{rest}", ids.number_id), &json!({}))
}

pub const ROWS: &[Row] = &[
    row("GET", "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}", ALL, |ids| lite(ids, ""), Others::Unknown(404)),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/connect",
        DEVELOPERS,
        |ids| lite(ids, "/connect"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/disconnect",
        DEVELOPERS,
        |ids| lite(ids, "/disconnect"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/logout",
        DEVELOPERS,
        |ids| lite(ids, "/logout"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/qr",
        DEVELOPERS,
        |ids| lite(ids, "/qr"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/qr.png",
        DEVELOPERS,
        |ids| lite(ids, "/qr.png"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/messageProcessing",
        ALL,
        |ids| lite(ids, "/messageProcessing"),
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/messageProcessing",
        DEVELOPERS,
        |ids| lite(ids, "/messageProcessing"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/providers/whatsapp-lite/webhook/{client}/{number}",
        Who::Everybody("it is signed: tests/it/lite/bridge.rs"),
        |ids| with(&format!("/providers/whatsapp-lite/webhook/{}/{}", ids.client, ids.number_id), &json!({})),
        Others::None("the bridge's signature is what counts: tests/it/lite/bridge.rs"),
    ),
];
