//! The bodies of the built-in shapers (SPEC 6.1 to 6.5), byte for byte.

use plugin_host::CallError;
use plugin_host::webhook_shaper::{
    Agent, Channel, ChatbotEvent, ChatbotSettings, Direction, IncomingMessageEvent, OtherEvent, PartnerEvent,
    SessionStatusEvent, StatusEvent, Team, WebhookEvent, partner_event,
};

use crate::support::{TestHost, call};

async fn shape(shaper: &str, event: WebhookEvent) -> String {
    let test = TestHost::with_built_ins().await;
    test.host.shape(call(shaper), &event).await.unwrap().0.text().unwrap().to_owned()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn incoming() -> IncomingMessageEvent {
    IncomingMessageEvent {
        profile_name: some("Zo \"the\" Nkosi"),
        sender: some("27820000001"),
        sender_user_id: some("ZA.100"),
        username: None,
        receiver: "27110000000".into(),
        channel: Some(Channel::Whatsapp),
        text: some("hi\n🙂"),
        button_text: None,
        button_payload: None,
        latitude: None,
        longitude: None,
        label: None,
        address: None,
        media_url: None,
        caption: None,
        file_extension: None,
        message_type: some("INTERACTION"),
        message_content_type: "TEXT".into(),
        gst_id: some("gst-1"),
        ct_id: None,
        conversation_id: None,
        conversation_participant_id: some("p-1"),
        sent_time: some("2025-10-14T08:00:00Z"),
        status: some("RECEIVED"),
        cost: None,
        template_id: None,
        template_name: None,
        body_parameters: None,
        tqrmt_id: None,
        conversation_status_code: None,
        conversation_status_message: None,
        request_id: None,
        error_code: None,
        error_code_string: None,
        metadata: vec![("later".into(), "ignored".into())],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incoming_message_has_the_fields_of_spec_6_1_and_omits_absent_ones() {
    let body = shape("webhook-standard", WebhookEvent::Incoming(incoming())).await;
    assert_eq!(
        body,
        r#"{"profileName":"Zo \"the\" Nkosi","sender":"27820000001","senderUserId":"ZA.100","receiver":"27110000000","text":"hi\n🙂","messageType":"INTERACTION","messageContentType":"TEXT","gstId":"gst-1","participantId":"p-1","sentTime":"2025-10-14T08:00:00Z","status":"RECEIVED"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_spec_6_1_has_its_name() {
    let all = IncomingMessageEvent {
        username: some("zo"),
        button_text: some("Yes"),
        button_payload: some("yes"),
        latitude: some("-26.1"),
        longitude: some("28.0"),
        label: some("Shop"),
        address: some("1 Main"),
        media_url: some("https://m/1"),
        caption: some("c"),
        file_extension: some("jpg"),
        ct_id: some("ct"),
        conversation_id: some("conv"),
        cost: some("0.1"),
        template_id: some("t1"),
        template_name: some("hello"),
        body_parameters: Some(vec![("1".into(), "Zo".into()), ("2".into(), "x".into())]),
        tqrmt_id: some("tq"),
        conversation_status_code: some("200"),
        conversation_status_message: some("ok"),
        request_id: some("r"),
        error_code: some("1"),
        error_code_string: some("e"),
        ..incoming()
    };
    let body = shape("webhook-standard", WebhookEvent::Incoming(all)).await;
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let mut names: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut wanted: Vec<&str> = "profileName sender senderUserId username receiver text buttonText buttonPayload \
        latitude longitude label address mediaUrl caption fileExtension messageType messageContentType gstId ctId \
        conversationId participantId sentTime status cost templateId templateName bodyParameters tqrmtId \
        conversationStatusCode conversationStatusMessage requestId errorCode errorCodeString"
        .split_whitespace()
        .collect();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
    assert_eq!(body["bodyParameters"], serde_json::json!({"1": "Zo", "2": "x"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_state_has_the_fields_of_spec_6_2() {
    let event = StatusEvent {
        sender: "27110000000".into(),
        receiver: some("27820000001"),
        recipient_user_id: some("ZA.100"),
        gst_id: "gst-1".into(),
        ct_id: some("ct-1"),
        conversation_ct_id: some("cct"),
        channel: some("SMS"),
        status: "FAILED".into(),
        send_time: some("s"),
        delivery_time: some("d"),
        read_time: some("r"),
        played_time: some("p"),
        error_code: some("131026"),
        error_code_string: some("Message undeliverable"),
        conversation_id: some("conv"),
        conversation_participant_id: some("p-1"),
        cost: some("0.2"),
        request_id: some("req"),
        tqrmt_id: some("tq"),
        metadata: vec![],
    };
    let body = shape("webhook-standard", WebhookEvent::Status(event)).await;
    assert_eq!(
        body,
        r#"{"sender":"27110000000","receiver":"27820000001","recipientUserId":"ZA.100","gstId":"gst-1","ctId":"ct-1","conversationCtId":"cct","channel":"SMS","status":"FAILED","sendTime":"s","deliveryTime":"d","readTime":"r","playedTime":"p","errorCode":"131026","errorCodeString":"Message undeliverable","conversationId":"conv","participantId":"p-1","cost":"0.2","requestId":"req","tqrmtId":"tq"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn session_and_partner_events_have_the_fields_of_spec_6_3_and_6_4() {
    let session = SessionStatusEvent {
        whatsapp_number: "27110000000".into(),
        status: "Connected".into(),
        status_type: "success".into(),
        timestamp_ms: 1_760_428_800_000,
        metadata: vec![],
    };
    assert_eq!(
        shape("webhook-standard", WebhookEvent::SessionStatus(session)).await,
        r#"{"whatsAppNumber":"27110000000","status":"Connected","statusType":"success","timestamp":1760428800000}"#
    );
    let partner = PartnerEvent {
        template_name: some("hello"),
        template_status: some("REJECTED"),
        rejected_reason: some("SPAM"),
        ..partner_event("TEMPLATE_STATUS_CHANGED", "27110000000", 1_760_428_800_000)
    };
    assert_eq!(
        shape("webhook-standard", WebhookEvent::Partner(partner)).await,
        r#"{"eventType":"TEMPLATE_STATUS_CHANGED","whatsAppNumber":"27110000000","timestamp":1760428800000,"templateName":"hello","templateStatus":"REJECTED","rejectedReason":"SPAM"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_a_case_has_its_payload_as_its_body() {
    let payload = r#"{"call":{"seconds":9}}"#;
    let event = OtherEvent { name: "call-ended".into(), timestamp_ms: 1, payload: payload.into(), metadata: vec![] };
    assert_eq!(shape("webhook-standard", WebhookEvent::Other(event)).await, payload);
}

fn chatbot(direction: Direction) -> ChatbotEvent {
    ChatbotEvent {
        event_id: "e-1".into(),
        direction,
        timestamp_ms: 1_760_428_800_000,
        chat_participant_id: "p-1".into(),
        channel: Some(Channel::Sms),
        conversation_status: some("ACTIVE"),
        conversation_closed: false,
        conversation_missed: false,
        chat_bot_conversation: true,
        client_ref: some("demo"),
        sender_msisdn: some("27820000001"),
        receiver_msisdn: some("27110000000"),
        customer_user_id: some("ZA.100"),
        username: some("zo"),
        message_id: some("m-1"),
        ct_id: some("ct"),
        message_type: some("TEXT"),
        message_text: some("hi"),
        media_url: some("https://m/1"),
        template_id: some("t1"),
        template_name: some("hello"),
        quoted_message_id: some("m-0"),
        quoted_text: some("before"),
        assigned_agent: Some(Agent { id: "a1".into(), name: some("Ann") }),
        last_assigned_agent: Some(Agent { id: "a0".into(), name: None }),
        team: Some(Team { id: "t".into(), name: some("Sales") }),
        routed_to_another_team: Some(false),
        settings: ChatbotSettings {
            payload_version: "v2".into(),
            include_outgoing: true,
            stop_on_agent_assignment: false,
        },
        metadata: vec![],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn version_1_of_a_chatbot_event_is_flat_and_without_the_fields_of_version_2() {
    assert_eq!(
        shape("webhook-v1", WebhookEvent::Chatbot(chatbot(Direction::Incoming))).await,
        r#"{"eventId":"e-1","direction":"INCOMING","timestamp":1760428800000,"chatParticipantId":"p-1","conversationStatus":"ACTIVE","conversationClosed":false,"conversationMissed":false,"chatBotConversation":true,"clientRef":"demo","senderMsisdn":"27820000001","receiverMsisdn":"27110000000","messageId":"m-1","ctId":"ct","messageType":"TEXT","messageText":"hi","mediaUrl":"https://m/1","templateId":"t1","templateName":"hello","assignedAgentId":"a1","assignedAgentName":"Ann","lastAssignedAgentId":"a0"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn version_2_is_a_superset_with_the_bsuid_on_the_customers_side() {
    let of = async |shaper: &str, direction| -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(&shape(shaper, WebhookEvent::Chatbot(chatbot(direction))).await).unwrap()
    };
    let (one, two) = (of("webhook-v1", Direction::Incoming).await, of("webhook-v2", Direction::Incoming).await);
    assert!(one.iter().all(|(name, value)| two.get(name) == Some(value)));
    let mut added: Vec<&str> = two.keys().filter(|name| !one.contains_key(*name)).map(String::as_str).collect();
    added.sort_unstable();
    let wanted =
        ["quotedMessageId", "quotedText", "routedToAnotherTeam", "senderUserId", "teamId", "teamName", "username"];
    assert_eq!(added, wanted);
    let outgoing = of("webhook-v2", Direction::Outgoing).await;
    assert_eq!(outgoing.get("recipientUserId"), Some(&"ZA.100".into()));
    assert!(!outgoing.contains_key("senderUserId"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shaper_refuses_events_that_are_not_its_own() {
    let test = TestHost::with_built_ins().await;
    let chatbot = WebhookEvent::Chatbot(chatbot(Direction::Incoming));
    let standard = test.host.shape(call("webhook-standard"), &chatbot).await.unwrap_err();
    assert!(matches!(&standard, CallError::Refused { error, .. } if error.code == "chatbot-event"), "{standard:?}");
    let flat = test.host.shape(call("webhook-v1"), &WebhookEvent::Incoming(incoming())).await.unwrap_err();
    assert!(matches!(&flat, CallError::Refused { error, .. } if error.code == "not-a-chatbot-event"), "{flat:?}");
}
