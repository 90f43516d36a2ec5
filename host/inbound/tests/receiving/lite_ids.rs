//! Message ids of Lite numbers, which belong to one number each, and messages whose answer was lost.

use channels::whatsapp_lite::DeviceEvent;
use domain::{
    address::{Address, AddressKind},
    content::OutboundContent,
    inbound::{CallbackBody, Echo, InboundMessage, ProviderStatus, StatusUpdate},
    lite::{bare_id, is_scoped},
};

use crate::lite::{Stage, ZO};

async fn texts(stage: &Stage, statement: &'static str) -> Vec<String> {
    sqlx::query_scalar(statement).fetch_all(&stage.ctx.db).await.unwrap()
}

fn came(stage: &Stage, id: &str, text: &str) -> DeviceEvent {
    DeviceEvent::Came(Box::new(stage.message(id, text)))
}

fn delivered(stage: &Stage, id: &str) -> DeviceEvent {
    DeviceEvent::Moved(delivery(stage, id))
}

fn delivery(stage: &Stage, id: &str) -> StatusUpdate {
    StatusUpdate {
        provider_id: id.to_owned(),
        opaque: None,
        status: ProviderStatus::Delivered,
        at: stage.ctx.now(),
        recipient: None,
        recipient_user_id: None,
        error: None,
    }
}

/// Sends a message, and returns its id as it is stored.
async fn sends(stage: &Stage, text: &str) -> String {
    stage.is_up_in(stage.ctx.node).await;
    stage.says(text).await;
    stage.sends().await;
    texts(stage, "SELECT provider_id FROM outbound_leg").await.pop().unwrap()
}

const STATES: &str = "SELECT state FROM outbound_leg";
const SAID: &str = "SELECT body FROM chat_message ORDER BY id";

#[tokio::test]
async fn one_id_at_two_numbers_of_a_client_is_two_messages() {
    let one = Stage::new().await;
    let other = one.with_another_number().await;
    for number in [&one, &other, &one] {
        number.device_reports(vec![came(number, "SAME", "hello")]).await;
    }
    assert_eq!(texts(&one, SAID).await, ["hello", "hello"], "a repetition is no third one");
}

#[tokio::test]
async fn a_message_between_two_numbers_of_a_client_is_received_and_its_reports_arrive() {
    let one = Stage::new().await;
    let other = one.with_another_number().await;
    let stored = sends(&one, "hello").await;
    assert!(is_scoped(&stored), "{stored}");
    let id = bare_id(&stored);
    other.device_reports(vec![came(&other, id, "hello")]).await;
    one.device_reports(vec![delivered(&one, id)]).await;
    assert_eq!(texts(&one, SAID).await, ["hello"]);
    assert_eq!(texts(&one, STATES).await, ["DELIVERED"]);
}

#[tokio::test]
async fn an_id_that_a_customer_copies_at_another_number_does_not_stop_our_reports() {
    let one = Stage::new().await;
    let other = one.with_another_number().await;
    let id = bare_id(&sends(&one, "hello").await).to_owned();
    other.device_reports(vec![came(&other, &id, "a copy"), delivered(&other, &id)]).await;
    assert_eq!(texts(&one, STATES).await, ["ACCEPTED"], "a report of another number is not about it");
    one.device_reports(vec![delivered(&one, &id)]).await;
    assert_eq!(texts(&one, STATES).await, ["DELIVERED"]);
}

#[tokio::test]
async fn reports_and_quotes_find_the_messages_that_an_earlier_release_stored() {
    let stage = Stage::new().await;
    sends(&stage, "hello").await;
    // The release before stored 22 letters of WhatsApp, without the inbox.
    for statement in [
        "UPDATE provider_message SET provider_id = right(provider_id, 22)",
        "UPDATE outbound_leg SET provider_id = right(provider_id, 22)",
    ] {
        sqlx::query(statement).execute(&stage.ctx.db).await.unwrap();
    }
    let id = texts(&stage, "SELECT provider_id FROM outbound_leg").await.pop().unwrap();
    assert!(!is_scoped(&id), "{id}");
    let answer = InboundMessage { quoted_provider_id: Some(id.clone()), ..stage.message("A", "thank you") };
    stage.device_reports(vec![delivered(&stage, &id), DeviceEvent::Came(Box::new(answer))]).await;
    assert_eq!(texts(&stage, STATES).await, ["DELIVERED"]);
    assert_eq!(texts(&stage, "SELECT quoted_provider_id FROM chat_message").await, [id]);
}

#[tokio::test]
async fn a_report_that_an_earlier_release_took_finds_a_message_of_this_one() {
    let stage = Stage::new().await;
    let stored = sends(&stage, "hello").await;
    stage.callback_of_an_earlier_release(CallbackBody::Status(delivery(&stage, bare_id(&stored)))).await;
    assert_eq!(texts(&stage, STATES).await, ["DELIVERED"]);
    assert!(texts(&stage, "SELECT id::text FROM callback").await.is_empty());
}

#[tokio::test]
async fn a_message_in_doubt_is_not_taken_for_one_of_the_phone_also_if_its_recipient_has_a_hidden_id() {
    let stage = Stage::new().await;
    let hidden = Address::of_kind(AddressKind::Lid, "100000012345678@lid");
    let both = InboundMessage { from_address: hidden.clone(), ..stage.message("A", "hi") };
    stage.device_reports(vec![DeviceEvent::Came(Box::new(both))]).await;
    stage.is_up_in(stage.ctx.node).await;
    stage.loses_an_answer();
    stage.says("hello").await;
    stage.sends().await;
    assert_eq!(texts(&stage, "SELECT phase FROM outbound_work").await, ["UNKNOWN"]);
    for (id, to) in [("B", hidden), ("C", Address::of_kind(AddressKind::Phone, ZO))] {
        let echo = Echo {
            provider_id: id.to_owned(),
            to: to.unwrap(),
            sent_at: stage.ctx.now(),
            quoted_provider_id: None,
            content: OutboundContent::Text { body: "hello".to_owned() },
            also_to: None,
            file: None,
        };
        stage.device_reports(vec![DeviceEvent::Echoed(Box::new(echo))]).await;
    }
    assert_eq!(texts(&stage, SAID).await, ["hi"]);
    assert_eq!(texts(&stage, "SELECT id::text FROM callback").await.len(), 2, "the reports wait");
}
