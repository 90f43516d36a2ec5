//! Rows of sending: SMS, batches, reports, the story of a message, the blocklist, the rate card.

use serde_json::json;

use super::{Call, Ids, OWN, Others, Row, SENDERS, Who, plain, row, with};

const ADMINS: Who = Who::Roles(&["ADMIN"]);

fn batch(ids: &Ids, rest: &str) -> Call {
    plain(&format!("/whatsapp-api-service/v2/batches/{}{rest}", ids.batch))
}

/// In the order of their calls.
pub const ROWS: &[Row] = &[
    row(
        "POST",
        "/whatsapp-api-service/v2/channels/sms",
        SENDERS,
        |ids| {
            let messages = json!([{ "recipients": [{ "to": "27820000001" }], "messageText": "hello" }]);
            with("/whatsapp-api-service/v2/channels/sms", &json!({ "sender": ids.number, "messages": messages }))
        },
        Others::Unknown(400),
    ),
    row("GET", "/whatsapp-api-service/v2/batches", SENDERS, |_| plain("/whatsapp-api-service/v2/batches"), OWN),
    row("GET", "/whatsapp-api-service/v2/batches/{batchId}", SENDERS, |ids| batch(ids, ""), Others::Unknown(404)),
    row(
        "POST",
        "/whatsapp-api-service/v2/batches/{batchId}/pause",
        SENDERS,
        |ids| batch(ids, "/pause"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/whatsapp-api-service/v2/batches/{batchId}/resume",
        SENDERS,
        |ids| batch(ids, "/resume"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/whatsapp-api-service/v2/batches/{batchId}/cancel",
        SENDERS,
        |ids| batch(ids, "/cancel"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/whatsapp-api-service/v2/batches/{batchId}/messages",
        SENDERS,
        |ids| batch(ids, "/messages"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/whatsapp-api-service/v2/batches/{batchId}/report",
        SENDERS,
        |ids| batch(ids, "/report"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/whatsapp-api-service/v2/reports/{date}",
        SENDERS,
        |_| plain("/whatsapp-api-service/v2/reports/2026-01-31"),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/blocklist",
        SENDERS,
        |_| plain("/messaging-service/WhatsApp/blocklist"),
        OWN,
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/blocklist",
        SENDERS,
        |_| with("/messaging-service/WhatsApp/blocklist", &json!({ "recipients": [] })),
        OWN,
    ),
    row(
        "DELETE",
        "/messaging-service/WhatsApp/blocklist/{recipient}",
        SENDERS,
        |_| plain("/messaging-service/WhatsApp/blocklist/27820000009"),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/rate-card",
        ADMINS,
        |_| plain("/messaging-service/WhatsApp/rate-card"),
        OWN,
    ),
    row(
        "PUT",
        "/messaging-service/WhatsApp/rate-card",
        ADMINS,
        |_| with("/messaging-service/WhatsApp/rate-card", &json!({})),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/failure-codes",
        SENDERS,
        |_| plain("/messaging-service/WhatsApp/failure-codes"),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/messages",
        SENDERS,
        |ids| plain(&format!("/messaging-service/WhatsApp/messages?ctId={}", ids.message)),
        Others::Unknown(200),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/messages/{gstId}",
        SENDERS,
        |ids| plain(&format!("/messaging-service/WhatsApp/messages/{}", ids.message)),
        Others::Unknown(404),
    ),
];
