//! Customers, their identities and what is known of them per number, in a real database.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::{DateTime, Utc};
use domain::{
    chat::{ContentType, Direction, ParticipantState},
    clock::IdSource,
    ids::{ChatMessageId, ClientId, CustomerId, InboxId, ParticipantId},
};
use sqlx::PgConnection;
use storage::{
    chat_messages::{self, NewChatMessage},
    chatbot_values,
    clients::{self, NewClient},
    customers::{self, NewIdentity, change_number, resolve, resolve_many},
    number_customers::{self, LastTemplate},
    numbers::{self, Number, Provider},
    participants::{self, ChatChannel},
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const STRANGER: ClientId = ClientId(Uuid::from_u128(2));
const NUMBER: InboxId = InboxId(Uuid::from_u128(10));
const ZO: &str = "27820000001";

fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
}

fn ids() -> IdSource {
    IdSource::new([3; 32])
}

async fn prepare(db: &mut PgConnection) {
    for (client, client_ref) in [(CLIENT, "one"), (STRANGER, "other")] {
        let new = NewClient { client_ref, display_name: "Name", parent: None, allow_private_targets: false };
        clients::insert(db, client, &new, moment(0)).await.unwrap();
    }
    let number = Number {
        id: NUMBER,
        link_id: Uuid::from_u128(11),
        msisdn: "27600000001".to_owned(),
        provider: Provider::Cloud,
        phone_number_id: None,
        waba_id: None,
        access_token_sealed: None,
        app_secret_sealed: None,
        rate_per_second: None,
    };
    numbers::insert(db, CLIENT, &number, moment(0)).await.unwrap();
}

async fn database() -> PgConnection {
    let mut db = scratch::database().await.connection().await;
    prepare(&mut db).await;
    db
}

fn identity(phone: Option<&str>, bsuid: Option<&str>) -> NewIdentity {
    NewIdentity { phone: phone.map(str::to_owned), bsuid: bsuid.map(str::to_owned), ..NewIdentity::default() }
}

async fn chat(db: &mut PgConnection, customer: CustomerId, id: u128, state: ParticipantState) -> ParticipantId {
    let who = (ChatChannel::Whatsapp, state);
    let id = ParticipantId(Uuid::from_u128(id));
    participants::insert(db, CLIENT, id, (NUMBER, customer), who, moment(0)).await.unwrap().unwrap().id
}

async fn say(db: &mut PgConnection, ids: &IdSource, chat: ParticipantId, text: &str, seconds: i64) {
    let mut participant = participants::lock(db, CLIENT, chat).await.unwrap().unwrap();
    let id = ChatMessageId(ids.mint(moment(seconds)));
    let message = NewChatMessage {
        id,
        participant: chat,
        sequence: participant.take_sequence(moment(seconds)),
        direction: Direction::Incoming,
        content_type: ContentType::Text,
        channel: "WHATSAPP",
        body: Some(text.to_owned()),
        content: serde_json::json!({ "kind": "text", "body": text }),
        media: None,
        owner: "CUSTOMER".to_owned(),
        ct_id: None,
        gst_id: id.to_string(),
        provider_id: None,
        quoted_provider_id: None,
        state: None,
        created_at: moment(seconds),
    };
    chat_messages::insert(db, CLIENT, &message).await.unwrap();
    participants::save(db, CLIENT, &participant).await.unwrap();
}

#[tokio::test]
async fn a_customer_is_found_again_by_phone_or_by_bsuid() {
    let (mut db, ids) = (database().await, ids());
    let both = NewIdentity { name: Some("Zo".to_owned()), ..identity(Some(ZO), Some("ZA.1")) };
    let zo = resolve(&mut db, CLIENT, &ids, both, moment(1)).await.unwrap();
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(2)).await.unwrap(), zo);
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(3)).await.unwrap(), zo);
    let known = customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap();
    assert_eq!(
        (known.name.as_deref(), known.phone.as_deref(), known.bsuid.as_deref()),
        (Some("Zo"), Some(ZO), Some("ZA.1"))
    );
    assert_ne!(resolve(&mut db, STRANGER, &ids, identity(Some(ZO), None), moment(4)).await.unwrap(), zo);
    assert_eq!(customers::find(&mut db, STRANGER, zo).await.unwrap(), None);
}

