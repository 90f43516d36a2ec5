//! Stored values of the devices of Lite numbers.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use base::{DatabaseDeviceValues, secrets::Sealer};
use channels::whatsapp_lite::{
    LiteNumber,
    values::{DeviceHolder, DeviceValues, ValueChange, ValuesFailed},
};
use domain::{
    ids::{ClientId, InboxId, NodeId},
    inbox::{BillingModel, LiteHosting},
    lite::WantedSession,
};
use storage::{
    Db,
    inboxes::{
        self, Inbox, InboxSettings, WhatsappLite,
        lite::{self, NextCheck, SessionWrite},
    },
    tenancy::clients::{self, ClientRecord},
};
use uuid::Uuid;

const HERE: NodeId = NodeId(Uuid::from_u128(91));
const THERE: NodeId = NodeId(Uuid::from_u128(92));

struct Numbers {
    db: Db,
    values: DatabaseDeviceValues,
}

impl Numbers {
    /// Two clients with one Lite number each, whose devices live here.
    async fn new() -> Self {
        let db = scratch::database().await.pool(4).await;
        let numbers = Self { values: DatabaseDeviceValues::new(db.clone(), Sealer::new([9; 32])), db };
        for (number, client_ref) in [(number(1), "one"), (number(2), "other")] {
            let mut db = numbers.db.acquire().await.unwrap();
            let sms_inbox = InboxId(Uuid::from_u128(number.inbox.0.as_u128() + 5));
            let new = ClientRecord {
                client_ref,
                display_name: "Name",
                parent: None,
                allow_private_targets: false,
                sms_inbox,
            };
            let now = "2026-01-01T00:00:00Z".parse().unwrap();
            clients::insert(&mut db, number.client, &new, now).await.unwrap();
            let settings = InboxSettings::WhatsappLite(WhatsappLite {
                msisdn: number.msisdn.clone(),
                link_id: Uuid::from_u128(number.inbox.0.as_u128() + 6),
                rate_per_second: None,
                hosting: LiteHosting::WhatsappGo,
                billing: BillingModel::Message,
            });
            inboxes::insert(&mut db, number.client, &Inbox { id: number.inbox, settings }, now).await.unwrap();
            lite::want(&mut db, number.client, number.inbox, WantedSession::Connected, now).await.unwrap();
            drop(db);
            numbers.lives_in(&number, HERE).await;
        }
        numbers
    }

    async fn lives_in(&self, number: &LiteNumber, node: NodeId) {
        let mut db = self.db.acquire().await.unwrap();
        let mut session = lite::session(&mut db, number.client, number.inbox).await.unwrap().unwrap();
        session.device_node = Some(node);
        let write = SessionWrite { session: &session, next: NextCheck::Held, opens: false };
        lite::save(&mut db, number.client, number.inbox, write).await.unwrap();
    }

    async fn keep(
        &self,
        holding: &DeviceHolder,
        key: &str,
        value: &[u8],
        moment: Option<i64>,
    ) -> Result<(), ValuesFailed> {
        let change = ValueChange { space: "session", key: key.to_owned(), value: Some(value.to_vec()), moment };
        self.values.write(holding, vec![change]).await
    }

    async fn found(&self, number: &LiteNumber, prefix: &str) -> Vec<String> {
        let found = self.values.starting(number, "session", prefix).await.unwrap();
        found.into_iter().map(|(key, _)| key).collect()
    }
}

fn number(last: u128) -> LiteNumber {
    LiteNumber {
        client: ClientId(Uuid::from_u128(last)),
        inbox: InboxId(Uuid::from_u128(last * 10)),
        msisdn: format!("2783000000{last}").parse().unwrap(),
    }
}

fn held(last: u128, node: NodeId) -> DeviceHolder {
    DeviceHolder { number: number(last), holder: node.to_string() }
}

#[tokio::test]
async fn values_are_read_back_unchanged_and_are_stored_sealed() {
    let numbers = Numbers::new().await;
    numbers.keep(&held(1, HERE), "27820000001@lid", b"a secret key", None).await.unwrap();
    let keys = ["27820000001@lid".to_owned(), "nobody".to_owned()];
    let found = numbers.values.get(&number(1), "session", &keys).await.unwrap();
    assert_eq!(found, [(keys[0].clone(), b"a secret key".to_vec())]);
    let stored: Vec<u8> =
        sqlx::query_scalar("SELECT value FROM lite_device_value").fetch_one(&numbers.db).await.unwrap();
    assert!(!stored.windows(6).any(|part| part == b"secret"));
}

