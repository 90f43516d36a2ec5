//! Messages that their authors edit or delete (PROVIDERS A.8).

use chrono::TimeDelta;
use domain::ids::ChatMessageId;
use serde_json::{Value, json};
use storage::chat::{history, versions};

use crate::stage::{BUSINESS, Stage, ZO};

const BOT: &str = "default-chatbot";
const CHANGES_WAITING: &str = "SELECT count(*) FROM callback";
const VERSIONS: &str = "SELECT count(*) FROM message_version";

fn edit_of(id: &str, text: &str) -> Value {
    json!({ "original_message_id": id, "message": { "type": "text", "text": { "body": text } } })
}

async fn zo_edits(stage: &Stage, id: &str, original: &str, text: &str) {
    stage.zo_sends(id, "edit", edit_of(original, text), None).await;
}

async fn zo_deletes(stage: &Stage, id: &str, original: &str) {
    stage.zo_sends(id, "revoke", json!({ "original_message_id": original }), None).await;
}

async fn shown(stage: &Stage, id: ChatMessageId) -> history::PastMessage {
    let mut db = stage.ctx.db.acquire().await.unwrap();
    history::one(&mut db, stage.client, id).await.unwrap().unwrap()
}

/// The earlier versions of the message, oldest first.
async fn before(stage: &Stage, id: ChatMessageId) -> Vec<Option<String>> {
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let versions = versions::of_message(&mut db, stage.client, id).await.unwrap();
    versions.into_iter().map(|version| version.wording.body).collect()
}

#[tokio::test]
async fn an_edited_message_has_the_new_text_and_the_old_one_is_kept() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "helo").await;
    stage.settle().await;
    stage.advance(TimeDelta::seconds(3));
    zo_edits(&stage, "wamid.E", "wamid.A", "hello").await;
    stage.settle().await;

    assert_eq!(stage.transcript().await, ["< hello"]);
    let [message] = stage.messages().await.try_into().unwrap();
    let now = shown(&stage, message.id).await;
    assert_eq!((now.edited_at, now.deleted_at), (Some(stage.ctx.now()), None));
    assert_eq!(before(&stage, message.id).await, [Some("helo".to_owned())]);
    assert_eq!(stage.chat().await.unread, 1, "it is no new message");
    assert_eq!(stage.incoming_events().await.len(), 1, "the payload of SPEC 6.1 tells of messages only");
    let [_, told] = stage.chatbot_events().await.try_into().unwrap();
    assert_eq!((told.message_type.as_deref(), told.message_text.as_deref()), (Some("EDITED"), Some("hello")));
    assert_eq!(told.message_id, Some(message.id.to_string()));
    assert_eq!(told.sender_msisdn.as_deref(), Some(ZO));
}

#[tokio::test]
async fn a_deleted_message_has_no_text_and_the_old_one_is_kept() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "my password").await;
    stage.settle().await;
    zo_deletes(&stage, "wamid.R", "wamid.A").await;
    stage.settle().await;

    let [message] = stage.messages().await.try_into().unwrap();
    let now = shown(&stage, message.id).await;
    assert_eq!((now.body, now.deleted_at), (None, Some(stage.ctx.now())));
    assert_eq!(before(&stage, message.id).await, [Some("my password".to_owned())]);
    assert_eq!(stage.count("SELECT count(*) FROM chat_message WHERE content::text LIKE '%password%'").await, 0);
    let [_, told] = stage.chatbot_events().await.try_into().unwrap();
    assert_eq!((told.message_type.as_deref(), told.message_text), (Some("DELETED"), None));
}

#[tokio::test]
async fn the_caption_of_a_file_is_edited_and_the_file_stays() {
    let stage = Stage::new().await;
    let image = json!({ "id": "MEDIA", "mime_type": "image/jpeg", "caption": "a cat" });
    stage.zo_sends("wamid.A", "image", image, None).await;
    stage.settle_callbacks_only().await;
    let edited = json!({ "original_message_id": "wamid.A",
        "message": { "type": "image", "image": { "id": "MEDIA", "mime_type": "image/jpeg", "caption": "a dog" } } });
    stage.zo_sends("wamid.E", "edit", edited, None).await;
    stage.settle_callbacks_only().await;
    let [message] = stage.messages().await.try_into().unwrap();
    assert_eq!((message.body.as_deref(), message.content_type.as_str()), (Some("a dog"), "IMAGE"));
    assert!(message.media.is_some());
    zo_deletes(&stage, "wamid.R", "wamid.A").await;
    stage.settle_callbacks_only().await;
    let [message] = stage.messages().await.try_into().unwrap();
    assert_eq!((message.body, message.media), (None, None));
    assert_eq!(before(&stage, message.id).await, [Some("a cat".to_owned()), Some("a dog".to_owned())]);
}

#[tokio::test]
async fn an_edit_before_its_message_in_a_callback_is_processed_after_it() {
    let stage = Stage::new().await;
    let of_zo = |id: &str, kind: &str, part: Value| {
        let mut message = json!({ "from": ZO, "id": id, "timestamp": "1790000000", "type": kind });
        message[kind] = part;
        message
    };
    let messages =
        [of_zo("wamid.E", "edit", edit_of("wamid.A", "hello")), of_zo("wamid.A", "text", json!({ "body": "helo" }))];
    stage.called_back(json!({ "messages": messages })).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hello"]);
    assert_eq!(stage.count(CHANGES_WAITING).await, 0);
}

