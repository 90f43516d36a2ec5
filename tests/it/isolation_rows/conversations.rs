//! Rows of long-lived conversations and their analytics.

use serde_json::json;

use super::{ALL, Call, Ids, OWN, Others, Row, SENDERS, plain, row, with};

fn conversation(ids: &Ids, call: &str) -> Call {
    let path = "/messaging-service/WhatsApp/WhatsAppConversations";
    plain(&format!("{path}/{call}?conversationId={}", ids.conversation))
}

pub const ROWS: &[Row] = &[
    row(
        "POST",
        "/whatsapp-api-service/v2/json",
        SENDERS,
        |ids| {
            let body = json!({
                "sender": ids.number,
                "messageType": "CONVERSATION",
                "messages": [{
                    "recipientNumbers": [{ "to": "27820000002" }],
                    "conversationId": ids.conversation,
                    "messageText": "hello",
                }],
            });
            with("/whatsapp-api-service/v2/json", &body)
        },
        Others::Unknown(400),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation",
        SENDERS,
        |ids| {
            let body = json!({ "sender": ids.number, "recipient": "27820000001" });
            with("/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation", &body)
        },
        Others::Unknown(400),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppConversations/closeWhatsAppConversation",
        SENDERS,
        |ids| conversation(ids, "closeWhatsAppConversation"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppConversations/getRemainingTime",
        ALL,
        |ids| conversation(ids, "getRemainingTime"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsForCurrentUser",
        ALL,
        |_| plain("/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsForCurrentUser"),
        Others::In(&[(
            |ids| {
                let path =
                    "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsForCurrentUser";
                plain(&format!("{path}?searchString={}", ids.conversation))
            },
            200,
        )]),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsByClientRef",
        ALL,
        |ids| {
            let path = "/messaging-service/WhatsApp/WhatsAppConversations/getAllWhatsAppConversationsByClientRef";
            plain(&format!("{path}?clientRef={}", ids.client_ref))
        },
        Others::Unknown(200),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/WhatsAppAnalytics/getConversationAnalyticsForCurrentLoginUser",
        ALL,
        |_| {
            let path = "/messaging-service/WhatsApp/WhatsAppAnalytics/getConversationAnalyticsForCurrentLoginUser";
            plain(&format!("{path}?startDate=2026-01-01%2000:00:00&endDate=2026-01-31%2023:59:59"))
        },
        OWN,
    ),
];