#[tokio::test]
async fn the_last_of_several_changes_of_a_key_counts() {
    let numbers = Numbers::new().await;
    let change = |value: Option<&[u8]>| ValueChange {
        space: "session",
        key: "k".to_owned(),
        value: value.map(<[u8]>::to_vec),
        moment: None,
    };
    let changes = vec![change(Some(b"one")), change(None), change(Some(b"two"))];
    numbers.values.write(&held(1, HERE), changes).await.unwrap();
    let found = numbers.values.get(&number(1), "session", &["k".to_owned()]).await.unwrap();
    assert_eq!(found, [("k".to_owned(), b"two".to_vec())]);
    numbers.values.write(&held(1, HERE), vec![change(Some(b"three")), change(None)]).await.unwrap();
    assert_eq!(numbers.found(&number(1), "").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_process_without_the_device_writes_nothing() {
    let numbers = Numbers::new().await;
    numbers.keep(&held(1, HERE), "k", b"first", None).await.unwrap();
    numbers.lives_in(&number(1), THERE).await;
    let refused = numbers.keep(&held(1, HERE), "k", b"late", None).await;
    assert!(matches!(refused, Err(ValuesFailed::NotHeld)), "{refused:?}");
    assert!(matches!(numbers.values.take(&held(1, HERE), "session", "k").await, Err(ValuesFailed::NotHeld)));
    numbers.keep(&held(1, THERE), "k", b"second", None).await.unwrap();
    let found = numbers.values.get(&number(1), "session", &["k".to_owned()]).await.unwrap();
    assert_eq!(found, [("k".to_owned(), b"second".to_vec())]);
}

#[tokio::test]
async fn values_of_one_number_are_not_those_of_another() {
    let numbers = Numbers::new().await;
    numbers.keep(&held(1, HERE), "k", b"one", None).await.unwrap();
    numbers.keep(&held(2, HERE), "k", b"other", None).await.unwrap();
    let found = numbers.values.get(&number(2), "session", &["k".to_owned()]).await.unwrap();
    assert_eq!(found, [("k".to_owned(), b"other".to_vec())]);
    numbers.values.forget(&number(1)).await.unwrap();
    assert_eq!(numbers.found(&number(1), "").await, Vec::<String>::new());
    assert_eq!(numbers.found(&number(2), "").await, ["k"]);
}

#[tokio::test]
async fn values_with_one_prefix_are_found_and_deleted_together() {
    let numbers = Numbers::new().await;
    for key in ["a\n1", "a\n\u{10FFFE}", "ab\n1", "b"] {
        numbers.keep(&held(1, HERE), key, b"v", None).await.unwrap();
    }
    assert_eq!(numbers.found(&number(1), "a\n").await, ["a\n1", "a\n\u{10FFFE}"]);
    assert_eq!(numbers.found(&number(1), "").await.len(), 4);
    assert_eq!(numbers.values.forget_starting(&held(1, HERE), "session", "a\n").await.unwrap(), 2);
    assert_eq!(numbers.found(&number(1), "").await, ["ab\n1", "b"]);
}

#[tokio::test]
async fn old_values_are_deleted_and_values_without_a_time_stay() {
    let numbers = Numbers::new().await;
    for (key, moment) in [("old", Some(9)), ("new", Some(10)), ("lasting", None)] {
        numbers.keep(&held(1, HERE), key, b"v", moment).await.unwrap();
    }
    assert_eq!(numbers.values.forget_before(&held(1, HERE), "session", 10).await.unwrap(), 1);
    assert_eq!(numbers.found(&number(1), "").await, ["lasting", "new"]);
}

#[tokio::test]
async fn a_value_is_taken_once() {
    let numbers = Numbers::new().await;
    numbers.keep(&held(1, HERE), "k", b"v", None).await.unwrap();
    assert_eq!(numbers.values.take(&held(1, HERE), "session", "k").await.unwrap(), Some(b"v".to_vec()));
    assert_eq!(numbers.values.take(&held(1, HERE), "session", "k").await.unwrap(), None);
}
