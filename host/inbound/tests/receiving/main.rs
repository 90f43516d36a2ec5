//! From the callback of a provider to the chat, its chatbot and the webhooks, with a real database and the built-in
//! plugins.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod bot;
mod built_in_router;
mod changes;
mod concurrent_customers;
mod custom_events;
mod early_answers;
mod early_choices;
mod echoes;
mod files;
mod identity;
mod item_order;
mod lite;
mod lite_ids;
mod media_attempts;
mod merged_chats;
mod messenger;
mod reactions;
mod referrals;
mod scheduled_templates;
mod stage;
mod stale_templates;
mod started_requests;
mod strays;
mod unread_counts;
mod unreadable_items;
mod visitors;

use base::media::MediaAddressRefused;
use channels::media_store::MediaContent;
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    chat::{ContentType, ParticipantState, SentTemplate},
    content::{
        ButtonKind, ButtonParameter, CardParameters, ConversationEffect, OutboundContent, TemplateSend, TextParameter,
    },
    ids::{BatchId, CustomerId, MediaId, MessageId, PartId},
    inbound::InboundContent,
    recipient::Recipient,
};
use inbound::media::{self, MediaRefused};
use serde_json::json;
use storage::{
    Queue,
    outbound::{
        messages::NewMessage,
        outgoing_rows::{self, GroupRows},
        parts::{NewPart, PartOrigin},
        steps::{self, ProviderId, Steps},
    },
    people::inbox_customers,
};
use uuid::Uuid;

use crate::stage::{BUSINESS, Stage, ZO};

/// Stores a message that the API sent, as dispatch would.
async fn sent(stage: &Stage, provider_id: &str, content: &OutboundContent) -> MessageId {
    let message = queued(stage, content).await;
    accepted(stage, message, provider_id).await;
    message
}

/// Stores a message of the API before its call.
async fn queued(stage: &Stage, content: &OutboundContent) -> MessageId {
    let (part, message): (PartId, MessageId) = (stage.ctx.mint(), stage.ctx.mint());
    let new_part = NewPart {
        id: part,
        batch: BatchId(part.0),
        inbox: stage.number,
        origin: PartOrigin::Notification,
        content: content.clone(),
        fallback: None,
        quoted_provider_id: None,
        send: None,
    };
    let new_message = NewMessage {
        id: message,
        part,
        origin: PartOrigin::Notification,
        inbox: stage.number,
        channel: Channel::Whatsapp,
        recipient: Recipient::parse(Some(ZO), None).unwrap(),
        ct_id: Some("order-42".to_owned()),
        gst_id: "gst-42".to_owned(),
        order_key: 1,
        chat: None,
        conversation: None,
    };
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let outgoing = GroupRows { parts: vec![&new_part], messages: vec![&new_message], ..GroupRows::default() };
    outgoing_rows::insert(&mut db, stage.client, &outgoing, 1, stage.ctx.now()).await.unwrap();
    message
}

/// Stores the id that the provider gave a message.
async fn accepted(stage: &Stage, message: MessageId, provider_id: &str) {
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let known = ProviderId { id: provider_id.to_owned(), message, chat_message: None };
    let steps = Steps { provider_ids: vec![known], ..Steps::default() };
    steps::write(&mut db, stage.client, &steps, stage.ctx.now()).await.unwrap();
}

fn quick_reply(value: &str, token: &str) -> ButtonParameter {
    ButtonParameter {
        index: 0,
        kind: ButtonKind::QuickReply,
        value: value.to_owned(),
        conversation_state: Some(ConversationEffect::Start),
        token: Some(token.to_owned()),
    }
}

fn template(buttons: Vec<ButtonParameter>, cards: Vec<CardParameters>) -> OutboundContent {
    OutboundContent::Template(TemplateSend {
        id: "77".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        header: None,
        header_text: Vec::new(),
        body: vec![TextParameter { name: None, text: "Zo".to_owned() }],
        buttons,
        cards,
        rendered_text: "Zo, your order is ready".to_owned(),
        replies: Vec::new(),
    })
}

