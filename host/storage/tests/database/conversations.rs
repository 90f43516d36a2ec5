//! Long-lived conversations in a real database.

use std::sync::LazyLock;

use domain::{
    clock::IdSource,
    conversation::CloseReason,
    ids::{ConversationId, ConversationParticipantId, CustomerId},
};
use people::{Introduction, resolve_many};
use storage::{
    PgConnection,
    chat::conversations::{self, ConversationSearch, NewConversation},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, bsuid, database, moment, phone, resolve};

const LIFE: i64 = 1000;

/// Ids of customers, each younger than those before.
static IDS: LazyLock<IdSource> = LazyLock::new(|| IdSource::new([4; 32]));

fn new(id: u128, customer: CustomerId, seconds: i64) -> NewConversation {
    NewConversation {
        id: ConversationId(Uuid::from_u128(id)),
        inbox: INBOX,
        customer,
        participant: ConversationParticipantId(Uuid::from_u128(id + 900)),
        recipient: Some("27820000001".to_owned()),
        customer_user_id: None,
        expires_at: moment(seconds + LIFE),
    }
}

async fn open(db: &mut PgConnection, id: u128, customer: CustomerId, seconds: i64) -> bool {
    conversations::open(db, CLIENT, &new(id, customer, seconds), moment(seconds)).await.unwrap()
}

async fn customer(db: &mut PgConnection, address: &domain::address::Address) -> CustomerId {
    resolve_many(db, CLIENT, &IDS, &[address], moment(0)).await.unwrap().remove(0)
}

async fn found(db: &mut PgConnection, id: u128) -> domain::conversation::Conversation {
    conversations::find(db, CLIENT, ConversationId(Uuid::from_u128(id))).await.unwrap().unwrap()
}

#[tokio::test]
async fn one_conversation_is_open_for_each_number_and_customer_and_the_next_one_has_the_same_participant() {
    let mut db = database().await;
    let zo = customer(&mut db, &phone("27820000001")).await;

    assert!(open(&mut db, 1, zo, 0).await);
    assert!(!open(&mut db, 2, zo, 10).await);
    assert!(!open(&mut db, 3, zo, LIFE - 1).await);
    assert!(open(&mut db, 4, zo, LIFE).await, "the first one's time is over");

    let first = found(&mut db, 1).await;
    assert_eq!(first.closed, Some((moment(LIFE), CloseReason::Expired)));
    assert_eq!(found(&mut db, 4).await.participant, first.participant);
    let one = ConversationId(Uuid::from_u128(1));
    assert_eq!(conversations::find(&mut db, STRANGER, one).await.unwrap(), None);
    assert!(!conversations::close(&mut db, STRANGER, one, CloseReason::Asked, moment(1)).await.unwrap());
}

#[tokio::test]
async fn a_conversation_is_closed_once_and_never_after_its_time() {
    let mut db = database().await;
    let zo = customer(&mut db, &phone("27820000001")).await;
    let id = ConversationId(Uuid::from_u128(1));
    open(&mut db, 1, zo, 0).await;

    assert!(!conversations::close(&mut db, CLIENT, id, CloseReason::Asked, moment(LIFE)).await.unwrap());
    assert!(conversations::close(&mut db, CLIENT, id, CloseReason::Button, moment(5)).await.unwrap());
    assert!(!conversations::close(&mut db, CLIENT, id, CloseReason::Asked, moment(6)).await.unwrap());
    assert_eq!(found(&mut db, 1).await.closed, Some((moment(5), CloseReason::Button)));
}

