//! The callback queue and files of customers, in a real database.

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    ids::{CallbackId, ChatMessageId, ClientId, MediaId},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundContent, InboundMessage, UnreadableItem},
    inbox::InboxKind,
    page::PageRequest,
};
use serde_json::json;
use storage::{
    PgConnection, Queue,
    chat::originals,
    inbound::{
        callbacks::{self, NewCallback},
        failed_callbacks::{self, NewFailedCallback},
        media::{self, MediaState, NewMedia, ReadyMedia},
    },
    inboxes::directories,
    work::lanes,
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, database, moment};

fn item(id: u128) -> CallbackItem {
    CallbackItem {
        dedupe_key: format!("key {id}"),
        target: CallbackTarget::PhoneNumberId("pn-10".to_owned()),
        body: CallbackBody::Account { field: "quality".to_owned(), value: json!({ "n": 7 }) },
    }
}

fn callback(id: u128, fact: u8) -> NewCallback {
    NewCallback { id: CallbackId(Uuid::from_u128(id)), lane: INBOX.0, dedupe_hash: [fact; 32], item: item(id) }
}

async fn waiting(db: &mut PgConnection, now: DateTime<Utc>) -> Vec<u128> {
    lanes::due(db, Queue::Callback, now, 10).await.unwrap();
    let due = callbacks::due(db, CLIENT, INBOX.0, now, 100).await.unwrap();
    due.iter().map(|callback| callback.id.0.as_u128()).collect()
}

#[tokio::test]
async fn a_repeated_fact_is_stored_once() {
    let mut db = database().await;
    let batch = [callback(3, 1), callback(1, 2), callback(4, 1)];
    let lanes = callbacks::insert_new(&mut db, CLIENT, &batch, moment(0)).await.unwrap();
    assert_eq!(lanes, [INBOX.0, INBOX.0]);
    assert_eq!(waiting(&mut db, moment(0)).await, [1, 3]);
    let first = callbacks::due(&mut db, CLIENT, INBOX.0, moment(0), 1).await.unwrap().remove(0);
    assert_eq!(first.item.unwrap(), item(1));
    let again = callbacks::insert_new(&mut db, CLIENT, &[callback(5, 1)], moment(1)).await.unwrap();
    assert!(again.is_empty());
    let elsewhere = callbacks::insert_new(&mut db, STRANGER, &[callback(6, 1)], moment(1)).await.unwrap();
    assert_eq!(elsewhere.len(), 1, "another client's facts are its own");
}

#[tokio::test]
async fn a_failing_item_waits_with_a_count_and_is_kept_when_it_is_given_up() {
    let mut db = database().await;
    callbacks::insert_new(&mut db, CLIENT, &[callback(1, 1), callback(2, 2), callback(3, 3)], moment(0)).await.unwrap();
    let id = |id: u128| CallbackId(Uuid::from_u128(id));
    callbacks::postpone(&mut db, CLIENT, &[id(1)], moment(5)).await.unwrap();
    callbacks::retry(&mut db, CLIENT, id(2), moment(6)).await.unwrap();
    assert_eq!(waiting(&mut db, moment(4)).await, [3]);
    assert_eq!(waiting(&mut db, moment(6)).await, [1, 2, 3]);
    let due = callbacks::due(&mut db, CLIENT, INBOX.0, moment(6), 100).await.unwrap();
    assert_eq!(due.iter().map(|callback| callback.attempts).collect::<Vec<_>>(), [0, 1, 0]);
    callbacks::give_up(&mut db, CLIENT, id(2), "unreadable").await.unwrap();
    callbacks::remove(&mut db, CLIENT, &[id(1), id(3)]).await.unwrap();
    assert!(waiting(&mut db, moment(100)).await.is_empty());
    let kept: String = sqlx::query_scalar("SELECT failure FROM callback").fetch_one(&mut db).await.unwrap();
    assert_eq!(kept, "unreadable");
}

fn unread(content: &str) -> UnreadableItem {
    UnreadableItem {
        provider: InboxKind::WhatsappCloud,
        kind: "message".to_owned(),
        reason: "`id` is missing".to_owned(),
        content: content.to_owned(),
        bytes: 70_000,
    }
}

