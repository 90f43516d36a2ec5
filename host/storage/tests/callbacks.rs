//! The callback queue and files of customers, in a real database.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::{DateTime, Utc};
use domain::ids::{CallbackId, ClientId, InboxId, MediaId};
use serde_json::json;
use sqlx::PgConnection;
use storage::{
    callbacks::{self, NewCallback},
    clients::{self, NewClient},
    media::{self, MediaState, NewMedia},
    numbers::{self, Number, Provider},
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const STRANGER: ClientId = ClientId(Uuid::from_u128(2));
const NUMBER: InboxId = InboxId(Uuid::from_u128(10));

fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
}

async fn database() -> PgConnection {
    let mut db = scratch::database().await.connection().await;
    for (client, client_ref) in [(CLIENT, "one"), (STRANGER, "other")] {
        let new = NewClient { client_ref, display_name: "Name", parent: None, allow_private_targets: false };
        clients::insert(&mut db, client, &new, moment(0)).await.unwrap();
    }
    let number = Number {
        id: NUMBER,
        link_id: Uuid::from_u128(11),
        msisdn: "27600000001".to_owned(),
        provider: Provider::Cloud,
        phone_number_id: Some("PN".to_owned()),
        waba_id: Some("WABA".to_owned()),
        access_token_sealed: None,
        app_secret_sealed: None,
        rate_per_second: None,
    };
    numbers::insert(&mut db, CLIENT, &number, moment(0)).await.unwrap();
    db
}

fn callback(id: u128, fact: u8) -> NewCallback {
    NewCallback {
        id: CallbackId(Uuid::from_u128(id)),
        lane: NUMBER.0,
        dedupe_hash: [fact; 32],
        item: json!({ "n": id }),
    }
}

async fn waiting(db: &mut PgConnection, now: DateTime<Utc>) -> Vec<u128> {
    let due = callbacks::due(db, CLIENT, NUMBER.0, now, 100).await.unwrap();
    due.iter().map(|callback| callback.id.0.as_u128()).collect()
}

#[tokio::test]
async fn a_fact_is_stored_once_however_often_it_is_told() {
    let mut db = database().await;
    let batch = [callback(3, 1), callback(1, 2), callback(4, 1)];
    let lanes = callbacks::insert_new(&mut db, CLIENT, &batch, moment(0)).await.unwrap();
    assert_eq!(lanes, [NUMBER.0, NUMBER.0]);
    assert_eq!(waiting(&mut db, moment(0)).await, [1, 3]);
    let again = callbacks::insert_new(&mut db, CLIENT, &[callback(5, 1)], moment(1)).await.unwrap();
    assert!(again.is_empty());
    let elsewhere = callbacks::insert_new(&mut db, STRANGER, &[callback(6, 1)], moment(1)).await.unwrap();
    assert_eq!(elsewhere.len(), 1, "another client's facts are its own");
}

#[tokio::test]
async fn an_item_waits_is_counted_and_is_kept_when_it_is_given_up() {
    let mut db = database().await;
    callbacks::insert_new(&mut db, CLIENT, &[callback(1, 1), callback(2, 2), callback(3, 3)], moment(0)).await.unwrap();
    let id = |id: u128| CallbackId(Uuid::from_u128(id));
    callbacks::postpone(&mut db, CLIENT, &[id(1)], moment(5)).await.unwrap();
    callbacks::retry(&mut db, CLIENT, id(2), moment(6)).await.unwrap();
    assert_eq!(waiting(&mut db, moment(4)).await, [3]);
    let due = callbacks::due(&mut db, CLIENT, NUMBER.0, moment(6), 100).await.unwrap();
    assert_eq!(due.iter().map(|callback| callback.attempts).collect::<Vec<_>>(), [0, 1, 0]);
    callbacks::give_up(&mut db, CLIENT, id(2), "unreadable").await.unwrap();
    callbacks::remove(&mut db, CLIENT, &[id(1), id(3)]).await.unwrap();
    assert!(waiting(&mut db, moment(100)).await.is_empty());
    let kept: String = sqlx::query_scalar("SELECT failure FROM callback").fetch_one(&mut db).await.unwrap();
    assert_eq!(kept, "unreadable");
}

#[tokio::test]
async fn callbacks_find_their_client_by_number_and_by_account() {
    let mut db = database().await;
    let known = callbacks::numbers_of(&mut db, &["PN".to_owned(), "nobody".to_owned()]).await.unwrap();
    assert_eq!((known.len(), known["PN"]), (1, (CLIENT, NUMBER)));
    let owners = callbacks::clients_of(&mut db, &["WABA".to_owned()]).await.unwrap();
    assert_eq!(owners, [("WABA".to_owned(), CLIENT)]);
}

#[tokio::test]
async fn a_file_is_pending_until_it_is_fetched_or_given_up() {
    let mut db = database().await;
    let new = |id: u128| NewMedia {
        id: MediaId(Uuid::from_u128(id)),
        number: NUMBER,
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
    assert_eq!(media::due(&mut db, CLIENT, NUMBER, moment(0), 10).await.unwrap().len(), 2);
    media::mark_ready(&mut db, CLIENT, id(1), "00ff", 12).await.unwrap();
    media::mark_failed_attempt(&mut db, CLIENT, id(2), Some(moment(5))).await.unwrap();
    assert!(media::due(&mut db, CLIENT, NUMBER, moment(4), 10).await.unwrap().is_empty());
    assert_eq!(media::due(&mut db, CLIENT, NUMBER, moment(5), 10).await.unwrap()[0].attempts, 1);
    media::mark_failed_attempt(&mut db, CLIENT, id(2), None).await.unwrap();
    media::mark_failed_attempt(&mut db, CLIENT, id(1), None).await.unwrap();
    let state = async |db: &mut PgConnection, file| media::find(db, CLIENT, file).await.unwrap().unwrap().state;
    assert_eq!(state(&mut db, id(1)).await, MediaState::Ready, "what has arrived cannot fail any more");
    assert_eq!(state(&mut db, id(2)).await, MediaState::Failed);
    assert!(media::find(&mut db, STRANGER, id(1)).await.unwrap().is_none());
    let old = media::older_than(&mut db, moment(0), 10).await.unwrap();
    assert_eq!(old, [(CLIENT, id(1)), (CLIENT, id(2))]);
    media::remove(&mut db, CLIENT, id(1)).await.unwrap();
    assert!(media::find(&mut db, CLIENT, id(1)).await.unwrap().is_none());
}
