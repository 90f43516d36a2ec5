//! Rows of live chat and tickets.

use serde_json::json;

use super::{Call, Ids, OWN, Others, Row, Who, plain, row, with};

const DESK: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "AGENT", "API"]);

fn chat(ids: &Ids, call: &str) -> Call {
    plain(&format!("/chat-service/api/v2/chats/{}{call}", ids.participant))
}

const LEADERS: Who = Who::Roles(&["ADMIN", "SUPERVISOR"]);

fn reply(ids: &Ids, call: &str) -> Call {
    let path = format!("/chat-service/api/v2/canned-replies/{}{call}", ids.other);
    with(&path, &json!({ "shortcut": "hi", "text": "Hello" }))
}

/// A call about a chat that names an agent.
fn to_agent(ids: &Ids, call: &str) -> Call {
    with(&format!("/chat-service/api/v2/chats/{}{call}", ids.participant), &json!({ "agentId": ids.other }))
}

/// A call about the messages of a chat.
fn messages(ids: &Ids, call: &str) -> Call {
    plain(&format!("/chat-service/api/v2/messages{call}?participantId={}", ids.participant))
}

pub const ROWS: &[Row] = &[
    row("GET", "/chat-service/api/v2/chats", DESK, |_| plain("/chat-service/api/v2/chats?scope=all"), OWN),
    row("GET", "/chat-service/api/v2/chats/counts", DESK, |_| plain("/chat-service/api/v2/chats/counts"), OWN),
    row("GET", "/chat-service/api/v2/chats/{id}/customer", DESK, |ids| chat(ids, "/customer"), Others::Unknown(404)),
    row("GET", "/chat-service/api/v2/chats/{id}/notes", DESK, |ids| chat(ids, "/notes"), Others::Unknown(404)),
    row(
        "POST",
        "/chat-service/api/v2/chats/{id}/notes",
        DESK,
        |ids| {
            let path = format!("/chat-service/api/v2/chats/{}/notes", ids.participant);
            with(&path, &json!({ "text": "a note" }))
        },
        Others::In(&[
            (
                |ids| {
                    let path = format!("/chat-service/api/v2/chats/{}/notes", ids.participant);
                    with(&path, &json!({ "text": "a note" }))
                },
                404,
            ),
            (
                |ids| {
                    let path = format!("/chat-service/api/v2/chats/{}/notes", ids.participant);
                    with(&path, &json!({ "text": "a note", "mentions": [ids.user] }))
                },
                400,
            ),
        ]),
    ),
    row(
        "POST",
        "/chat-service/api/v2/chats/{id}/template",
        DESK,
        |ids| {
            let path = format!("/chat-service/api/v2/chats/{}/template", ids.participant);
            with(&path, &json!({ "templateId": "1", "templateName": "welcome" }))
        },
        Others::Unknown(404),
    ),
    row("GET", "/chat-service/api/v2/chats/{id}/viewers", DESK, |ids| chat(ids, "/viewers"), Others::Unknown(404)),
    row("POST", "/chat-service/api/v2/chats/{id}/viewers", DESK, |ids| chat(ids, "/viewers"), Others::Unknown(404)),
    row("DELETE", "/chat-service/api/v2/chats/{id}/viewers", DESK, |ids| chat(ids, "/viewers"), Others::Unknown(404)),
    row("GET", "/chat-service/api/v2/mentions", DESK, |_| plain("/chat-service/api/v2/mentions"), OWN),
    row("GET", "/chat-service/api/v2/figures/now", LEADERS, |_| plain("/chat-service/api/v2/figures/now"), OWN),
    row("GET", "/chat-service/api/v2/figures", LEADERS, |_| plain("/chat-service/api/v2/figures"), OWN),
    row("GET", "/chat-service/api/v2/figures/export", LEADERS, |_| plain("/chat-service/api/v2/figures/export"), OWN),
    row("GET", "/chat-service/api/v2/canned-replies", DESK, |_| plain("/chat-service/api/v2/canned-replies"), OWN),
    row(
        "POST",
        "/chat-service/api/v2/canned-replies",
        LEADERS,
        |_| with("/chat-service/api/v2/canned-replies", &json!({})),
        Others::In(&[(
            |ids| {
                let body = json!({ "shortcut": "hi", "text": "Hello", "teamId": ids.team });
                with("/chat-service/api/v2/canned-replies", &body)
            },
            400,
        )]),
    ),
    row("PUT", "/chat-service/api/v2/canned-replies/{id}", LEADERS, |ids| reply(ids, ""), Others::Unknown(404)),
    row("DELETE", "/chat-service/api/v2/canned-replies/{id}", LEADERS, |ids| reply(ids, ""), Others::Unknown(404)),
    row(
        "POST",
        "/chat-service/api/v2/canned-replies/{id}/fill",
        DESK,
        |ids| {
            let path = format!("/chat-service/api/v2/canned-replies/{}/fill", ids.other);
            with(&path, &json!({ "participantId": ids.participant }))
        },
        Others::Unknown(404),
    ),
    row("GET", "/chat-service/api/v2/chats/{id}", DESK, |ids| chat(ids, ""), Others::Unknown(404)),
    row("POST", "/chat-service/api/v2/chats/{id}/assign", DESK, |ids| to_agent(ids, "/assign"), Others::Unknown(404)),
    row(
        "POST",
        "/chat-service/api/v2/chats/{id}/transfer",
        DESK,
        |ids| to_agent(ids, "/transfer"),
        Others::Unknown(404),
    ),
    row("POST", "/chat-service/api/v2/chats/{id}/release", DESK, |ids| chat(ids, "/release"), Others::Unknown(404)),
    row("POST", "/chat-service/api/v2/chats/{id}/resolve", DESK, |ids| chat(ids, "/resolve"), Others::Unknown(404)),
    row("GET", "/chat-service/api/v2/messages", DESK, |ids| messages(ids, ""), Others::Unknown(404)),
    row(
        "POST",
        "/chat-service/api/v2/messages",
        DESK,
        |ids| {
            let body = json!({ "participantId": ids.participant, "channel": "WEB", "text": "hello" });
            with("/chat-service/api/v2/messages", &body)
        },
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/chat-service/api/v2/messages/media",
        DESK,
        |_| with("/chat-service/api/v2/messages/media", &json!({})),
        OWN,
    ),
    row("POST", "/chat-service/api/v2/messages/typing", DESK, |ids| messages(ids, "/typing"), Others::Unknown(404)),
    row("POST", "/chat-service/api/v2/messages/read", DESK, |ids| messages(ids, "/read"), Others::Unknown(404)),
    row(
        "GET",
        "/chat-service/api/v2/messages/tracking/{trackingNumber}",
        DESK,
        |ids| plain(&format!("/chat-service/api/v2/messages/tracking/{}", ids.message)),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/chat-service/api/v2/messages/ctid/{ctId}",
        DESK,
        |ids| plain(&format!("/chat-service/api/v2/messages/ctid/{}", ids.other)),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/chat-service/api/v2/messages/{id}/original",
        DESK,
        |ids| plain(&format!("/chat-service/api/v2/messages/{}/original", ids.message)),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/chat-service/ticket/search",
        DESK,
        |ids| {
            let times = "startDateTime=2020-01-01T00:00:00Z&endDateTime=2100-01-01T00:00:00Z";
            plain(&format!("/chat-service/ticket/search?page=0&size=10&{times}&clientRef={}", ids.client_ref))
        },
        Others::Unknown(200),
    ),
    row(
        "PUT",
        "/chat-service/ticket/{ticketId}/status",
        DESK,
        |ids| plain(&format!("/chat-service/ticket/{}/status?newStatus=OPEN", ids.other)),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/chat-service/ticket/by-ticket-number",
        DESK,
        |_| plain("/chat-service/ticket/by-ticket-number?ticketNumber=1"),
        Others::None("a number is one of the caller's own tickets: tests/it/live_chat/tickets.rs"),
    ),
    row("GET", "/chat-service/ChatParticipant", DESK, |_| plain("/chat-service/ChatParticipant"), OWN),
    row(
        "GET",
        "/chat-service/ChatParticipant/tabs/{tab}",
        DESK,
        |_| plain("/chat-service/ChatParticipant/tabs/all"),
        OWN,
    ),
    row(
        "PUT",
        "/chat-service/ChatParticipant/terminateChatParticipantChat",
        DESK,
        |ids| {
            // Refused also for the caller's own chat.
            let body = json!({ "id": ids.participant, "assignedTo": { "id": ids.other } });
            with("/chat-service/ChatParticipant/terminateChatParticipantChat", &body)
        },
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/chat-service/Message/sendMessageWhatsapp",
        DESK,
        |ids| {
            let body = json!({ "participantId": ids.participant, "text": "hi", "quotedExternalMessageId": "none" });
            with("/chat-service/Message/sendMessageWhatsapp", &body)
        },
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/chat-service/Message/sendMessageWithAttachment",
        DESK,
        |ids| Call {
            path: "/chat-service/Message/sendMessageWithAttachment".to_owned(),
            content_type: Some("multipart/form-data; boundary=b"),
            body: format!(
                "--b\r\nContent-Disposition: form-data; name=\"participantId\"\r\n\r\n{}\r\n--b\r\n\
                 Content-Disposition: form-data; name=\"file\"\r\n\r\nno file\r\n--b--\r\n",
                ids.participant
            )
            .into_bytes(),
        },
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/chat-service/Message/getMessagesByParticipantId",
        DESK,
        |ids| plain(&format!("/chat-service/Message/getMessagesByParticipantId?participantId={}", ids.participant)),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/chat-service/Message/getMessagesByTrackingNumber",
        DESK,
        |ids| plain(&format!("/chat-service/Message/getMessagesByTrackingNumber?trackingNumber={}", ids.message)),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/chat-service/Message/typing",
        DESK,
        |ids| plain(&format!("/chat-service/Message/typing?participantId={}", ids.participant)),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/chat-service/Message/markAsRead",
        DESK,
        |ids| plain(&format!("/chat-service/Message/markAsRead?participantId={}", ids.participant)),
        Others::Unknown(404),
    ),
    // These two change the chat without a body, so they come last.
    row("POST", "/chat-service/api/v2/chats/{id}/open", DESK, |ids| chat(ids, "/open"), Others::Unknown(404)),
    row("POST", "/chat-service/api/v2/chats/{id}/terminate", DESK, |ids| chat(ids, "/terminate"), Others::Unknown(404)),
];