#[tokio::test]
async fn expiry_is_recorded_in_pages_oldest_first_without_reading_active_conversations() {
    let mut db = database().await;
    for at in 0..6_i64 {
        let customer_id = customer(&mut db, &phone(&format!("2782000000{at}"))).await;
        open(&mut db, 10 + at.unsigned_abs() as u128, customer_id, at).await;
    }

    let at = moment(LIFE + 4);
    assert_eq!(conversations::close_expired(&mut db, at, 2).await.unwrap(), 2);
    let open_of =
        "SELECT array_agg(('x' || right(id::text, 2))::text ORDER BY id) FROM conversation WHERE closed_at IS NULL";
    let left: Vec<String> = sqlx::query_scalar(open_of).fetch_one(&mut db).await.unwrap();
    assert_eq!(left, ["x0c", "x0d", "x0e", "x0f"]);
    assert_eq!(conversations::close_expired(&mut db, at, 2).await.unwrap(), 2);
    assert_eq!(conversations::close_expired(&mut db, at, 2).await.unwrap(), 1);
    assert_eq!(conversations::close_expired(&mut db, at, 2).await.unwrap(), 0);
    assert_eq!(found(&mut db, 15).await.closed, None);
    assert_eq!(found(&mut db, 11).await.closed, Some((moment(LIFE + 1), CloseReason::Expired)));
}

/// Two customers that the provider then reports as one.
async fn merged(db: &mut PgConnection, seconds: i64) {
    let addresses = vec![phone("27820000001"), bsuid("ZA.1")];
    let both = Introduction { addresses, ..Introduction::default() };
    resolve(db, CLIENT, &IDS, both, moment(seconds)).await.unwrap();
}

#[tokio::test]
async fn a_merge_of_two_customers_keeps_the_older_conversation_and_both_ids_find_it() {
    let mut db = database().await;
    let by_phone = customer(&mut db, &phone("27820000001")).await;
    let by_bsuid = customer(&mut db, &bsuid("ZA.1")).await;
    open(&mut db, 1, by_phone, 0).await;
    open(&mut db, 2, by_bsuid, 100).await;

    merged(&mut db, 200).await;

    let (one, other) = (found(&mut db, 1).await, found(&mut db, 2).await);
    assert_eq!(one, other);
    assert_eq!((one.id.0.as_u128(), one.closed, one.expires_at), (1, None, moment(100 + LIFE)));
    let page = domain::page::PageRequest { page: 0, size: 10 };
    assert_eq!(conversations::page(&mut db, CLIENT, &ConversationSearch::default(), page).await.unwrap().1, 1);
    assert!(!open(&mut db, 3, by_phone.min(by_bsuid), 300).await);
    let named = [ConversationId(Uuid::from_u128(2))];
    let named = conversations::lock_named(&mut db, CLIENT, &named).await.unwrap();
    let it = named.values().next().unwrap();
    assert_eq!(it.id, one.id);
    assert!(it.addresses.contains(&phone("27820000001")) && it.addresses.contains(&bsuid("ZA.1")));
}

#[tokio::test]
async fn an_expired_conversation_does_not_come_back_with_a_merge() {
    let mut db = database().await;
    let by_phone = customer(&mut db, &phone("27820000001")).await;
    let by_bsuid = customer(&mut db, &bsuid("ZA.1")).await;
    open(&mut db, 1, by_phone, 0).await;
    open(&mut db, 2, by_bsuid, LIFE - 10).await;

    merged(&mut db, LIFE + 10).await;

    assert_eq!(found(&mut db, 1).await.closed, Some((moment(LIFE), CloseReason::Expired)));
    let other = found(&mut db, 2).await;
    assert_eq!((other.id.0.as_u128(), other.closed), (2, None));
}

#[tokio::test]
async fn a_customer_that_is_held_is_the_one_it_became() {
    let mut db = database().await;
    let by_phone = customer(&mut db, &phone("27820000001")).await;
    let by_bsuid = customer(&mut db, &bsuid("ZA.1")).await;
    merged(&mut db, 0).await;

    let (survivor, absorbed) = (by_phone.min(by_bsuid), by_phone.max(by_bsuid));
    for either in [survivor, absorbed] {
        assert_eq!(conversations::hold_customer(&mut db, CLIENT, either).await.unwrap(), survivor);
    }
}
