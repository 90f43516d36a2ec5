//! Customers, their addresses and their facts per inbox, in a real database.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    chat::{ChatContent, ContentType, ParticipantState, ReceivedContent, SentTemplate},
    clock::IdSource,
    ids::{ChatMessageId, CustomerId, InboxId, ParticipantId},
    inbound::InboundContent,
    opaque_json::OpaqueJson,
};
use people::{Introduction, change_address, resolve_many, resolve_sent};
use storage::{
    PgConnection,
    chat::{
        chat_messages::{self, NewChatMessage},
        chatbot_values, participants,
    },
    inboxes::{self, Inbox, InboxSettings, MessengerInbox, WebInbox},
    people::{
        customers,
        inbox_customers::{self, CustomerHistory, LateMessage},
    },
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, bsuid, database, moment, phone, prepare, resolve};

const ZO: &str = "27820000001";

fn ids() -> IdSource {
    IdSource::new([3; 32])
}

fn identity(number: Option<&str>, user: Option<&str>) -> Introduction {
    let addresses = number.map(phone).into_iter().chain(user.map(bsuid)).collect();
    Introduction { addresses, ..Introduction::default() }
}

async fn chat(db: &mut PgConnection, customer: CustomerId, id: u128, state: ParticipantState) -> ParticipantId {
    let id = ParticipantId(Uuid::from_u128(id));
    let new = participants::NewParticipant { id, inbox: INBOX, customer, channel: Channel::Whatsapp, state };
    participants::insert(db, CLIENT, new, moment(0)).await.unwrap().unwrap().id
}

async fn wrote(db: &mut PgConnection, customer: CustomerId, at: DateTime<Utc>) -> CustomerHistory {
    let customer = customers::find(db, CLIENT, customer).await.unwrap().unwrap();
    inbox_customers::record_inbound(db, CLIENT, INBOX, &customer, at).await.unwrap()
}

async fn say(db: &mut PgConnection, ids: &IdSource, chat: ParticipantId, text: &str, seconds: i64) {
    let mut participant = participants::lock(db, CLIENT, chat).await.unwrap().unwrap();
    let id = ChatMessageId(ids.mint(moment(seconds)));
    let message = NewChatMessage {
        id,
        participant: chat,
        sequence: participant.take_sequence(moment(seconds)),
        content_type: ContentType::Text,
        channel: Channel::Whatsapp,
        body: Some(text.to_owned()),
        content: ChatContent::Incoming(Box::new(ReceivedContent {
            content: InboundContent::Text { body: text.to_owned() },
            raw: OpaqueJson::default(),
            referral: None,
        })),
        media: None,
        owner: "CUSTOMER".to_owned(),
        after_hours: false,
        agent: None,
        temp_id: None,
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
    let both = Introduction { name: Some("Zo".to_owned()), ..identity(Some(ZO), Some("ZA.1")) };
    let zo = resolve(&mut db, CLIENT, &ids, both, moment(1)).await.unwrap();
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(2)).await.unwrap(), zo);
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(3)).await.unwrap(), zo);
    let known = customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap();
    assert_eq!((known.name.as_deref(), known.phone(), known.bsuid()), (Some("Zo"), Some(ZO), Some("ZA.1")));
    assert_ne!(resolve(&mut db, STRANGER, &ids, identity(Some(ZO), None), moment(4)).await.unwrap(), zo);
    assert_eq!(customers::find(&mut db, STRANGER, zo).await.unwrap(), None);
}

#[tokio::test]
async fn a_new_name_replaces_the_old_one_and_an_absent_one_does_not() {
    let (mut db, ids) = (database().await, ids());
    let named = |name: &str| Introduction { name: Some(name.to_owned()), ..identity(Some(ZO), None) };
    let zo = resolve(&mut db, CLIENT, &ids, named("Zo"), moment(1)).await.unwrap();
    resolve(&mut db, CLIENT, &ids, named("Zoë"), moment(2)).await.unwrap();
    resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(3)).await.unwrap();
    assert_eq!(customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap().name.as_deref(), Some("Zoë"));
}