/// Keeps an item for each of these numbers, which set its age and kind.
async fn keep(db: &mut PgConnection, client: ClientId, numbers: impl Iterator<Item = u32>) -> u64 {
    let items: Vec<(u32, UnreadableItem)> = numbers.map(|number| (number, unread(&number.to_string()))).collect();
    let new: Vec<NewFailedCallback<'_>> = items
        .iter()
        .map(|(number, item)| {
            let mut dedupe_hash = [0; 32];
            dedupe_hash[..4].copy_from_slice(&number.to_be_bytes());
            NewFailedCallback { id: CallbackId(Uuid::from_u128(u128::from(*number))), dedupe_hash, item }
        })
        .collect();
    failed_callbacks::insert(db, client, &new, moment(0)).await.unwrap()
}

#[tokio::test]
async fn unreadable_items_are_kept_once_and_listed_newest_first() {
    let mut db = database().await;
    assert_eq!(keep(&mut db, CLIENT, 1..=3).await, 3);
    assert_eq!(keep(&mut db, CLIENT, (2..=4).chain(2..=4)).await, 1, "a repetition adds nothing");
    assert_eq!(keep(&mut db, STRANGER, 2..=2).await, 1, "another client's items are its own");
    let (page, total) = failed_callbacks::page(&mut db, CLIENT, PageRequest { page: 1, size: 2 }).await.unwrap();
    let contents: Vec<&str> = page.iter().map(|failed| failed.item.content.as_str()).collect();
    assert_eq!((contents.as_slice(), total), (["2", "1"].as_slice(), 4));
    assert_eq!((&page[0].item, page[0].received_at), (&unread("2"), moment(0)));
}

#[tokio::test]
async fn the_newest_thousand_unreadable_items_stay() {
    let mut db = database().await;
    keep(&mut db, STRANGER, 1..=1).await;
    keep(&mut db, CLIENT, 1..=999).await;
    let last = |total: i64| PageRequest { page: u32::try_from(total - 1).unwrap(), size: 1 };
    let oldest = |page: Vec<failed_callbacks::FailedCallback>| page[0].item.content.clone();
    for (number, expected, first) in [(1_000, 1_000, "1"), (1_001, 1_000, "2"), (1_002, 1_000, "3")] {
        keep(&mut db, CLIENT, number..=number).await;
        let (page, total) = failed_callbacks::page(&mut db, CLIENT, last(expected)).await.unwrap();
        assert_eq!((total, oldest(page).as_str()), (expected, first));
    }
    keep(&mut db, CLIENT, 2_000..=4_500).await;
    let (page, total) = failed_callbacks::page(&mut db, CLIENT, last(1_000)).await.unwrap();
    assert_eq!((total, oldest(page).as_str()), (1_000, "3501"));
    assert_eq!(failed_callbacks::page(&mut db, STRANGER, PageRequest::first(10)).await.unwrap().1, 1);
}

#[tokio::test]
async fn the_original_of_a_message_is_its_clients_alone() {
    let mut db = database().await;
    let id = ChatMessageId(Uuid::from_u128(1));
    for _ in 0..2 {
        originals::insert(&mut db, CLIENT, id, "{}").await.unwrap();
    }
    assert_eq!(originals::find(&mut db, CLIENT, id).await.unwrap().as_deref(), Some("{}"));
    assert_eq!(originals::find(&mut db, STRANGER, id).await.unwrap(), None);
}

#[tokio::test]
async fn callbacks_find_their_client_by_number_and_by_account() {
    let mut db = database().await;
    let wanted = ["pn-10".to_owned(), "nobody".to_owned()];
    let known = directories::of_phone_number_ids(&mut db, &wanted).await.unwrap();
    assert_eq!((known.len(), known["pn-10"]), (1, (CLIENT, INBOX)));
    let owners = directories::clients_of_wabas(&mut db, &["waba".to_owned()]).await.unwrap();
    assert_eq!(owners, [("waba".to_owned(), CLIENT)]);
}

#[tokio::test]
async fn an_item_that_cannot_be_read_leaves_the_others_of_its_lane_readable() {
    let mut db = database().await;
    callbacks::insert_new(&mut db, CLIENT, &[callback(1, 1), callback(2, 2)], moment(0)).await.unwrap();
    sqlx::query("UPDATE callback SET item = jsonb_set(item, '{v}', '9') WHERE id = $1")
        .bind(Uuid::from_u128(1))
        .execute(&mut db)
        .await
        .unwrap();
    let due = callbacks::due(&mut db, CLIENT, INBOX.0, moment(0), 10).await.unwrap();
    let read: Vec<Option<CallbackItem>> = due.into_iter().map(|callback| callback.item.ok()).collect();
    assert_eq!(read, [None, Some(item(2))]);
}

