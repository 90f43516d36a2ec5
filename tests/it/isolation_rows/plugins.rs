//! Rows of plugins, their activations, recordings, key-values, signing keys and shared secrets.

use serde_json::json;

use super::{Call, DEVELOPERS, Ids, OWN, Others, Row, plain, row, with};

/// The key-values of a participant, stored by a plugin that every client has.
fn of_participant(ids: &Ids) -> Call {
    plain(&format!("/plugin-service/api/v1/plugins/default-chatbot/key-values?participantId={}", ids.participant))
}

fn plugin(ids: &Ids, rest: &str) -> Call {
    with(&format!("/plugin-service/api/v1/plugins/{}{rest}", ids.plugin), &json!({}))
}

/// A call about a plugin that every client has, and one number.
fn on_number(ids: &Ids, rest: &str) -> Call {
    let path = format!("/plugin-service/api/v1/plugins/default-chatbot{rest}");
    with(&path, &json!({ "whatsAppNumberId": ids.number_id }))
}

/// An upload without a valid component, which is refused under any name.
fn component(path: &str) -> Call {
    Call { path: path.to_owned(), content_type: Some("application/wasm"), body: b"no component".to_vec() }
}

pub const ROWS: &[Row] = &[
    row("GET", "/plugin-service/api/v1/plugins", DEVELOPERS, |_| plain("/plugin-service/api/v1/plugins"), OWN),
    row(
        "POST",
        "/plugin-service/api/v1/plugins",
        DEVELOPERS,
        |ids| component(&format!("/plugin-service/api/v1/plugins?name={}", ids.plugin)),
        Others::Unknown(400),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/check",
        DEVELOPERS,
        |ids| component(&format!("/plugin-service/api/v1/plugins/check?name={}", ids.plugin)),
        Others::Unknown(400),
    ),
    row("GET", "/plugin-service/api/v1/plugins/{name}", DEVELOPERS, |ids| plugin(ids, ""), Others::Unknown(404)),
    row("DELETE", "/plugin-service/api/v1/plugins/{name}", DEVELOPERS, |ids| plugin(ids, ""), Others::Unknown(404)),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/activate",
        DEVELOPERS,
        |ids| plugin(ids, "/activate"),
        Others::In(&[(|ids| plugin(ids, "/activate"), 404), (|ids| on_number(ids, "/activate"), 400)]),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/rollback",
        DEVELOPERS,
        |ids| plugin(ids, "/rollback"),
        Others::In(&[(|ids| plugin(ids, "/rollback"), 404), (|ids| on_number(ids, "/rollback"), 409)]),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/deactivate",
        DEVELOPERS,
        |ids| plugin(ids, "/deactivate"),
        Others::In(&[(|ids| plugin(ids, "/deactivate"), 404), (|ids| on_number(ids, "/deactivate"), 404)]),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/invoke",
        DEVELOPERS,
        |ids| plugin(ids, "/invoke"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/verify",
        DEVELOPERS,
        |ids| plugin(ids, "/verify"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugins/{name}/invocations",
        DEVELOPERS,
        |ids| plugin(ids, "/invocations"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugins/{name}/events",
        DEVELOPERS,
        |ids| plugin(ids, "/events"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugins/{name}/health",
        DEVELOPERS,
        |ids| plugin(ids, "/health"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugins/{name}/differences",
        DEVELOPERS,
        |ids| plugin(ids, "/differences"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/recording",
        DEVELOPERS,
        |ids| plugin(ids, "/recording"),
        Others::In(&[(|ids| plugin(ids, "/recording"), 404), (|ids| on_number(ids, "/recording"), 409)]),
    ),
    row(
        "DELETE",
        "/plugin-service/api/v1/plugins/{name}/recording",
        DEVELOPERS,
        |ids| plugin(ids, "/recording"),
        Others::In(&[(|ids| plugin(ids, "/recording"), 404), (|ids| on_number(ids, "/recording"), 409)]),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugins/{name}/recordings",
        DEVELOPERS,
        |ids| plugin(ids, "/recordings"),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugins/{name}/replay",
        DEVELOPERS,
        |ids| plugin(ids, "/replay"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugins/{name}/key-values",
        DEVELOPERS,
        |ids| plugin(ids, "/key-values"),
        Others::In(&[(|ids| plugin(ids, "/key-values"), 404), (of_participant, 400)]),
    ),
    row(
        "DELETE",
        "/plugin-service/api/v1/plugins/{name}/key-values",
        DEVELOPERS,
        |ids| plugin(ids, "/key-values?prefix=a"),
        Others::In(&[(|ids| plugin(ids, "/key-values?prefix=a"), 404), (of_participant, 400)]),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugin-trust",
        DEVELOPERS,
        |_| plain("/plugin-service/api/v1/plugin-trust"),
        OWN,
    ),
    row(
        "PUT",
        "/plugin-service/api/v1/plugin-trust",
        DEVELOPERS,
        |_| with("/plugin-service/api/v1/plugin-trust", &json!({ "signedOnly": false })),
        OWN,
    ),
    row(
        "POST",
        "/plugin-service/api/v1/plugin-trust/keys",
        DEVELOPERS,
        |_| with("/plugin-service/api/v1/plugin-trust/keys", &json!({ "name": "a b", "publicKey": "" })),
        OWN,
    ),
    row(
        "DELETE",
        "/plugin-service/api/v1/plugin-trust/keys/{name}",
        DEVELOPERS,
        |_| plain("/plugin-service/api/v1/plugin-trust/keys/nobodys"),
        Others::None("keys are named per client: tests/it/plugin_trust.rs"),
    ),
    row("GET", "/plugin-service/api/v1/secrets", DEVELOPERS, |_| plain("/plugin-service/api/v1/secrets"), OWN),
    row(
        "PUT",
        "/plugin-service/api/v1/secrets/{name}",
        DEVELOPERS,
        |ids| with("/plugin-service/api/v1/secrets/shared", &json!({ "value": "a value", "plugins": [ids.plugin] })),
        Others::Unknown(400),
    ),
    row(
        "DELETE",
        "/plugin-service/api/v1/secrets/{name}",
        DEVELOPERS,
        |_| plain("/plugin-service/api/v1/secrets/no-ones"),
        Others::None("secrets are named per client: tests/it/plugin_shared_secrets.rs"),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/plugin-uploads/{id}",
        DEVELOPERS,
        |ids| plain(&format!("/plugin-service/api/v1/plugin-uploads/{}", ids.upload)),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/custom-events",
        DEVELOPERS,
        |ids| with("/plugin-service/api/v1/custom-events", &json!({ "participantId": ids.participant, "name": "x" })),
        Others::In(&[
            (
                |ids| {
                    with(
                        "/plugin-service/api/v1/custom-events",
                        &json!({ "participantId": ids.participant, "name": "x" }),
                    )
                },
                404,
            ),
            (
                |ids| {
                    let body = json!({ "whatsAppNumberId": ids.number_id, "customer": "27820000001", "name": "x" });
                    with("/plugin-service/api/v1/custom-events", &body)
                },
                400,
            ),
        ]),
    ),
    row(
        "POST",
        "/plugin-service/api/v1/chats/release",
        DEVELOPERS,
        |ids| with("/plugin-service/api/v1/chats/release", &json!({ "participantId": ids.participant })),
        Others::In(&[
            (|ids| with("/plugin-service/api/v1/chats/release", &json!({ "participantId": ids.participant })), 404),
            (
                |ids| {
                    let body = json!({ "whatsAppNumberId": ids.number_id, "customer": "27820000001" });
                    with("/plugin-service/api/v1/chats/release", &body)
                },
                400,
            ),
        ]),
    ),
    row(
        "GET",
        "/plugin-service/api/v1/routing-decisions",
        DEVELOPERS,
        |ids| plain(&format!("/plugin-service/api/v1/routing-decisions?participantId={}", ids.other)),
        Others::Unknown(200),
    ),
];