#[tokio::test]
async fn a_parent_of_the_user_id_is_kept_replaced_by_a_new_one_and_costs_nothing_when_it_is_known() {
    let (mut db, ids) = (database().await, ids());
    let of = |user: &str, parent: Option<&str>| Introduction {
        parent_user_id: parent.map(str::to_owned),
        ..identity(Some(ZO), Some(user))
    };
    let zo = resolve(&mut db, CLIENT, &ids, of("ZA.1", None), moment(1)).await.unwrap();
    let version = "SELECT xmin::text || ctid::text FROM customer";
    for (parent, known, is_news) in [
        (Some("ZA.ENT.1"), "ZA.ENT.1", true),
        (Some("ZA.ENT.1"), "ZA.ENT.1", false),
        (None, "ZA.ENT.1", false),
        (Some("ZA.ENT.2"), "ZA.ENT.2", true),
    ] {
        let before: String = sqlx::query_scalar(version).fetch_one(&mut db).await.unwrap();
        assert_eq!(resolve(&mut db, CLIENT, &ids, of("ZA.1", parent), moment(2)).await.unwrap(), zo);
        let after: String = sqlx::query_scalar(version).fetch_one(&mut db).await.unwrap();
        assert_eq!(before != after, is_news, "{parent:?}");
        let found = customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap();
        assert_eq!(found.parent_user_id.as_deref(), Some(known), "{parent:?}");
    }
}

#[tokio::test]
async fn a_merge_keeps_the_parent_user_id_of_the_older_customer_if_it_has_one() {
    let (mut db, ids) = (database().await, ids());
    for (place, older, stays) in [(1, Some("ZA.ENT.1"), "ZA.ENT.1"), (2, None, "ZA.ENT.2")] {
        let (number, user) = (format!("2782000000{place}"), format!("ZA.{place}"));
        let with =
            |parent: Option<&str>, who: Introduction| Introduction { parent_user_id: parent.map(str::to_owned), ..who };
        let by_number = with(older, identity(Some(&number), None));
        let kept = resolve(&mut db, CLIENT, &ids, by_number, moment(1)).await.unwrap();
        let by_user = with(Some("ZA.ENT.2"), identity(None, Some(&user)));
        resolve(&mut db, CLIENT, &ids, by_user, moment(2)).await.unwrap();
        let both = identity(Some(&number), Some(&user));
        assert_eq!(resolve(&mut db, CLIENT, &ids, both, moment(3)).await.unwrap(), kept);
        let known = customers::find(&mut db, CLIENT, kept).await.unwrap().unwrap();
        assert_eq!(known.parent_user_id.as_deref(), Some(stays));
    }
}

#[tokio::test]
async fn an_event_that_identifies_two_customers_as_one_merges_them_with_all_their_data() {
    let (mut db, ids) = (database().await, ids());
    let by_phone = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let by_bsuid = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(2)).await.unwrap();
    let (old, young) = (by_phone, by_bsuid);
    wrote(&mut db, young, moment(50)).await;
    inbox_customers::mark_reached(&mut db, CLIENT, &BTreeSet::from([(INBOX, old)])).await.unwrap();
    let kept = chat(&mut db, old, 100, ParticipantState::Closed).await;
    let gone = chat(&mut db, young, 101, ParticipantState::Queued).await;
    for (chat, text, second) in [(kept, "one", 10), (gone, "two", 20), (kept, "three", 30), (gone, "four", 40)] {
        say(&mut db, &ids, chat, text, second).await;
    }
    let key = |participant| chatbot_values::ValueKey { participant: Some(participant), name: "name".to_owned() };
    let values = [(key(gone), Some(b"Zo".to_vec().into()))];
    chatbot_values::write(&mut db, CLIENT, "bot", &values).await.unwrap();

    let merged = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(60)).await.unwrap();
    assert_eq!(merged, old);
    let known = customers::find(&mut db, CLIENT, young).await.unwrap().unwrap();
    assert_eq!(known.id, old, "the id that was merged away keeps resolving");
    let facts = inbox_customers::facts(&mut db, CLIENT, INBOX, &[&phone(ZO)]).await.unwrap();
    assert_eq!(facts[&phone(ZO)].last_inbound_at, Some(moment(50)));

    let joined = participants::find(&mut db, CLIENT, gone).await.unwrap().unwrap();
    assert_eq!((joined.id, joined.state, joined.customer), (kept, ParticipantState::Queued, old));
    let page = chat_messages::page(&mut db, CLIENT, kept, None, 10).await.unwrap();
    let read: Vec<(i64, &str)> = page.iter().map(|m| (m.sequence, m.body.as_deref().unwrap())).collect();
    assert_eq!(read, [(4, "four"), (3, "three"), (2, "two"), (1, "one")]);
    assert_eq!(joined.next_sequence, 5);
    assert!(chatbot_values::read(&mut db, CLIENT, "bot", &key(kept), moment(0)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_chat_of_a_merged_customer_moves_over_when_the_other_had_none() {
    let (mut db, ids) = (database().await, ids());
    let old = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let young = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(2)).await.unwrap();
    let moved = chat(&mut db, young, 100, ParticipantState::Bot).await;
    resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(3)).await.unwrap();
    let found = participants::lock_of_customer(&mut db, CLIENT, INBOX, old).await.unwrap().unwrap();
    assert_eq!((found.id, found.state), (moved, ParticipantState::Bot));
}

