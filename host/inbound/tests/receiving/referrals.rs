//! The advertisement, product or link that led a customer to a message.

use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    chat::ParticipantState,
    ids::InboxId,
    inbound::{AdvertArrival, InboundContent, InboundMessage},
    referral::Referral,
};
use serde_json::json;
use storage::inboxes::{self, Inbox, InboxSettings, MessengerInbox};

use crate::stage::{Stage, ZO};

const BOT: &str = "default-chatbot";
const PSID: &str = "24071234567";

#[tokio::test]
async fn a_click_on_an_advertisement_is_stored_with_the_message_and_passed_to_chatbots() {
    let stage = Stage::new().await;
    let message = json!({ "from": ZO, "id": "wamid.A", "timestamp": "1790000000", "type": "text", "text": { "body": "hi" },
        "referral": { "source_url": "https://fb.me/x", "source_id": "120", "source_type": "ad", "headline": "Sale",
            "body": "Half price", "media_type": "image", "image_url": "https://cdn/x.jpg", "ctwa_clid": "Aff" },
        "context": { "referred_product": { "catalog_id": "C", "product_retailer_id": "SKU-1" } } });
    stage.called_back(json!({ "messages": [message] })).await;
    stage.settle().await;
    let [stored] = stage.messages().await.try_into().unwrap();
    let referral = stored.content.referral().unwrap();
    assert_eq!((referral.source_id.as_deref(), referral.ctwa_clid.as_deref()), (Some("120"), Some("Aff")));
    assert_eq!(
        (referral.media_url.as_deref(), referral.product_id.as_deref()),
        (Some("https://cdn/x.jpg"), Some("SKU-1"))
    );
    let [told] = stage.chatbot_events().await.try_into().unwrap();
    let named = |name: &str| told.metadata.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((named("referral.ctwaClid"), named("referral.headline")), (Some("Aff"), Some("Sale")));
}

async fn page(stage: &Stage) -> InboxId {
    let id: InboxId = stage.ctx.mint();
    let settings = InboxSettings::Messenger(MessengerInbox {
        page_id: "555".to_owned(),
        access_token_sealed: Vec::new(),
        app_secret_sealed: None,
    });
    let mut db = stage.ctx.db.acquire().await.unwrap();
    inboxes::insert(&mut db, stage.client, &Inbox { id, settings }, stage.ctx.now()).await.unwrap();
    id
}

fn customer() -> Address {
    Address::of_kind(AddressKind::Psid, PSID).unwrap()
}

async fn writes(stage: &Stage, page: InboxId, id: &str) {
    let message = InboundMessage {
        provider_id: id.to_owned(),
        from: None,
        from_user_id: None,
        from_parent_user_id: None,
        from_address: Some(customer()),
        profile_name: None,
        username: None,
        sent_at: stage.ctx.now(),
        quoted_provider_id: None,
        content: InboundContent::Text { body: "hi".to_owned() },
        raw: serde_json::Value::Null,
        referral: None,
    };
    let mut tx = stage.ctx.db.begin().await.unwrap();
    chat::receive::receive(&stage.ctx, &mut tx, stage.client, page, &message).await.unwrap();
    tx.commit().await.unwrap();
}

async fn comes(stage: &Stage, page: InboxId, reference: &str) {
    let referral = Referral { reference: Some(reference.to_owned()), ..Referral::default() };
    let came = AdvertArrival { from: customer(), at: stage.ctx.now(), referral };
    let mut tx = stage.ctx.db.begin().await.unwrap();
    chat::receive::came_by(&stage.ctx, &mut tx, stage.client, page, &came).await.unwrap();
    tx.commit().await.unwrap();
}

async fn references(stage: &Stage) -> Vec<Option<String>> {
    let messages = stage.messages().await;
    messages.iter().map(|message| message.content.referral().and_then(|known| known.reference.clone())).collect()
}

#[tokio::test]
async fn a_referral_without_a_message_waits_for_the_next_one_and_for_no_other() {
    let stage = Stage::new().await;
    let page = page(&stage).await;
    comes(&stage, page, "winter").await;
    comes(&stage, page, "spring").await;
    writes(&stage, page, "m_1").await;
    writes(&stage, page, "m_2").await;
    comes(&stage, page, "autumn").await;
    stage.advance(TimeDelta::days(8));
    writes(&stage, page, "m_3").await;
    assert_eq!(references(&stage).await, [Some("spring".to_owned()), None, None]);
    assert_eq!(stage.count("SELECT count(*) FROM waiting_referral").await, 0);
}

#[tokio::test]
async fn a_chatbot_gets_a_referral_in_its_chat_at_once() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    let page = page(&stage).await;
    writes(&stage, page, "m_1").await;
    stage.settle().await;
    assert_eq!(stage.chat().await.state, ParticipantState::Bot);
    comes(&stage, page, "spring").await;
    let heard = "SELECT payload->'value'->>'name' || ' ' || (payload->'value'->>'payload') FROM participant_event WHERE kind = 'CUSTOM'";
    assert_eq!(stage.texts(heard).await, [r#"referral {"ref":"spring"}"#]);
    stage.settle().await;
    assert_eq!(stage.outcomes().await.last().unwrap(), "answered");
}