#[tokio::test]
async fn a_first_message_without_a_chatbot_waits_in_the_queue_and_is_reported_on_both_webhooks() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;

    let chat = stage.chat().await;
    assert_eq!((chat.state, chat.unread, chat.next_sequence), (ParticipantState::Queued, 1, 2));
    assert!(chat.queued_reason.is_some());
    assert_eq!(stage.transcript().await, ["< hi"]);
    assert_eq!(stage.count("SELECT count(*) FROM participant_event").await, 0);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);

    let [incoming] = stage.incoming_events().await.try_into().unwrap();
    assert_eq!((incoming.sender.as_deref(), incoming.receiver.as_str()), (Some(ZO), BUSINESS));
    assert_eq!((incoming.profile_name.as_deref(), incoming.username.as_deref()), (Some("Zo"), Some("zo")));
    assert_eq!(incoming.sender_user_id.as_deref(), Some("ZA.100"));
    assert_eq!((incoming.text.as_deref(), incoming.message_content_type.as_str()), (Some("hi"), "TEXT"));
    assert_eq!((incoming.message_type.as_deref(), incoming.status.as_deref()), (Some("INTERACTION"), Some("RECEIVED")));
    assert_eq!(incoming.sent_time.as_deref(), Some("2026-09-21T14:13:20.000Z"));
    let [message] = stage.messages().await.try_into().unwrap();
    assert_eq!(incoming.gst_id, Some(message.id.to_string()));
    assert_eq!(
        (incoming.conversation_participant_id, incoming.template_id),
        (None, None),
        "not the live-chat participant"
    );

    let [chatbot] = stage.chatbot_events().await.try_into().unwrap();
    assert_eq!(chatbot.chat_participant_id, chat.id.to_string());
    assert_eq!((chatbot.sender_msisdn.as_deref(), chatbot.receiver_msisdn.as_deref()), (Some(ZO), Some(BUSINESS)));
    assert_eq!((chatbot.message_type.as_deref(), chatbot.message_text.as_deref()), (Some("TEXT"), Some("hi")));
    assert_eq!((chatbot.conversation_status.as_deref(), chatbot.chat_bot_conversation), (Some("ACTIVE"), false));
    assert_eq!((chatbot.client_ref.as_deref(), chatbot.settings.payload_version.as_str()), (Some("demo"), "v2"));
    assert_eq!(chatbot.timestamp_ms, 1_790_000_000_000);
}