#[tokio::test]
async fn a_customer_keeps_its_id_when_its_phone_number_and_bsuid_change() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(1)).await.unwrap();
    let change = Introduction { replaced: Some(bsuid("ZA.1")), ..identity(Some("27820000009"), Some("ZA.2")) };
    let changed = change_address(&mut db, CLIENT, &ids, &phone(ZO), change.clone(), moment(2)).await.unwrap().who;
    assert_eq!(changed, Some(zo));
    let known = customers::find(&mut db, CLIENT, zo).await.unwrap().unwrap();
    assert_eq!((known.phone(), known.bsuid()), (Some("27820000009"), Some("ZA.2")));
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.1")), moment(3)).await.unwrap(), zo, "an alias");
    let next_owner = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.77")), moment(4)).await.unwrap();
    assert_ne!(next_owner, zo, "the old number may have another owner now");
    let unknown =
        change_address(&mut db, CLIENT, &ids, &phone("27000000000"), identity(Some("27000000001"), None), moment(5))
            .await;
    assert_eq!(unknown.unwrap().who, None);
}

#[tokio::test]
async fn recipients_are_resolved_together_by_the_address_that_is_written_to() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let other = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.5")), moment(2)).await.unwrap();
    let (zos, new, others) = (phone(ZO), phone("27820000002"), bsuid("ZA.5"));
    let recipients = [&zos, &new, &others, &new];
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
    wrote(&mut db, zo, moment(100)).await;
    wrote(&mut db, zo, moment(40)).await;
    let last = SentTemplate { id: "1".to_owned(), name: "order_ready".to_owned() };
    let sent = [(zo, None), (zo, Some(last.clone()))];
    inbox_customers::record_outbound(&mut db, CLIENT, INBOX, &sent, moment(110)).await.unwrap();
    let facts = inbox_customers::facts(&mut db, CLIENT, INBOX, &[&bsuid("ZA.1"), &phone("27820000077")]).await.unwrap();
    assert_eq!(facts[&bsuid("ZA.1")].last_inbound_at, Some(moment(100)));
    assert_eq!(facts[&bsuid("ZA.1")].last_template.as_ref(), Some(&last));
    assert!(facts[&bsuid("ZA.1")].reached);
    let answered = wrote(&mut db, zo, moment(120)).await;
    assert_eq!(answered.last_template, Some(last.clone()));
    assert_eq!(inbox_customers::last_template_of(&mut db, CLIENT, INBOX, zo).await.unwrap(), Some(last));
    inbox_customers::record_outbound(&mut db, CLIENT, INBOX, &[(zo, None)], moment(130)).await.unwrap();
    assert_eq!(inbox_customers::last_template_of(&mut db, CLIENT, INBOX, zo).await.unwrap(), None);
}

#[tokio::test]
async fn a_late_confirmed_message_is_the_last_sent_one_unless_another_followed() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), None), moment(1)).await.unwrap();
    let template = SentTemplate { id: "1".to_owned(), name: "order_ready".to_owned() };
    let late = |at, template: Option<&SentTemplate>| {
        BTreeMap::from([((INBOX, zo), LateMessage { at: moment(at), template: template.cloned() })])
    };
    let mut last = Vec::new();
    for (at, sent) in [(100, Some(&template)), (110, None), (109, Some(&template)), (110, Some(&template))] {
        inbox_customers::record_late_outbound(&mut db, CLIENT, &late(at, sent)).await.unwrap();
        last.push(inbox_customers::last_template_of(&mut db, CLIENT, INBOX, zo).await.unwrap().is_some());
    }
    assert_eq!(last, [true, false, false, true]);
    let at: DateTime<Utc> =
        sqlx::query_scalar("SELECT last_outbound_at FROM inbox_customer").fetch_one(&mut db).await.unwrap();
    assert_eq!(at, moment(110));
}

