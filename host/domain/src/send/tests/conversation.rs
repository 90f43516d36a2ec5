//! The conversation endpoint (SPEC 2.2, 2.3, 4.1, 9).

use super::*;

const ID: &str = "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41";

fn conversation() -> Value {
    json!({
        "sender": "27110000000", "messageType": "CONVERSATION",
        "messages": [{"recipientNumbers": [{"to": "27820000001"}], "conversationId": ID, "messageText": "Hello"}],
    })
}

fn parsed(body: &Value) -> Result<SendRequest, Faults> {
    SendRequest::parse(SendEndpoint::Conversation, body.to_string().as_bytes(), MAX)
}

fn wrong(body: &Value) -> Vec<String> {
    parsed(body).unwrap_err().into_listed().into_iter().map(|fault| fault.field).collect()
}

fn resolved(body: &Value) -> ResolvedSend {
    let request = parsed(body).unwrap();
    let number = NumberFacts { msisdn: request.sender().clone(), waba_id: None };
    request.resolve(&number, None, &mut || panic!("no tokens in a text")).unwrap()
}

#[test]
fn a_free_text_names_its_conversation_and_its_recipients() {
    let send = resolved(&conversation());
    assert_eq!(send.kind, SendKind::Conversation);
    let part = &send.parts[0];
    assert_eq!(part.content, OutboundContent::Text { body: "Hello".to_owned() });
    assert_eq!(part.conversation.unwrap().to_string(), ID);
    assert_eq!(part.recipients.len(), 1);
}

#[test]
fn a_free_text_needs_a_conversation_and_a_text() {
    let field = "messages[0].conversationId";
    assert_eq!(wrong(&without(conversation(), "/messages/0/conversationId")), [field]);
    assert_eq!(wrong(&with(conversation(), "/messages/0/conversationId", json!(""))), [field]);
    assert_eq!(wrong(&with(conversation(), "/messages/0/conversationId", json!("one"))), [field]);
    let field = "messages[0].messageText";
    assert_eq!(wrong(&without(conversation(), "/messages/0/messageText")), [field]);
    assert_eq!(wrong(&with(conversation(), "/messages/0/messageText", json!(""))), [field]);
    assert!(parsed(&with(conversation(), "/messages/0/messageText", json!("é".repeat(4096)))).is_ok());
    assert_eq!(wrong(&with(conversation(), "/messages/0/messageText", json!("é".repeat(4097)))), [field]);
}

#[test]
fn fields_of_templates_are_refused_in_a_free_text() {
    let button = json!([{"type": "button", "conversationParameters": [{"payload": "x", "conversationState": "end"}]}]);
    for (pointer, value, field) in [
        ("/templateName", json!("order_ready"), "templateName"),
        ("/templateId", json!("920"), "templateId"),
        ("/messages/0/components", json!([{"type": "body", "parameters": ["Zo"]}]), "messages[0].components"),
        ("/messages/0/components", button, "messages[0].components"),
        ("/messages/0/media", json!({"url": "https://a.example/x.png"}), "messages[0].media"),
    ] {
        assert_eq!(wrong(&with(conversation(), pointer, value)), [field]);
    }
}

#[test]
fn each_endpoint_has_its_message_types() {
    assert_eq!(parsed(&notification()).unwrap().kind(), SendKind::Notification);
    assert_eq!(wrong(&with(notification(), "/messages/0/conversationId", json!(ID))), ["messages[0].conversationId"]);
    assert_eq!(wrong(&chat()), ["messageType"]);
    assert_eq!(fields(&conversation()), ["messageType"]);
    assert_eq!(wrong(&without(conversation(), "/messageType")), ["messageType"]);
}

#[test]
fn names_may_be_written_in_snake_case() {
    let snake = json!({
        "sender": "27110000000", "message_type": "CONVERSATION",
        "messages": [{
            "recipient_numbers": [{"to": "27820000001", "ct_id": "c", "gst_id": "g"}, {"customer_user_id": "ZA.1"}],
            "conversation_id": ID, "message_text": "Hello",
        }],
    });
    let send = resolved(&snake);
    assert_eq!(send.parts[0].conversation.unwrap().to_string(), ID);
    let accepted = accepted(&send);
    assert_eq!((accepted[0].ct_id.as_deref(), accepted[0].gst_id.as_deref()), (Some("c"), Some("g")));
    assert_eq!(accepted[1].recipient.bsuid(), Some("ZA.1"));

    let template = json!({
        "sender": "27110000000", "message_type": "NOTIFICATION", "template_name": "order_ready", "template_id": "920",
        "messages": [{"recipient_numbers": [{"to": "27820000001"}],
                      "components": [{"type": "button", "conversation_parameters": [{"payload": "p", "conversation_state": "end"}]}]}],
        "fallback": {"send_fallback": true},
    });
    let template = parsed(&template).unwrap();
    assert_eq!(template.template(), Some(&TemplateChoice { name: "order_ready".to_owned(), id: "920".to_owned() }));
    assert!(template.fallback().is_some());
}

#[test]
fn a_name_that_is_written_both_ways_is_refused() {
    let both = with(conversation(), "/messages/0/message_text", json!("Hello"));
    assert_eq!(wrong(&both), ["messages[0].messageText"]);
}

#[test]
fn recipients_are_counted_by_every_name_they_have() {
    let many = |name: &str| {
        let recipients: Vec<Value> = (0..=MAX).map(|_| json!({})).collect();
        with(without(conversation(), "/messages/0/recipientNumbers"), &format!("/messages/0/{name}"), json!(recipients))
    };
    for name in ["recipients", "recipientNumbers", "recipient_numbers"] {
        let faults = parsed(&many(name)).unwrap_err().into_listed();
        assert!(faults[0].message.contains("at most 1000"), "{name}: {}", faults[0].message);
    }
}