#[tokio::test]
async fn a_new_name_replaces_the_old_one_and_an_absent_one_does_not() {
    let (mut db, ids) = (database().await, ids());
    let named = |name: &str| NewIdentity { name: Some(name.to_owned()), ..identity(Some(ZO), None) };
    let zo = resolve(&mut db, CLIENT, &ids, named("Zo"), moment(1)).await.unwrap();
    resolve(&mut db, CLIENT, &ids, named("Zoë"), moment(2)).await.unwrap();
    resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(3)).await.unwrap();
    assert_eq!(customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap().name.as_deref(), Some("Zoë"));
}

#[tokio::test]
async fn an_event_that_shows_two_customers_as_one_merges_them_with_all_that_is_theirs() {
    let (mut db, ids) = (database().await, ids());
    let by_phone = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let by_bsuid = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(2)).await.unwrap();
    let (old, young) = (by_phone, by_bsuid);
    number_customers::record_inbound(&mut db, CLIENT, NUMBER, young, moment(50)).await.unwrap();
    number_customers::mark_seen(&mut db, CLIENT, NUMBER, old).await.unwrap();
    let kept = chat(&mut db, old, 100, ParticipantState::Closed).await;
    let gone = chat(&mut db, young, 101, ParticipantState::Queued).await;
    for (chat, text, second) in [(kept, "one", 10), (gone, "two", 20), (kept, "three", 30), (gone, "four", 40)] {
        say(&mut db, &ids, chat, text, second).await;
    }
    let key = |participant| chatbot_values::Key { participant: Some(participant), name: "name".to_owned() };
    let values = [(key(gone), Some(b"Zo".to_vec()))];
    chatbot_values::write(&mut db, CLIENT, "bot", &values).await.unwrap();

    let merged = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(60)).await.unwrap();
    assert_eq!(merged, old);
    let known = customers::find(&mut db, CLIENT, young).await.unwrap().unwrap();
    assert_eq!(known.id, old, "the id that was merged away keeps resolving");
    let facts = number_customers::facts(&mut db, CLIENT, NUMBER, &[ZO.to_owned()], &[]).await.unwrap();
    assert_eq!(facts[ZO].last_inbound_at, Some(moment(50)));

    let joined = participants::find(&mut db, CLIENT, gone).await.unwrap().unwrap();
    assert_eq!((joined.id, joined.state, joined.customer), (kept, ParticipantState::Queued, old));
    let page = chat_messages::page(&mut db, CLIENT, kept, None, 10).await.unwrap();
    let read: Vec<(i64, &str)> = page.iter().map(|m| (m.sequence, m.body.as_deref().unwrap())).collect();
    assert_eq!(read, [(4, "four"), (3, "three"), (2, "two"), (1, "one")]);
    assert_eq!(joined.next_sequence, 5);
    assert!(chatbot_values::read(&mut db, CLIENT, "bot", &key(kept)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_chat_of_a_merged_customer_moves_over_when_the_other_had_none() {
    let (mut db, ids) = (database().await, ids());
    let old = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let young = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(2)).await.unwrap();
    let moved = chat(&mut db, young, 100, ParticipantState::Bot).await;
    resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(3)).await.unwrap();
    let found = participants::lock_of_customer(&mut db, CLIENT, NUMBER, old).await.unwrap().unwrap();
    assert_eq!((found.id, found.state), (moved, ParticipantState::Bot));
}