#[tokio::test]
async fn customers_of_every_kind_of_inbox_have_an_address_and_a_chat() {
    let (mut db, ids) = (database().await, ids());
    let page = MessengerInbox { page_id: "1042".to_owned(), access_token_sealed: vec![3], app_secret_sealed: None };
    let site = WebInbox { site_key: "k-shop".to_owned(), name: "Shop".to_owned(), origins: Vec::new() };
    let (page_id, site_id) = (InboxId(Uuid::from_u128(20)), InboxId(Uuid::from_u128(21)));
    let new = [(page_id, InboxSettings::Messenger(page)), (site_id, InboxSettings::Web(site))];
    for (id, settings) in new {
        inboxes::insert(&mut db, CLIENT, &Inbox { id, settings }, moment(0)).await.unwrap();
    }
    let people = [
        (AddressKind::Visitor, "0199f7e4-visitor", site_id, Channel::Web),
        (AddressKind::Psid, "24071234567", page_id, Channel::Facebook),
        (AddressKind::Email, "ann@example.org", site_id, Channel::Web),
    ];
    for (place, (kind, value, inbox, channel)) in (1_u32..).zip(people) {
        let address = Address::of_kind(kind, value).unwrap();
        let introduction = Introduction { addresses: vec![address.clone()], ..Introduction::default() };
        let customer = resolve(&mut db, CLIENT, &ids, introduction, moment(1)).await.unwrap();
        let chat = ParticipantId(Uuid::from_u128(300 + u128::from(place)));
        let new = participants::NewParticipant { id: chat, inbox, customer, channel, state: ParticipantState::Queued };
        participants::insert(&mut db, CLIENT, new, moment(1)).await.unwrap().unwrap();
        let found = participants::find(&mut db, CLIENT, chat).await.unwrap().unwrap();
        assert_eq!((found.channel, found.inbox, found.customer), (channel, inbox, customer));
        let known = customers::find(&mut db, CLIENT, customer).await.unwrap().unwrap();
        assert_eq!((known.address(), known.phone(), known.bsuid()), (Some(&address), None, None));
        inbox_customers::mark_reached(&mut db, CLIENT, &BTreeSet::from([(inbox, customer)])).await.unwrap();
        let facts = inbox_customers::facts(&mut db, CLIENT, inbox, &[&address]).await.unwrap();
        assert!(facts[&address].reached);
    }
}

#[tokio::test]
async fn a_customer_of_a_hidden_id_is_joined_with_the_number_once_both_are_named() {
    let (mut db, ids) = (database().await, ids());
    let hidden = |id: &str| Address::of_kind(AddressKind::Lid, id).unwrap();
    let of = |addresses: &[Address]| Introduction { addresses: addresses.to_vec(), ..Introduction::default() };
    let by_number = resolve(&mut db, CLIENT, &ids, of(&[phone(ZO)]), moment(1)).await.unwrap();
    let by_id = resolve(&mut db, CLIENT, &ids, of(&[hidden("100@lid")]), moment(2)).await.unwrap();
    assert_ne!(by_number, by_id);
    let (one, other) = (
        chat(&mut db, by_number, 301, ParticipantState::Closed).await,
        chat(&mut db, by_id, 302, ParticipantState::Queued).await,
    );
    let known = customers::find(&mut db, CLIENT, by_id).await.unwrap().unwrap();
    assert_eq!((known.phone(), known.addresses.user_id()), (None, Some("100@lid")));
    let written_to = known.addresses.written_to(domain::inbox::InboxKind::WhatsappLite).unwrap();
    assert_eq!(written_to.address(), &hidden("100@lid"));
    let shown = storage::chat::lists::customers(&mut db, CLIENT, &[by_id]).await.unwrap();
    assert_eq!((shown[&by_id].phone.as_deref(), shown[&by_id].user_id.as_deref()), (None, Some("100@lid")));
    let both = resolve(&mut db, CLIENT, &ids, of(&[phone(ZO), hidden("100@lid")]), moment(3)).await.unwrap();
    assert_eq!(both, by_number);
    let known = customers::find(&mut db, CLIENT, by_id).await.unwrap().unwrap();
    assert_eq!((known.id, known.phone(), known.addresses.user_id()), (by_number, Some(ZO), Some("100@lid")));
    let written_to = known.addresses.written_to(domain::inbox::InboxKind::WhatsappLite).unwrap();
    assert_eq!(written_to.address(), &phone(ZO), "the number first");
    let mut found = Vec::new();
    for chat in [one, other] {
        found.push(participants::find(&mut db, CLIENT, chat).await.unwrap().unwrap().id);
    }
    assert_eq!(found[0], found[1], "one chat goes on, and both ids find it");
    // The number is told with another id after its owner was seen elsewhere: it has passed on.
    resolve(&mut db, CLIENT, &ids, of(&[phone("27820000008"), hidden("100@lid")]), moment(4)).await.unwrap();
    let next = resolve(&mut db, CLIENT, &ids, of(&[phone(ZO), hidden("200@lid")]), moment(5)).await.unwrap();
    assert_ne!(next, by_number);
}