#[tokio::test]
async fn one_event_is_recorded_for_both_webhooks_and_none_without_a_reader() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let recorded = stage.texts("SELECT event::json->'value'->>'recorded' FROM webhook_delivery").await;
    let [incoming, chatbot] = recorded.as_slice() else { panic!("{recorded:?}") };
    assert!(incoming.starts_with(r#"{"v":1,"#) && incoming.contains(r#""event":{"messageCame":"#), "{incoming}");
    assert_eq!(incoming, chatbot, "the same event in both");
    // The opening of the chat was recorded too, but no webhook reads it.
    assert_eq!(stage.count("SELECT count(*) FROM webhook_delivery").await, 2);
}

#[tokio::test]
async fn a_callback_that_is_repeated_changes_nothing() {
    let stage = Stage::new().await;
    for _ in 0..3 {
        stage.zo_writes("wamid.A", "hi").await;
        stage.settle().await;
    }
    // Fingerprints expire after some days, but the id of the message stays.
    sqlx::query("DELETE FROM callback_seen").execute(&stage.ctx.db).await.unwrap();
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi"]);
    assert_eq!(stage.incoming_events().await.len(), 1);
}

#[tokio::test]
async fn messages_are_numbered_in_the_order_in_which_they_came_and_the_window_is_that_of_the_newest() {
    let stage = Stage::new().await;
    let now = stage.ctx.now();
    stage.zo_writes("wamid.A", "one").await;
    stage.zo_sends_at("wamid.B", "text", json!({ "body": "two" }), None, now - TimeDelta::hours(3)).await;
    stage.zo_sends_at("wamid.C", "text", json!({ "body": "three" }), None, now + TimeDelta::hours(3)).await;
    stage.settle().await;
    let numbers: Vec<i64> = stage.messages().await.iter().map(|message| message.sequence).collect();
    assert_eq!(
        (stage.transcript().await, numbers),
        (vec!["< one".into(), "< two".into(), "< three".into()], vec![1, 2, 3])
    );
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let zo = Address::of_kind(AddressKind::Phone, ZO).unwrap();
    let facts = inbox_customers::facts(&mut db, stage.client, stage.number, &[&zo]).await.unwrap();
    assert_eq!(facts[&zo].last_inbound_at, Some(now), "a clock that is ahead does not lengthen the window");
}

#[tokio::test]
async fn a_tap_gives_the_clients_payload_back_and_names_the_template() {
    let stage = Stage::new().await;
    sent(&stage, "wamid.T", &template(vec![quick_reply("TRACK", "pb1:token")], Vec::new())).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let customer = CustomerId(stage.ids("SELECT id FROM customer").await[0]);
    let last = [(customer, Some(SentTemplate { id: "77".to_owned(), name: "order_ready".to_owned() }))];
    inbox_customers::record_outbound(&mut db, stage.client, stage.number, &last, stage.ctx.now()).await.unwrap();
    drop(db);
    stage.zo_sends("wamid.B", "button", json!({ "text": "Track", "payload": "pb1:token" }), Some("wamid.T")).await;
    stage.settle().await;

    let incoming = stage.incoming_events().await.pop().unwrap();
    assert_eq!(incoming.message_content_type, "BUTTON");
    assert_eq!((incoming.button_text.as_deref(), incoming.button_payload.as_deref()), (Some("Track"), Some("TRACK")));
    assert_eq!((incoming.template_id.as_deref(), incoming.template_name.as_deref()), (Some("77"), Some("order_ready")));
    assert_eq!((incoming.ct_id.as_deref(), incoming.tqrmt_id.as_deref()), (Some("order-42"), Some("gst-42")));
    assert_eq!(incoming.body_parameters, Some(vec![("1".to_owned(), "Zo".to_owned())]));
    assert_eq!(
        stage.last_said().await,
        InboundContent::Button { text: "Track".to_owned(), payload: "TRACK".to_owned() }
    );
    let chatbot = stage.chatbot_events().await.pop().unwrap();
    assert_eq!((chatbot.template_id.as_deref(), chatbot.message_type.as_deref()), (Some("77"), Some("BUTTON")));
    assert_eq!(chatbot.quoted_text.as_deref(), Some("Zo, your order is ready"));
}

#[tokio::test]
async fn a_tap_on_a_card_is_a_carousel_message() {
    let stage = Stage::new().await;
    let card = CardParameters { buttons: vec![quick_reply("BUY_1", "pb1:card")], ..CardParameters::default() };
    sent(&stage, "wamid.T", &template(Vec::new(), vec![card])).await;
    stage.zo_sends("wamid.B", "button", json!({ "text": "Buy", "payload": "pb1:card" }), Some("wamid.T")).await;
    stage.settle().await;
    let incoming = stage.incoming_events().await.pop().unwrap();
    assert_eq!(
        (incoming.message_content_type.as_str(), incoming.button_payload.as_deref()),
        ("CAROUSEL", Some("BUY_1"))
    );
    assert_eq!(stage.messages().await[0].content_type, ContentType::Carousel);
}

#[tokio::test]
async fn a_reaction_names_the_message_that_it_is_about() {
    let stage = Stage::new().await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    stage.zo_sends("wamid.B", "reaction", json!({ "message_id": "wamid.T", "emoji": "👍" }), None).await;
    stage.zo_sends("wamid.C", "reaction", json!({ "message_id": "wamid.T" }), None).await;
    stage.settle().await;
    let events = stage.incoming_events().await;
    let read: Vec<_> = events.iter().map(|event| (event.gst_id.as_deref(), event.text.as_deref())).collect();
    assert_eq!(read, [(Some("gst-42"), Some("👍")), (Some("gst-42"), Some(""))]);
    assert!(events.iter().all(|event| event.message_content_type == "REACTION"));
}

#[tokio::test]
async fn a_file_has_an_address_of_ours_before_it_has_been_fetched() {
    let stage = Stage::new().await;
    let image = json!({ "id": "M1", "mime_type": "image/jpeg", "sha256": "x", "caption": "look" });
    stage.zo_sends("wamid.A", "image", image, None).await;
    stage.settle().await;
    let incoming = stage.incoming_events().await.pop().unwrap();
    assert_eq!((incoming.message_content_type.as_str(), incoming.text.as_deref()), ("MEDIA", None));
    assert_eq!((incoming.caption.as_deref(), incoming.file_extension.as_deref()), (Some("look"), Some("jpg")));
    assert_eq!(stage.due(Queue::Media).await, [stage.number.0]);

    let url = incoming.media_url.unwrap();
    let id = MediaId(stage.ids("SELECT id FROM media").await[0]);
    let (path, query) = url.split_once('?').unwrap();
    assert_eq!(path, format!("http://127.0.0.1:8080/media/{}/{id}", stage.client));
    let (expires, signature) = query.strip_prefix("expires=").unwrap().split_once("&signature=").unwrap();
    let expires: i64 = expires.parse().unwrap();
    let open = async |expires, signature: &str| {
        media::find(&stage.ctx, stage.client, id, expires, signature).await.err().unwrap()
    };
    assert!(matches!(open(expires, signature).await, MediaRefused::NotYet), "the provider cannot be reached");
    assert!(matches!(open(expires + 1, signature).await, MediaRefused::Address(MediaAddressRefused::BadSignature)));
    stage.advance(TimeDelta::days(8));
    assert!(matches!(open(expires, signature).await, MediaRefused::Address(MediaAddressRefused::Expired)));
}

#[tokio::test]
async fn an_old_file_is_deleted_with_its_bytes() {
    let stage = Stage::new().await;
    stage.zo_sends("wamid.A", "image", json!({ "id": "M1", "mime_type": "image/jpeg" }), None).await;
    stage.settle().await;
    let id = MediaId(stage.ids("SELECT id FROM media").await[0]);
    stage.ctx.media.put(stage.client, id, MediaContent::Bytes("jpeg".into())).await.unwrap();
    let came = stage.ctx.now();
    stage.advance(TimeDelta::days(31));
    assert_eq!(media::forget(&stage.ctx, came).await.unwrap(), 0);
    assert_eq!(media::forget(&stage.ctx, came + TimeDelta::seconds(1)).await.unwrap(), 1);
    assert!(stage.ctx.media.open(stage.client, id).await.unwrap().is_none());
    assert_eq!(stage.count("SELECT count(*) FROM media").await, 0);
}

#[tokio::test]
async fn a_customer_with_a_new_number_stays_the_same_and_the_client_gets_a_webhook() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let before = stage.chat().await;
    let system = json!({ "type": "user_changed_number", "wa_id": "27820000009", "user_id": "ZA.200",
        "previous_user_id": "ZA.100", "body": "changed" });
    let message = json!({ "from": ZO, "id": "wamid.S", "timestamp": "1790000000", "type": "system", "system": system });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle().await;
    let message = json!({ "from": "27820000009", "from_user_id": "ZA.200", "id": "wamid.B", "timestamp": "1790000000",
        "type": "text", "text": { "body": "it is me" } });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle().await;
    assert_eq!(stage.chat().await.id, before.id);
    assert_eq!(stage.transcript().await, ["< hi", "< it is me"]);
    let [event] = stage.partner_events().await.try_into().unwrap();
    assert_eq!(event.event_type, "USER_CHANGED_NUMBER");
    assert_eq!((event.old_number.as_deref(), event.new_number.as_deref()), (Some(ZO), Some("27820000009")));
}