#[tokio::test]
async fn a_customer_keeps_its_id_when_its_phone_number_and_bsuid_change() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(1)).await.unwrap();
    let change = NewIdentity { previous_bsuid: Some("ZA.1".to_owned()), ..identity(Some("27820000009"), Some("ZA.2")) };
    let changed = change_number(&mut db, CLIENT, &ids, ZO, change.clone(), moment(2)).await.unwrap();
    assert_eq!(changed, Some(zo));
    let known = customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap();
    assert_eq!((known.phone.as_deref(), known.bsuid.as_deref()), (Some("27820000009"), Some("ZA.2")));
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(3)).await.unwrap(), zo, "an alias");
    let next_owner = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.77")), moment(4)).await.unwrap();
    assert_ne!(next_owner, zo, "the old number may be somebody else's now");
    let nobody =
        change_number(&mut db, CLIENT, &ids, "27000000000", identity(Some("27000000001"), None), moment(5)).await;
    assert_eq!(nobody.unwrap(), None);
}

#[tokio::test]
async fn recipients_are_resolved_together_and_a_claimed_bsuid_merges_nobody() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let other = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.5")), moment(2)).await.unwrap();
    let recipients = [
        identity(Some(ZO), Some("ZA.5")),
        identity(Some("27820000002"), None),
        identity(None, Some("ZA.5")),
        identity(Some("27820000002"), None),
    ];
    let found = resolve_many(&mut db, CLIENT, &ids, &recipients, moment(3)).await.unwrap();
    assert_eq!((found[0], found[2]), (zo, other));
    assert_eq!(found[1], found[3]);
    assert!(![zo, other].contains(&found[1]));
    assert_eq!(resolve_many(&mut db, CLIENT, &ids, &recipients, moment(4)).await.unwrap(), found);
}

#[tokio::test]
async fn two_transactions_that_meet_the_same_new_customer_agree_on_it() {
    let home = scratch::database().await;
    prepare(&mut home.connection().await).await;
    let (mut one, mut two, ids) = (home.connection().await, home.connection().await, ids());
    sqlx::query("BEGIN").execute(&mut one).await.unwrap();
    let first = resolve(&mut one, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(1)).await.unwrap();
    let waiting = tokio::spawn(async move {
        let ids = IdSource::new([4; 32]);
        resolve(&mut two, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap()
    });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    sqlx::query("COMMIT").execute(&mut one).await.unwrap();
    assert_eq!(waiting.await.unwrap(), first);
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM customer").fetch_one(&mut one).await.unwrap();
    assert_eq!(rows, 1, "the one that came second leaves nothing behind");
}

#[tokio::test]
async fn the_window_never_moves_back_and_the_last_template_is_the_last_thing_sent() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(1)).await.unwrap();
    number_customers::record_inbound(&mut db, CLIENT, NUMBER, zo, moment(100)).await.unwrap();
    number_customers::record_inbound(&mut db, CLIENT, NUMBER, zo, moment(40)).await.unwrap();
    let template = Some(("1".to_owned(), "order_ready".to_owned()));
    let sent = [(zo, None), (zo, template)];
    number_customers::record_outbound(&mut db, CLIENT, NUMBER, &sent, moment(110)).await.unwrap();
    let facts = number_customers::facts(&mut db, CLIENT, NUMBER, &[], &["ZA.1".to_owned()]).await.unwrap();
    let last = LastTemplate { id: "1".to_owned(), name: "order_ready".to_owned() };
    assert_eq!(facts["ZA.1"].last_inbound_at, Some(moment(100)));
    assert_eq!(facts["ZA.1"].last_template.as_ref(), Some(&last));
    assert!(facts["ZA.1"].seen_on_whatsapp);
    let answered = number_customers::record_inbound(&mut db, CLIENT, NUMBER, zo, moment(120)).await.unwrap();
    assert_eq!(answered, Some(last.clone()));
    assert_eq!(number_customers::last_template_of(&mut db, CLIENT, NUMBER, zo).await.unwrap(), Some(last));
    number_customers::record_outbound(&mut db, CLIENT, NUMBER, &[(zo, None)], moment(130)).await.unwrap();
    assert_eq!(number_customers::last_template_of(&mut db, CLIENT, NUMBER, zo).await.unwrap(), None);
}