#[tokio::test]
async fn a_customer_already_known_as_reached_is_not_locked_again() {
    let (mut db, ids) = (database().await, ids());
    let introduction = Introduction { addresses: vec![phone(ZO)], ..Introduction::default() };
    let customer = resolve(&mut db, CLIENT, &ids, introduction, moment(1)).await.unwrap();
    inbox_customers::record_outbound(&mut db, CLIENT, INBOX, &[(customer, None)], moment(2)).await.unwrap();
    let mut versions = Vec::new();
    for _ in 0..3 {
        inbox_customers::mark_reached(&mut db, CLIENT, &BTreeSet::from([(INBOX, customer)])).await.unwrap();
        let version = "SELECT reached, xmin::text, xmax::text FROM inbox_customer";
        versions.push(sqlx::query_as::<_, (bool, String, String)>(version).fetch_one(&mut db).await.unwrap());
    }
    assert!(versions[0].0);
    // A lock would stand in `xmax`.
    assert_eq!(versions[1..], [versions[0].clone(), versions[0].clone()]);
}

#[tokio::test]
async fn addresses_of_every_kind_that_one_event_names_are_one_customers() {
    let (mut db, ids) = (database().await, ids());
    let visitor = Address::of_kind(AddressKind::Visitor, "v-1").unwrap();
    let email = Address::of_kind(AddressKind::Email, "ann@example.org").unwrap();
    let only = |address: &Address| Introduction { addresses: vec![address.clone()], ..Introduction::default() };
    let by_visit = resolve(&mut db, CLIENT, &ids, only(&visitor), moment(1)).await.unwrap();
    let by_phone = resolve(&mut db, CLIENT, &ids, only(&phone(ZO)), moment(2)).await.unwrap();
    assert_ne!(by_visit, by_phone);
    let all = Introduction { addresses: vec![email.clone(), phone(ZO), visitor.clone()], ..Introduction::default() };
    assert_eq!(resolve(&mut db, CLIENT, &ids, all, moment(3)).await.unwrap(), by_visit, "the older one stays");
    let known = customers::find(&mut db, CLIENT, by_phone).await.unwrap().unwrap();
    let newest_first: Vec<&Address> = known.addresses.iter().collect();
    assert_eq!(newest_first, [&email, &phone(ZO), &visitor]);
    assert_eq!((known.id, known.address()), (by_visit, Some(&phone(ZO))));
}

#[tokio::test]
async fn the_providers_canonical_number_is_shown_and_the_one_that_was_written_to_stays_an_alias() {
    let (mut db, ids) = (database().await, ids());
    let (written, canonical) = (phone("22501020304"), phone("2250101020304"));
    // An SMS went to it before, and the customer wrote by the other form.
    let by_sms = resolve_many(&mut db, CLIENT, &ids, &[&written], moment(1)).await.unwrap()[0];
    let by_message = resolve(&mut db, CLIENT, &ids, identity(Some(canonical.value()), Some("CI.1")), moment(2)).await;
    assert_ne!(by_message.unwrap(), by_sms);
    let named = [canonical.clone()];
    let sent = resolve_sent(&mut db, CLIENT, &ids, &[(&written, &named)], moment(3)).await.unwrap().who;
    assert_eq!(sent, [by_sms], "they are one, the older one");
    let known = customers::find(&mut db, CLIENT, by_sms).await.unwrap().unwrap();
    assert_eq!((known.phone(), known.bsuid()), (Some(canonical.value()), Some("CI.1")));
    assert_eq!(known.addresses.iter().count(), 3);
    // An unknown one.
    let (written, canonical) = (phone("5491155550002"), phone("541155550002"));
    let named = [canonical.clone()];
    let sent = resolve_sent(&mut db, CLIENT, &ids, &[(&written, &named)], moment(4)).await.unwrap().who;
    let known = customers::find(&mut db, CLIENT, sent[0]).await.unwrap().unwrap();
    assert_eq!((known.phone(), known.addresses.iter().count()), (Some(canonical.value()), 2));
}

