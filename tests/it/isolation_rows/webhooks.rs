//! Rows of webhook configurations, their deliveries, and unreadable callbacks.

use serde_json::json;

use super::{ALL, Call, DEVELOPERS, Ids, OWN, Others, Row, plain, row, with};

fn webhook(ids: &Ids, rest: &str) -> Call {
    plain(&format!("/messaging-service/WhatsApp/WhatsAppClientWebHook/{}{rest}", ids.webhook))
}

pub const ROWS: &[Row] = &[
    row(
        "GET",
        "/messaging-service/WhatsApp/failed-callbacks",
        DEVELOPERS,
        |_| plain("/messaging-service/WhatsApp/failed-callbacks"),
        OWN,
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/webhook-listener",
        DEVELOPERS,
        |_| with("/messaging-service/WhatsApp/webhook-listener", &json!({})),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/webhook-listener/{delivery}",
        DEVELOPERS,
        |ids| plain(&format!("/messaging-service/WhatsApp/webhook-listener/{}", ids.other)),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook",
        DEVELOPERS,
        |_| with("/messaging-service/WhatsApp/WhatsAppClientWebHook", &json!({ "statusUpdateURL": "nonsense" })),
        Others::In(&[(
            |ids| {
                let path = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
                with(path, &json!({ "whatsAppNumberId": ids.number_id, "statusUpdateURL": "https://hooks.example/x" }))
            },
            // SPEC 7: the status for any number that is not the caller's, even an unknown one.
            403,
        )]),
    ),
    row(
        "PUT",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook",
        DEVELOPERS,
        |ids| with("/messaging-service/WhatsApp/WhatsAppClientWebHook", &json!({ "id": ids.webhook })),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/list",
        ALL,
        |_| plain("/messaging-service/WhatsApp/WhatsAppClientWebHook/list"),
        OWN,
    ),
    row(
        "DELETE",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}",
        DEVELOPERS,
        |ids| webhook(ids, ""),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/getForCurrentLoginUser",
        ALL,
        |_| plain("/messaging-service/WhatsApp/WhatsAppClientWebHook/getForCurrentLoginUser"),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/secret",
        DEVELOPERS,
        |ids| webhook(ids, "/secret"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/secret/rotate",
        DEVELOPERS,
        |ids| webhook(ids, "/secret/rotate"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/health",
        DEVELOPERS,
        |ids| webhook(ids, "/health"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/attempts",
        DEVELOPERS,
        |ids| webhook(ids, "/attempts"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/deliveries/{delivery}",
        DEVELOPERS,
        |ids| webhook(ids, &format!("/deliveries/{}", ids.other)),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/deliveries/{delivery}/resend",
        DEVELOPERS,
        |ids| webhook(ids, &format!("/deliveries/{}/resend", ids.other)),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/resend-failed",
        DEVELOPERS,
        |ids| with(&webhook(ids, "/resend-failed").path, &json!({ "since": "2026-01-31T08:00:00Z" })),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppClientWebHook/{id}/ping",
        DEVELOPERS,
        |ids| with(&webhook(ids, "/ping").path, &json!({ "webhookType": "CHATBOT" })),
        Others::Unknown(404),
    ),
];