/// A message from this number, as it is written.
fn message_from(id: u8, from: &str) -> NewCallback {
    let message = InboundMessage {
        provider_id: format!("wamid.{id}"),
        from: Some(from.to_owned()),
        from_user_id: None,
        from_parent_user_id: None,
        from_address: None,
        profile_name: None,
        username: None,
        sent_at: moment(0),
        quoted_provider_id: None,
        content: InboundContent::Text { body: "hi".to_owned() },
        raw: json!(null),
        referral: None,
    };
    let new = callback(u128::from(id), id);
    NewCallback { item: CallbackItem { body: CallbackBody::Message(Box::new(message)), ..new.item }, ..new }
}

#[tokio::test]
async fn messages_that_were_put_off_are_found_with_and_without_a_plus_sign() {
    let mut db = database().await;
    let new = [message_from(1, "+27820000001"), message_from(2, "27820000001"), message_from(3, "+27820000002")];
    callbacks::insert_new(&mut db, CLIENT, &new, moment(0)).await.unwrap();
    let all = [1, 2, 3].map(|id| CallbackId(Uuid::from_u128(id)));
    callbacks::postpone(&mut db, CLIENT, &all, moment(5)).await.unwrap();

    for written in ["27820000001", "+27820000001"] {
        let sender = Address::of_kind(AddressKind::Phone, written).unwrap();
        let found = callbacks::put_off(&mut db, CLIENT, INBOX.0, &[&sender], &[]).await.unwrap();
        let found: Vec<CallbackId> = found.iter().map(|waiting| waiting.id).collect();
        assert_eq!(found, all[..2], "{written}");
    }
}

#[tokio::test]
async fn a_file_is_pending_until_it_is_fetched_or_given_up() {
    let mut db = database().await;
    let new = |id: u128| NewMedia {
        id: MediaId(Uuid::from_u128(id)),
        inbox: INBOX,
        provider_media_id: "M".to_owned(),
        source_url: Some("https://example.org/m".to_owned()),
        mime_type: "image/jpeg".to_owned(),
        extension: "jpg".to_owned(),
        filename: None,
        sha256: None,
    };
    for id in [1, 2] {
        media::insert(&mut db, CLIENT, &new(id), moment(0)).await.unwrap();
    }
    let id = |id: u128| MediaId(Uuid::from_u128(id));
    assert_eq!(media::due(&mut db, CLIENT, INBOX, moment(0), 10).await.unwrap().len(), 2);
    let ready = ReadyMedia { id: id(1), sha256: "00ff", bytes: 12, judged: None };
    media::mark_ready(&mut db, CLIENT, ready).await.unwrap();
    let told = async |db: &mut PgConnection| {
        let file = media::find(db, CLIENT, id(1)).await.unwrap().unwrap();
        (file.mime_type, file.extension)
    };
    assert_eq!(told(&mut db).await, ("image/jpeg".to_owned(), "jpg".to_owned()), "as it was said");
    let judged = ReadyMedia { judged: Some(("image/gif", "gif")), ..ready };
    media::mark_ready(&mut db, CLIENT, judged).await.unwrap();
    assert_eq!(told(&mut db).await, ("image/gif".to_owned(), "gif".to_owned()), "as its bytes say");
    media::mark_failed_attempt(&mut db, CLIENT, id(2), Some(moment(5))).await.unwrap();
    assert!(media::due(&mut db, CLIENT, INBOX, moment(4), 10).await.unwrap().is_empty());
    lanes::due(&mut db, Queue::Media, moment(5), 10).await.unwrap();
    assert_eq!(media::due(&mut db, CLIENT, INBOX, moment(5), 10).await.unwrap()[0].attempts, 1);
    media::mark_failed_attempt(&mut db, CLIENT, id(2), None).await.unwrap();
    media::mark_failed_attempt(&mut db, CLIENT, id(1), None).await.unwrap();
    let state = async |db: &mut PgConnection, file| media::find(db, CLIENT, file).await.unwrap().unwrap().state;
    assert_eq!(state(&mut db, id(1)).await, MediaState::Ready, "a file that has arrived cannot fail any more");
    assert_eq!(state(&mut db, id(2)).await, MediaState::Failed);
    assert!(media::find(&mut db, STRANGER, id(1)).await.unwrap().is_none());
    let old = media::older_than(&mut db, moment(0), 10).await.unwrap();
    assert_eq!(old, [(CLIENT, id(1)), (CLIENT, id(2))]);
    media::remove(&mut db, CLIENT, id(1)).await.unwrap();
    assert!(media::find(&mut db, CLIENT, id(1)).await.unwrap().is_none());
}