#[tokio::test]
async fn a_rejected_template_is_reported_with_the_reason() {
    let stage = Stage::new().await;
    let value = json!({ "event": "REJECTED", "message_template_id": 77, "message_template_name": "hello",
        "message_template_language": "en", "reason": "INVALID_FORMAT" });
    stage.told_of_the_account("message_template_status_update", value).await;
    stage.settle().await;
    let [event] = stage.partner_events().await.try_into().unwrap();
    assert_eq!((event.event_type.as_str(), event.template_name.as_deref()), ("TEMPLATE_STATUS_CHANGED", Some("hello")));
    assert_eq!(
        (event.template_status.as_deref(), event.rejected_reason.as_deref()),
        (Some("REJECTED"), Some("INVALID_FORMAT"))
    );
    assert_eq!(event.whatsapp_number.as_deref(), Some(BUSINESS));
}

fn status(id: &str, reached: &str) -> serde_json::Value {
    json!({ "statuses": [{ "id": id, "status": reached, "timestamp": "1790000001", "recipient_id": ZO }] })
}

const LEGS_SENT: &str = "SELECT count(*) FROM outbound_leg WHERE state = 'SENT'";

#[tokio::test]
async fn a_status_has_moved_its_message_when_the_provider_is_answered() {
    let stage = Stage::new().await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    for _ in 0..2 {
        stage.called_back(status("wamid.T", "sent")).await;
        assert_eq!(stage.count(LEGS_SENT).await, 1);
        assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0, "it needs no row of its own");
        // The first status implies that the provider accepted the message, and a repeat adds nothing.
        assert_eq!(stage.count("SELECT count(*) FROM delivery_receipt").await, 2);
    }
}