#[tokio::test]
async fn an_edit_waits_for_its_message_and_is_dropped_when_that_never_comes() {
    let stage = Stage::new().await;
    zo_edits(&stage, "wamid.E", "wamid.A", "hello").await;
    zo_edits(&stage, "wamid.F", "wamid.GONE", "never").await;
    stage.settle().await;
    assert_eq!(stage.count(CHANGES_WAITING).await, 2);
    stage.zo_writes("wamid.A", "helo").await;
    stage.settle().await;
    stage.advance(TimeDelta::seconds(6));
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< hello"]);
    assert_eq!(stage.count(CHANGES_WAITING).await, 1);
    stage.advance(TimeDelta::minutes(11));
    stage.settle().await;
    assert_eq!(stage.count(CHANGES_WAITING).await, 0);
}

#[tokio::test]
async fn a_customer_cannot_change_a_message_of_another() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "mine").await;
    stage.settle().await;
    let stranger = |kind: &str, part: Value| {
        let mut message =
            json!({ "from": "27820000002", "id": format!("wamid.{kind}"), "timestamp": "1790000000", "type": kind });
        message[kind] = part;
        message
    };
    let messages = [
        json!({ "from": "27820000002", "id": "wamid.S", "timestamp": "1790000000", "type": "text", "text": { "body": "hi" } }),
        stranger("edit", edit_of("wamid.A", "yours")),
        stranger("revoke", json!({ "original_message_id": "wamid.A" })),
    ];
    stage.called_back(json!({ "messages": messages })).await;
    let echoes = json!([{ "from": BUSINESS, "to": ZO, "id": "wamid.B", "timestamp": "1790000000", "type": "revoke",
        "revoke": { "original_message_id": "wamid.A" } }]);
    let value =
        json!({ "metadata": { "display_phone_number": BUSINESS, "phone_number_id": "PN" }, "message_echoes": echoes });
    stage.told_of_the_account("smb_message_echoes", value).await;
    stage.settle().await;
    assert_eq!(stage.texts("SELECT body FROM chat_message ORDER BY id").await, ["mine", "hi"]);
    assert_eq!(stage.count(VERSIONS).await, 0);
    assert_eq!(stage.count(CHANGES_WAITING).await, 0, "asking again is of no use");
}

#[tokio::test]
async fn repetitions_change_nothing_and_of_several_edits_the_latest_counts() {
    let stage = Stage::new().await;
    stage.zo_writes("wamid.A", "one").await;
    stage.settle().await;
    let at = stage.ctx.now();
    stage.advance(TimeDelta::minutes(1));
    let edit = |id: &'static str, text: &'static str, seconds: i64| {
        stage.zo_sends_at(id, "edit", edit_of("wamid.A", text), None, at + TimeDelta::seconds(seconds))
    };
    edit("wamid.E3", "three", 30).await;
    edit("wamid.E2", "two", 20).await;
    edit("wamid.E3", "three", 30).await;
    stage.settle().await;
    assert_eq!(stage.transcript().await, ["< three"]);
    let [message] = stage.messages().await.try_into().unwrap();
    assert_eq!(before(&stage, message.id).await, [Some("one".to_owned()), Some("two".to_owned())]);
    zo_deletes(&stage, "wamid.R", "wamid.A").await;
    zo_deletes(&stage, "wamid.R2", "wamid.A").await;
    edit("wamid.E4", "four", 40).await;
    stage.settle().await;
    let now = shown(&stage, message.id).await;
    assert_eq!(now.body, None, "a deleted message stays deleted");
    assert!(now.deleted_at.is_some());
    let types: Vec<_> = stage.chatbot_events().await.into_iter().filter_map(|event| event.message_type).collect();
    assert_eq!(types, ["TEXT", "EDITED", "DELETED"], "told once each, and nothing that is outdated");
}

#[tokio::test]
async fn a_chatbot_gets_changes_as_custom_events_and_may_ignore_them() {
    let stage = Stage::with_chatbot(BOT, json!({})).await;
    stage.zo_writes("wamid.A", "hi").await;
    stage.settle().await;
    let (said, calls) = (stage.transcript().await.len(), stage.outcomes().await.len());
    zo_edits(&stage, "wamid.E", "wamid.A", "hello").await;
    stage.settle_callbacks_only().await;
    let payload = "SELECT payload->'value'->>'name' || ' ' || ((payload->'value'->>'payload')::json->>'text')
                   FROM participant_event WHERE kind = 'CUSTOM'";
    assert_eq!(stage.texts(payload).await, ["message-edited hello"]);
    stage.settle().await;
    zo_deletes(&stage, "wamid.R", "wamid.A").await;
    stage.settle().await;
    assert_eq!(stage.transcript().await.len(), said, "the default chatbot says nothing to them");
    assert_eq!(stage.outcomes().await[calls..], ["answered", "answered"]);
}
