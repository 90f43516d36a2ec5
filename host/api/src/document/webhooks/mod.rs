//! The webhooks of OpenAPI: the requests that Patchbay makes to addresses of its clients.

mod bodies;
mod chatbot;
mod closed_sets;
mod sms;

use serde_json::{Map, Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

const RULES: &str = include_str!("rules.md");
const SMS_RULES: &str = include_str!("sms-rules.md");

pub(super) fn add(document: &mut Value) {
    let mut schemas = Map::new();
    define::<bodies::IncomingMessage>(&mut schemas);
    define::<bodies::MessageStatus>(&mut schemas);
    define::<bodies::SessionStatus>(&mut schemas);
    define::<bodies::PartnerEvent>(&mut schemas);
    define::<chatbot::ChatbotEventV1>(&mut schemas);
    define::<chatbot::ChatbotEventV2Fields>(&mut schemas);
    define::<sms::SmsReceipt>(&mut schemas);
    define::<sms::SmsReply>(&mut schemas);
    schemas.insert("ChatbotEventV2".to_owned(), chatbot_version_2());
    if let Some(known) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        known.extend(schemas);
    }
    let webhooks = json!({
        "incomingMessage": post_operation("incomingMessageURL", "A customer wrote to a business number.", &["IncomingMessage"]),
        "messageStatus": post_operation("statusUpdateURL", "The state of a sent message changed.", &["MessageStatus"]),
        "sessionStatus": post_operation("sessionStatusURL", "The connection of a WhatsApp Lite number changed.", &["SessionStatus"]),
        "partnerEvent": post_operation("eventWebhookURL", "Something happened on the provider's platform or in Patchbay.", &["PartnerEvent"]),
        "chatbotEvent": post_operation("chatbotWebhookURL", "A message of a live chat. `chatbotPayloadVersion` decides the version.", &["ChatbotEventV1", "ChatbotEventV2"]),
        "smsReceipt": { "get": get_operation("receiptCallBackURL", "A receipt of an SMS of the gateways.", "SmsReceipt", document) },
        "smsReply": {
            "get": get_operation("replyCallBackURL", "A reply to an SMS of the gateways.", "SmsReply", document),
            "post": posted_form("replyCallBackURL", "A reply, if `replyCallBackMethod` is `POST`.", "SmsReply"),
        },
    });
    if let Some(document) = document.as_object_mut() {
        document.insert("webhooks".to_owned(), webhooks);
    }
}

fn define<T: ToSchema + PartialSchema>(schemas: &mut Map<String, Value>) {
    let mut found: Vec<(String, RefOr<Schema>)> = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut found);
    let found = found.into_iter().filter_map(|(name, schema)| Some((name, serde_json::to_value(schema).ok()?)));
    schemas.extend(found);
}

/// Version 2 has the fields of version 1 and its own.
fn chatbot_version_2() -> Value {
    json!({
        "description": "A message of a live chat, in version 2 (`chatbotPayloadVersion`).",
        "allOf": [reference("ChatbotEventV1"), reference("ChatbotEventV2Fields")],
    })
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn post_operation(field: &str, summary: &str, schemas: &[&str]) -> Value {
    let schema = match schemas {
        [one] => reference(one),
        several => json!({ "anyOf": several.iter().map(|one| reference(one)).collect::<Vec<_>>() }),
    };
    let headers: Vec<Value> = [
        (
            "webhook-id",
            true,
            "Id of the delivery. Each attempt has the same id: use it for deduplication.",
            "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f60",
        ),
        ("webhook-timestamp", true, "Time of the attempt in seconds since 1970-01-01T00:00Z.", "1769847330"),
        (
            "webhook-signature",
            true,
            "Signatures, separated by blanks. One that fits is enough.",
            "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
        ("webhook-test", false, "`true` if a test key caused the event. Absent on all other webhooks.", "true"),
    ]
    .into_iter()
    .map(|(name, is_required, said, example)| {
        json!({ "name": name, "in": "header", "required": is_required, "description": said,
                "schema": { "type": "string" }, "example": example })
    })
    .collect();
    json!({ "post": {
        "operationId": operation_id(field),
        "summary": summary,
        "description": format!("Sent to `{field}`.\n\n{RULES}"),
        "tags": ["Webhooks"],
        "parameters": headers,
        "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
        "responses": answers(),
        "security": [],
    } })
}

fn get_operation(field: &str, summary: &str, schema: &str, document: &Value) -> Value {
    let schema = document.pointer(&format!("/components/schemas/{schema}")).cloned().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let parameters: Vec<Value> = properties
        .map(|(name, property)| {
            let mut property = property.clone();
            let said = property.as_object_mut().and_then(|property| property.remove("description"));
            json!({ "name": name, "in": "query", "required": true, "description": said, "schema": property,
                    "example": schema.pointer(&format!("/examples/0/{name}")) })
        })
        .collect();
    json!({
        "operationId": operation_id(field),
        "summary": summary,
        "description": format!("Sent to `{field}` of the request.\n\n{SMS_RULES}"),
        "tags": ["Webhooks"],
        "parameters": parameters,
        "responses": answers(),
        "security": [],
    })
}

fn posted_form(field: &str, summary: &str, schema: &str) -> Value {
    json!({
        "operationId": format!("{}Form", operation_id(field)),
        "summary": summary,
        "description": format!("Sent to `{field}` of the request.\n\n{SMS_RULES}"),
        "tags": ["Webhooks"],
        "requestBody": {
            "required": true,
            "content": { "application/x-www-form-urlencoded": { "schema": reference(schema) } },
        },
        "responses": answers(),
        "security": [],
    })
}

/// `incomingMessageURL` is `onIncomingMessage`.
fn operation_id(field: &str) -> String {
    let event = field.trim_end_matches("URL");
    let mut letters = event.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    format!("on{}{}", first.map(String::from).unwrap_or_default(), letters.as_str())
}

fn answers() -> Value {
    json!({
        "2XX": { "description": "Received. The body is ignored." },
        "410": { "description": "The address is gone: this webhook is turned off." },
        "default": { "description": "Not received: it is sent again by the schedule." },
    })
}
