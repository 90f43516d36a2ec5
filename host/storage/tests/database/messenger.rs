//! Unread messages of pages, and the owners of pages.

use domain::ids::{InboxId, MessageId};
use storage::{
    inboxes::{self, Inbox, InboxSettings, MessengerInbox, PAGE_UNIQUE, directories},
    outbound::messenger::{self, LegStart},
    tenancy::clients,
    violates,
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, STRANGER, moment, new_client};

const PAGE: InboxId = InboxId(Uuid::from_u128(33));

fn message(id: u128) -> MessageId {
    MessageId(Uuid::from_u128(id))
}

fn page(id: InboxId) -> Inbox {
    let page =
        MessengerInbox { page_id: "555".to_owned(), access_token_sealed: vec![1], app_secret_sealed: Some(vec![2]) };
    Inbox { id, settings: InboxSettings::Messenger(page) }
}

#[tokio::test]
async fn a_page_is_found_by_its_id_and_belongs_to_one_client() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    for (client, name) in [(CLIENT, "owner"), (STRANGER, "other")] {
        clients::insert(db, client, &new_client(client, name), moment(0)).await.unwrap();
    }
    inboxes::insert(db, CLIENT, &page(PAGE), moment(0)).await.unwrap();
    let known = directories::of_pages(db, &["555".to_owned(), "556".to_owned()]).await.unwrap();
    assert_eq!((known.len(), known["555"]), (1, (CLIENT, PAGE)));
    let secrets = directories::own_app_secrets_of_pages(db, &["555".to_owned()]).await.unwrap();
    assert_eq!(secrets, [("555".to_owned(), CLIENT, vec![2])]);
    assert_eq!(inboxes::all_pages(db).await.unwrap(), [page(PAGE)]);
    let refused = inboxes::insert(db, STRANGER, &page(InboxId(Uuid::from_u128(34))), moment(0)).await.unwrap_err();
    assert!(violates(&refused, PAGE_UNIQUE), "{refused}");
}

fn beginning(id: u128, psid: &str, in_doubt: bool) -> LegStart<'_> {
    LegStart { message: message(id), ordinal: 0, psid, in_doubt }
}

async fn unread(db: &mut storage::PgConnection, psid: &str, until: i64) -> Vec<MessageId> {
    let found = messenger::unread(db, CLIENT, PAGE, psid, moment(until)).await.unwrap();
    found.into_iter().map(|one| one.message).collect()
}

#[tokio::test]
async fn a_watermark_covers_the_messages_of_one_customer_that_began_at_or_before_it() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    for (id, psid, at) in [(1, "71", 10), (2, "71", 20), (3, "72", 10)] {
        messenger::note(db, CLIENT, PAGE, &[beginning(id, psid, false)], moment(at)).await.unwrap();
    }
    assert_eq!(unread(db, "71", 9).await, []);
    assert_eq!(unread(db, "71", 10).await, [message(1)]);
    assert_eq!(unread(db, "71", 20).await, [message(1), message(2)]);
    assert_eq!(messenger::unread(db, STRANGER, PAGE, "71", moment(20)).await.unwrap(), []);
    messenger::forget(db, CLIENT, PAGE, "71", &[(message(1), 0)]).await.unwrap();
    assert_eq!(unread(db, "71", 20).await, [message(2)]);
}

#[tokio::test]
async fn a_message_that_is_sent_again_has_the_moment_of_its_last_call_unless_an_earlier_one_may_have_come_through() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    for id in [1, 2] {
        messenger::note(db, CLIENT, PAGE, &[beginning(id, "71", false)], moment(10)).await.unwrap();
    }
    messenger::note(db, CLIENT, PAGE, &[beginning(1, "71", false), beginning(2, "71", true)], moment(50))
        .await
        .unwrap();
    assert_eq!(unread(db, "71", 10).await, [message(2)]);
    assert_eq!(unread(db, "71", 50).await, [message(1), message(2)]);
}

#[tokio::test]
async fn authors_and_times_are_returned_in_the_order_of_the_query() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let standing = messenger::standing(db, CLIENT, PAGE, &[(None, "71"), (None, "72")]).await.unwrap();
    assert_eq!(standing.len(), 2);
    assert!(standing.iter().all(|one| one.owner.is_none() && one.wrote_at.is_none()), "nothing is known of strangers");
}