#[tokio::test]
async fn a_status_of_a_locked_message_waits_in_the_queue_and_delays_no_other() {
    let stage = Stage::new().await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    let mut writer = stage.ctx.db.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM outbound_leg FOR UPDATE").execute(&mut *writer).await.unwrap();
    stage.called_back(status("wamid.T", "sent")).await;
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 1);
    writer.rollback().await.unwrap();
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count(LEGS_SENT).await, 1);
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
}

#[tokio::test]
async fn callbacks_that_arrive_together_are_all_taken_once() {
    let stage = Stage::new().await;
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    let statuses = ["sent", "delivered", "read", "sent", "delivered"].map(|reached| status("wamid.T", reached));
    futures::future::join_all(statuses.into_iter().map(|status| stage.called_back(status))).await;
    stage.settle_callbacks_only().await;
    assert_eq!(stage.count("SELECT count(*) FROM outbound_leg WHERE state = 'READ'").await, 1);
    assert_eq!(stage.count("SELECT count(*) FROM delivery_receipt").await, 4, "accepted, sent, delivered, read");
}

#[tokio::test]
async fn an_early_status_waits_for_its_message_and_one_of_an_unknown_message_is_dropped() {
    let stage = Stage::new().await;
    let status = |id: &str| json!({ "id": id, "status": "sent", "timestamp": "1790000001", "recipient_id": ZO });
    stage.called_back(json!({ "statuses": [status("wamid.T"), status("wamid.X")] })).await;
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 2);
    assert!(stage.due(Queue::Callback).await.is_empty(), "it is looked at again a little later");
    sent(&stage, "wamid.T", &OutboundContent::Text { body: "Hello".to_owned() }).await;
    stage.advance(TimeDelta::seconds(6));
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 1);
    assert_eq!(stage.count("SELECT count(*) FROM outbound_leg WHERE state = 'SENT'").await, 1);
    stage.advance(TimeDelta::minutes(11));
    stage.settle().await;
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
}

#[tokio::test]
async fn an_item_that_cannot_be_read_is_kept_for_the_operator_and_holds_nothing_up() {
    let stage = Stage::new().await;
    let poison = "INSERT INTO callback (client_id, id, lane_id, item, received_at, due_at)
                  VALUES ($1, $2, $3, '{\"v\": 99, \"value\": {}}', $4, $4)";
    let id: Uuid = stage.ctx.mint();
    let poison = sqlx::query(poison).bind(stage.client.0).bind(id).bind(stage.number.0).bind(stage.ctx.now());
    poison.execute(&stage.ctx.db).await.unwrap();
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hi"]);
    assert_eq!(stage.count("SELECT count(*) FROM callback WHERE failure IS NOT NULL").await, 1);
}

#[tokio::test]
async fn a_callback_for_an_unknown_number_stores_nothing() {
    let stage = Stage::new().await;
    sqlx::query("DELETE FROM phone_number_directory").execute(&stage.ctx.db).await.unwrap();
    stage.zo_writes("wamid.A", "hi").await;
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0);
    assert_eq!(stage.ids("SELECT id FROM customer").await, Vec::<Uuid>::new());
}