#[tokio::test]
async fn the_providers_id_of_a_recipient_is_stored_once_and_costs_nothing_afterwards() {
    let (mut db, ids) = (database().await, ids());
    let people: Vec<(Address, Vec<Address>)> = (1..=5)
        .map(|at| {
            let number = phone(&format!("2782000000{at}"));
            (number.clone(), vec![number, bsuid(&format!("ZA.{at}"))])
        })
        .collect();
    let sent: Vec<(&Address, &[Address])> = people.iter().map(|(to, named)| (to, named.as_slice())).collect();
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some("27820000001"), Some("ZA.1")), moment(1)).await.unwrap();
    let young = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.2")), moment(2)).await.unwrap();
    let found = resolve_sent(&mut db, CLIENT, &ids, &sent, moment(3)).await.unwrap().who;
    assert_eq!((found[0], found[1]), (zo, young));
    for (customer, (number, named)) in found.iter().zip(&people) {
        let known = customers::find(&mut db, CLIENT, *customer).await.unwrap().unwrap();
        assert_eq!((known.phone(), known.bsuid()), (Some(number.value()), Some(named[1].value())));
    }
    let versions = "SELECT array_agg(xmin::text || ctid::text ORDER BY kind, value) FROM customer_address";
    let before: Vec<String> = sqlx::query_scalar(versions).fetch_one(&mut db).await.unwrap();
    assert_eq!(resolve_sent(&mut db, CLIENT, &ids, &sent, moment(4)).await.unwrap().who, found);
    let after: Vec<String> = sqlx::query_scalar(versions).fetch_one(&mut db).await.unwrap();
    assert_eq!(before, after, "no row was written");
}

#[tokio::test]
async fn a_number_that_passed_to_another_person_merges_no_customers() {
    let (mut db, ids) = (database().await, ids());
    let ann = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(1)).await.unwrap();
    let ben = resolve(&mut db, CLIENT, &ids, identity(Some("27820000002"), Some("ZA.2")), moment(2)).await.unwrap();
    // Ben, with a number of his own, writes from Ann's number: it is his now.
    let moved = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.2")), moment(3)).await.unwrap();
    assert_eq!(moved, ben);
    let known = customers::find(&mut db, CLIENT, ann).await.unwrap().unwrap();
    assert_eq!((known.id, known.phone(), known.bsuid()), (ann, None, Some("ZA.1")));
    assert_eq!(customers::find(&mut db, CLIENT, ben).await.unwrap().unwrap().phone(), Some(ZO));
    // Ben's first number, which he has left, belongs to an unknown person.
    let new = resolve(&mut db, CLIENT, &ids, identity(Some("27820000002"), Some("ZA.3")), moment(4)).await.unwrap();
    assert!(![ann, ben].contains(&new));
    // And Ann is told to have taken Ben's present one.
    let change = identity(Some(ZO), Some("ZA.11"));
    let change = Introduction { replaced: Some(bsuid("ZA.1")), ..change };
    resolve(&mut db, CLIENT, &ids, identity(Some("27820000003"), Some("ZA.1")), moment(5)).await.unwrap();
    let told = change_address(&mut db, CLIENT, &ids, &phone("27820000003"), change, moment(6)).await.unwrap().who;
    assert_eq!(told, Some(ann));
    assert_eq!(customers::find(&mut db, CLIENT, ben).await.unwrap().unwrap().phone(), None);
}

#[tokio::test]
async fn a_new_bsuid_of_a_known_number_is_the_same_customers() {
    let (mut db, ids) = (database().await, ids());
    let zo = resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.1")), moment(1)).await.unwrap();
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.2")), moment(2)).await.unwrap(), zo);
    // Of another portfolio, and known by its BSUID alone before.
    let withheld = resolve(&mut db, CLIENT, &ids, identity(None, Some("ZA.3")), moment(3)).await.unwrap();
    assert_eq!(resolve(&mut db, CLIENT, &ids, identity(Some(ZO), Some("ZA.3")), moment(4)).await.unwrap(), zo);
    assert_eq!(customers::find(&mut db, CLIENT, withheld).await.unwrap().unwrap().id, zo);
}
