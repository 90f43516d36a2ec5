//! Messages, their legs and the queue, in a real database.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    chat::FallbackMode,
    clock::IdSource,
    content::{LegContent, OutboundContent, SmsContent},
    delivery::DeliveryState,
    ids::{BatchId, InboxId, MessageId, PartId},
    recipient::Recipient,
    send::FallbackRequest,
};
use people::Introduction;
use storage::{
    PgConnection, Queue,
    inboxes::{self, Inbox, InboxSettings, MessengerInbox},
    outbound::{
        fallbacks::{self, FallbackDecision, NewFallback},
        in_doubt::{self, OpenCalls},
        legs::{self, LockPolicy, NewLeg},
        messages::NewMessage,
        outgoing_rows::{self, GroupRows},
        parts::{self, NewPart, PartOrigin},
        provider_ids,
        steps::{self, LegMove, ProviderId, Steps},
        work::{self, WaitReason},
    },
    people::inbox_customers,
    work::lanes,
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, bsuid, cloud_number, database, moment, phone, resolve, sms_inbox};

const PART: PartId = PartId(Uuid::from_u128(50));

fn id(id: u128) -> MessageId {
    MessageId(Uuid::from_u128(id))
}

fn text() -> OutboundContent {
    OutboundContent::Text { body: "hi".to_owned() }
}

fn requested() -> FallbackRequest {
    FallbackRequest { text: Some("by SMS".to_owned()), unicode: false }
}

async fn store(db: &mut PgConnection, new: &[(u128, Recipient)], inbox: (InboxId, Channel)) {
    let part = NewPart {
        id: PART,
        batch: BatchId(PART.0),
        inbox: inbox.0,
        origin: PartOrigin::Chat,
        content: text(),
        fallback: Some(requested()),
        quoted_provider_id: None,
        send: None,
    };
    let new = new.iter().map(|(message, recipient)| NewMessage {
        id: id(*message),
        part: PART,
        origin: PartOrigin::Chat,
        inbox: inbox.0,
        channel: inbox.1,
        recipient: recipient.clone(),
        ct_id: None,
        gst_id: message.to_string(),
        order_key: 7,
        chat: None,
        conversation: None,
    });
    let new: Vec<NewMessage> = new.collect();
    let outgoing = GroupRows { parts: vec![&part], messages: new.iter().collect(), ..GroupRows::default() };
    outgoing_rows::insert(db, CLIENT, &outgoing, 1, moment(0)).await.unwrap();
}

/// The steps of an accepted send: the provider has the first leg of a message, under an id.
fn accepted(message: u128) -> Steps {
    let leg = LegMove {
        message: id(message),
        ordinal: 0,
        state: DeliveryState::Accepted,
        times: [None; 4],
        provider_id: Some("wamid.A".to_owned()),
        error: None,
        leaves_queue: true,
    };
    let known = ProviderId { id: "wamid.A".to_owned(), message: id(message), chat_message: None };
    Steps { legs: vec![leg], provider_ids: vec![known], ..Steps::default() }
}

fn undelivered(message: u128) -> NewFallback {
    NewFallback {
        message: id(message),
        inbox: INBOX,
        error_code: "131026".to_owned(),
        error_text: "not there".to_owned(),
        failed_at: moment(1),
    }
}

fn zo() -> Recipient {
    Recipient::new(phone("27820000001"), Some(bsuid("ZA.1")))
}

#[tokio::test]
async fn a_message_is_stored_with_its_first_leg_and_its_work() {
    let mut db = database().await;
    store(&mut db, &[(1, zo()), (2, bsuid("ZA.2").into())], (INBOX, Channel::Whatsapp)).await;
    let due = work::due(&mut db, CLIENT, INBOX.0, moment(0), 10).await.unwrap().legs;
    let [first, second] = due.as_slice() else { panic!("{due:?}") };
    assert_eq!((first.message, first.ordinal, first.channel, first.inbox), (id(1), 0, Channel::Whatsapp, INBOX));
    assert_eq!((&first.recipient, &second.recipient), (&zo(), &bsuid("ZA.2").into()));
    assert_eq!((first.content.as_ref(), &first.own_content, first.unanswered), (&text(), &None, false));
    assert!(Arc::ptr_eq(&first.content, &second.content), "the content of a part is read once");
    assert_eq!(parts::content(&mut db, CLIENT, PART).await.unwrap(), Some(text()));
    assert_eq!(parts::content(&mut db, STRANGER, PART).await.unwrap(), None);

    let locked = legs::lock(&mut db, CLIENT, &[(id(1), 0), (id(9), 0)], LockPolicy::Wait).await.unwrap();
    let [leg] = locked.as_slice() else { panic!("{locked:?}") };
    assert_eq!((&leg.recipient, &leg.leg_address), (&zo(), &phone("27820000001")));
    assert_eq!((leg.inbox, leg.leg_inbox, leg.last_ordinal), (INBOX, INBOX, 0));
    assert_eq!(leg.fallback, Some(requested()));
    assert_eq!(leg.leg_state, DeliveryState::Queued);
}

#[tokio::test]
async fn any_channel_can_be_the_first_leg() {
    let mut db = database().await;
    let page = InboxId(Uuid::from_u128(30));
    let settings = MessengerInbox { page_id: "1042".to_owned(), access_token_sealed: vec![1], app_secret_sealed: None };
    let inbox = Inbox { id: page, settings: InboxSettings::Messenger(settings) };
    inboxes::insert(&mut db, CLIENT, &inbox, moment(0)).await.unwrap();
    let fan = Address::of_kind(AddressKind::Psid, "24071234567").unwrap();
    store(&mut db, &[(1, fan.clone().into())], (page, Channel::Facebook)).await;
    let due = work::due(&mut db, CLIENT, page.0, moment(0), 10).await.unwrap().legs;
    assert_eq!((due[0].channel, due[0].recipient.address()), (Channel::Facebook, &fan));
    let lanes = lanes::due(&mut db, Queue::Outbound, moment(0), 10).await.unwrap();
    assert_eq!(lanes, [(CLIENT, page.0)]);
}

#[tokio::test]
async fn a_leg_that_is_added_comes_last_and_waits_in_the_lane_of_its_inbox() {
    let mut db = database().await;
    store(&mut db, &[(1, zo())], (INBOX, Channel::Whatsapp)).await;
    steps::write(&mut db, CLIENT, &accepted(1), moment(1)).await.unwrap();
    let lane = sms_inbox(CLIENT);
    let sms = SmsContent { text: "by SMS".to_owned(), unicode: false, source: None, ..SmsContent::default() };
    let leg = NewLeg {
        channel: Channel::Sms,
        inbox: lane,
        address: phone("27820000001"),
        content: Some(LegContent::Sms(sms.clone())),
    };
    assert_eq!(legs::append(&mut db, CLIENT, id(1), &leg, 1, moment(5)).await.unwrap(), Some(1));
    assert_eq!(legs::append(&mut db, CLIENT, id(9), &leg, 1, moment(5)).await.unwrap(), None, "no such message");
    let due = work::due(&mut db, CLIENT, lane.0, moment(5), 10).await.unwrap().legs;
    assert_eq!((due[0].ordinal, due[0].channel, due[0].inbox), (1, Channel::Sms, lane));
    assert_eq!(due[0].recipient, phone("27820000001").into(), "the other address is of another channel");
    assert_eq!(due[0].own_content, Some(LegContent::Sms(sms.clone())));
    let contents = legs::contents(&mut db, CLIENT, &[(id(1), 1), (id(1), 0), (id(1), 7)]).await.unwrap();
    assert_eq!(contents.len(), 2, "of a leg that there is not, nothing is said");
    assert_eq!(contents[&(id(1), 1)], LegContent::Sms(sms));
    assert_eq!(contents[&(id(1), 0)], LegContent::Message(Box::new(text())), "a leg without its own sends the part's");

    let repeated = NewLeg { channel: Channel::Whatsapp, inbox: INBOX, content: None, ..leg };
    assert_eq!(legs::append(&mut db, CLIENT, id(1), &repeated, 0, moment(6)).await.unwrap(), Some(2));
    let locked = legs::lock(&mut db, CLIENT, &[(id(1), 1)], LockPolicy::Wait).await.unwrap();
    assert_eq!((locked[0].channel, locked[0].leg_inbox, locked[0].last_ordinal), (Channel::Sms, lane, 2));
    assert_eq!(locked[0].inbox, INBOX);
}

#[tokio::test]
async fn legs_move_forward_and_leave_the_queue() {
    let mut db = database().await;
    store(&mut db, &[(1, zo()), (2, zo())], (INBOX, Channel::Whatsapp)).await;
    let both = [(id(1), 0), (id(2), 0)];
    work::mark_sending(&mut db, CLIENT, &both, moment(0), Duration::from_secs(30)).await.unwrap();
    assert!(work::due(&mut db, CLIENT, INBOX.0, moment(29), 10).await.unwrap().legs.is_empty());
    work::mark_unknown(&mut db, CLIENT, &both[..1]).await.unwrap();
    legs::mark_ambiguous(&mut db, CLIENT, &both[..1]).await.unwrap();
    work::defer(&mut db, CLIENT, &[(id(2), 0, moment(3))], WaitReason::Again).await.unwrap();
    lanes::due(&mut db, Queue::Outbound, moment(30), 10).await.unwrap();
    let due = work::due(&mut db, CLIENT, INBOX.0, moment(30), 10).await.unwrap().legs;
    let seen: Vec<_> = due.iter().map(|leg| (leg.unanswered, leg.ambiguous, leg.attempts)).collect();
    assert_eq!(seen, [(true, true, 1), (false, false, 1)]);
    steps::write(&mut db, CLIENT, &accepted(1), moment(31)).await.unwrap();
    let found = provider_ids::find(&mut db, CLIENT, &["wamid.A", "wamid.B"]).await.unwrap();
    assert_eq!(found, HashMap::from([("wamid.A".to_owned(), (id(1), 0))]));
    let locked = legs::lock(&mut db, CLIENT, &both, LockPolicy::Wait).await.unwrap();
    let states: Vec<_> = locked.iter().map(|leg| (leg.id, leg.leg_state)).collect();
    assert_eq!(states, [(id(1), DeliveryState::Accepted), (id(2), DeliveryState::Queued)]);
}

#[tokio::test]
async fn a_step_removes_a_leg_from_the_queue_on_request() {
    let mut db = database().await;
    store(&mut db, &[(1, zo())], (INBOX, Channel::Whatsapp)).await;
    for leaves_queue in [false, true] {
        let mut moved = accepted(1);
        moved.legs[0].leaves_queue = leaves_queue;
        steps::write(&mut db, CLIENT, &moved, moment(1)).await.unwrap();
        let due = work::due(&mut db, CLIENT, INBOX.0, moment(1), 10).await.unwrap().legs;
        assert_eq!(due.is_empty(), leaves_queue);
    }
}

#[tokio::test]
async fn a_mark_is_written_to_the_row_of_the_work() {
    let mut db = database().await;
    store(&mut db, &[(1, zo()), (2, zo()), (3, zo())], (INBOX, Channel::Whatsapp)).await;
    let all = [(id(1), 0), (id(2), 0), (id(3), 0)];
    work::mark_sending(&mut db, CLIENT, &all, moment(0), Duration::from_secs(30)).await.unwrap();
    sqlx::query("SELECT pg_stat_force_next_flush()").execute(&mut db).await.unwrap();
    let written = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
                   WHERE schemaname = current_schema() AND relname = 'outbound_work'";
    let written: (i64, i64) = sqlx::query_as(written).fetch_one(&mut db).await.unwrap();
    assert_eq!(written, (3, 3), "no index has a new entry");
}

#[tokio::test]
async fn deferred_legs_wait_for_their_time_and_keep_their_state() {
    let mut db = database().await;
    store(&mut db, &[(1, zo()), (2, zo()), (3, zo())], (INBOX, Channel::Whatsapp)).await;
    let all = [(id(1), 0), (id(2), 0), (id(3), 0)];
    work::mark_sending(&mut db, CLIENT, &all[..1], moment(0), Duration::from_secs(1)).await.unwrap();
    work::defer(&mut db, CLIENT, &[(id(2), 0, moment(1))], WaitReason::Paced).await.unwrap();
    let later = all.map(|(message, ordinal)| (message, ordinal, moment(60)));
    work::defer(&mut db, CLIENT, &later, WaitReason::PutOff).await.unwrap();
    assert_eq!(lanes::due(&mut db, Queue::Outbound, moment(59), 10).await.unwrap(), []);
    let rows = "SELECT phase, ready FROM outbound_work ORDER BY message_id";
    let rows: Vec<(String, bool)> = sqlx::query_as(rows).fetch_all(&mut db).await.unwrap();
    let phases = ["SENDING", "READY", "READY"].map(|phase| (phase.to_owned(), false));
    assert_eq!(rows, phases, "nothing lines up behind one that was put off");
    assert_eq!(lanes::due(&mut db, Queue::Outbound, moment(60), 10).await.unwrap(), [(CLIENT, INBOX.0)]);
    let due = work::due(&mut db, CLIENT, INBOX.0, moment(60), 10).await.unwrap().legs;
    let unanswered: Vec<_> = due.iter().map(|leg| (leg.message, leg.unanswered, leg.queued_at)).collect();
    let waited = |message, unanswered| (id(message), unanswered, moment(0));
    assert_eq!(unanswered, [waited(1, true), waited(2, false), waited(3, false)]);
}

#[tokio::test]
async fn attempts_are_counted_as_far_as_their_column_goes() {
    let mut db = database().await;
    store(&mut db, &[(1, zo())], (INBOX, Channel::Whatsapp)).await;
    sqlx::query("UPDATE outbound_work SET attempts = 32766").execute(&mut db).await.unwrap();
    for _ in 0..2 {
        work::mark_sending(&mut db, CLIENT, &[(id(1), 0)], moment(0), Duration::ZERO).await.unwrap();
        let due = work::due(&mut db, CLIENT, INBOX.0, moment(0), 10).await.unwrap().legs;
        assert_eq!(due[0].attempts, i16::MAX);
    }
}

#[tokio::test]
async fn a_fallback_is_decided_once_with_all_that_the_decision_needs() {
    let mut db = database().await;
    store(&mut db, &[(1, zo())], (INBOX, Channel::Whatsapp)).await;
    let new = undelivered(1);
    assert!(fallbacks::request(&mut db, CLIENT, &new, moment(1)).await.unwrap());
    assert!(!fallbacks::request(&mut db, CLIENT, &new, moment(2)).await.unwrap());
    let due = fallbacks::due(&mut db, CLIENT, INBOX.0, moment(1), 10).await.unwrap();
    let [waiting] = due.fallbacks.as_slice() else { panic!("{due:?}") };
    assert_eq!((waiting.message, &waiting.recipient, waiting.inbox), (id(1), &zo(), INBOX));
    assert_eq!((waiting.sender.as_deref(), &waiting.content), (Some("27600000001"), &text()));
    assert_eq!(waiting.fallback, Some(requested()));
    assert_eq!((waiting.sms_inbox, &waiting.sms_source), (sms_inbox(CLIENT), &None));
    let decided = FallbackDecision {
        sent: true,
        plugin: "sms-fallback",
        version: None,
        sha256: None,
        reason: None,
        at: moment(2),
    };
    assert!(fallbacks::decide(&mut db, CLIENT, id(1), &decided).await.unwrap());
    assert!(!fallbacks::decide(&mut db, CLIENT, id(1), &decided).await.unwrap());
}

#[tokio::test]
async fn a_fallback_tells_whether_any_whatsapp_number_of_the_client_has_seen_the_recipient() {
    let mut db = database().await;
    let other = InboxId(Uuid::from_u128(11));
    inboxes::insert(&mut db, CLIENT, &cloud_number(11, "27600000002"), moment(0)).await.unwrap();
    let page = InboxId(Uuid::from_u128(30));
    let settings = MessengerInbox { page_id: "1042".to_owned(), access_token_sealed: vec![1], app_secret_sealed: None };
    let messenger = Inbox { id: page, settings: InboxSettings::Messenger(settings) };
    inboxes::insert(&mut db, CLIENT, &messenger, moment(0)).await.unwrap();
    let ids = IdSource::new([3; 32]);
    for (digits, inbox) in
        [("27820000001", INBOX), ("27820000002", other), ("27820000003", page), ("27820000004", INBOX)]
    {
        let known = Introduction { addresses: vec![phone(digits)], ..Introduction::default() };
        let customer = resolve(&mut db, CLIENT, &ids, known, moment(0)).await.unwrap();
        inbox_customers::mark_reached(&mut db, CLIENT, &BTreeSet::from([(inbox, customer)])).await.unwrap();
    }
    let by_user_id = Recipient::new(bsuid("ZA.4"), Some(phone("27820000004")));
    let sent: [(u128, Recipient); 5] = [
        (1, zo()),
        (2, phone("27820000002").into()),
        (3, phone("27820000003").into()),
        (4, by_user_id),
        (5, phone("27820000005").into()),
    ];
    store(&mut db, &sent, (INBOX, Channel::Whatsapp)).await;
    for (message, _) in &sent {
        assert!(fallbacks::request(&mut db, CLIENT, &undelivered(*message), moment(1)).await.unwrap());
    }
    let due = fallbacks::due(&mut db, CLIENT, INBOX.0, moment(1), 10).await.unwrap().fallbacks;
    let mut told: Vec<_> = due.iter().map(|one| (one.message, one.seen_on_whatsapp)).collect();
    told.sort();
    assert_eq!(told, [(id(1), true), (id(2), true), (id(3), false), (id(4), true), (id(5), false)]);
}

#[tokio::test]
async fn a_fallback_that_cannot_be_read_is_set_apart_from_the_others() {
    let mut db = database().await;
    store(&mut db, &[(1, zo()), (2, zo())], (INBOX, Channel::Whatsapp)).await;
    for message in [1, 2] {
        assert!(fallbacks::request(&mut db, CLIENT, &undelivered(message), moment(1)).await.unwrap());
    }
    sqlx::query("UPDATE outbound_message SET address_value = 'no number' WHERE id = $1")
        .bind(id(1).0)
        .execute(&mut db)
        .await
        .unwrap();
    let due = fallbacks::due(&mut db, CLIENT, INBOX.0, moment(1), 10).await.unwrap();
    assert_eq!(due.fallbacks.iter().map(|one| one.message).collect::<Vec<_>>(), [id(2)]);
    assert_eq!(due.unreadable.iter().map(|one| one.message).collect::<Vec<_>>(), [id(1)]);
    assert!(due.unreadable[0].error.is_of_a_stored_value());
}

#[tokio::test]
async fn facts_of_a_recipient_decide_whether_a_failure_may_fall_back() {
    let mut db = database().await;
    let known = Introduction { addresses: vec![phone("27820000001")], ..Introduction::default() };
    let customer = resolve(&mut db, CLIENT, &IdSource::new([3; 32]), known, moment(0)).await.unwrap();
    let facts = async |db: &mut PgConnection| {
        fallbacks::facts(db, CLIENT, INBOX, id(1), Some(&phone("27820000001"))).await.unwrap().unwrap()
    };
    let before = facts(&mut db).await;
    assert_eq!((before.mode, before.reached, before.accepted_at), (FallbackMode::Strict, false, None));
    assert_eq!(fallbacks::facts(&mut db, CLIENT, INBOX, id(1), None).await.unwrap(), Some(before));
    inbox_customers::mark_reached(&mut db, CLIENT, &BTreeSet::from([(INBOX, customer)])).await.unwrap();
    assert!(facts(&mut db).await.reached);
    sqlx::query("UPDATE client SET fallback_mode = 'ANY_131026'").execute(&mut db).await.unwrap();
    assert_eq!(facts(&mut db).await.mode, FallbackMode::Any131026);
}

#[tokio::test]
async fn refusals_are_counted_apart_from_calls_and_where_the_work_lies() {
    let mut db = database().await;
    store(&mut db, &[(1, zo()), (2, zo())], (INBOX, Channel::Whatsapp)).await;
    for _ in 0..2 {
        work::mark_sending(&mut db, CLIENT, &[(id(1), 0), (id(2), 0)], moment(0), Duration::ZERO).await.unwrap();
        work::count_refusals(&mut db, CLIENT, &[(id(2), 0)]).await.unwrap();
    }
    let due = work::due(&mut db, CLIENT, INBOX.0, moment(0), 10).await.unwrap().legs;
    let counted: Vec<_> = due.iter().map(|leg| (leg.attempts, leg.refusals)).collect();
    assert_eq!(counted, [(2, 0), (2, 2)]);
    sqlx::query("SELECT pg_stat_force_next_flush()").execute(&mut db).await.unwrap();
    let moved = "SELECT n_tup_upd - n_tup_hot_upd FROM pg_stat_user_tables
                 WHERE schemaname = current_schema() AND relname = 'outbound_work'";
    assert_eq!(sqlx::query_scalar::<_, i64>(moved).fetch_one(&mut db).await.unwrap(), 0, "no index has a new entry");
}

#[tokio::test]
async fn calls_without_an_outcome_are_found_by_recipient_whether_they_wait_or_not() {
    let mut db = database().await;
    let sipho = Recipient::from(phone("27820000002"));
    store(&mut db, &[(1, zo()), (2, zo()), (3, zo()), (4, sipho)], (INBOX, Channel::Whatsapp)).await;
    let marked = [(id(1), 0), (id(2), 0), (id(4), 0)];
    work::mark_sending(&mut db, CLIENT, &marked, moment(0), Duration::from_secs(60)).await.unwrap();
    work::mark_unknown(&mut db, CLIENT, &[(id(2), 0), (id(4), 0)]).await.unwrap();
    let to_zo = ["27820000001", "100@lid"];
    let found = in_doubt::to_recipients(&mut db, CLIENT, INBOX.0, &to_zo).await.unwrap();
    let messages: Vec<_> = found.iter().map(|leg| (leg.message, leg.ordinal, leg.queued_at)).collect();
    assert_eq!(messages, [(id(1), 0, moment(0)), (id(2), 0, moment(0))], "the third has not been called for");
    assert_eq!(found[1].content, text());
    for (client, recipient, is_any) in
        [(CLIENT, "27820000001", true), (CLIENT, "27820000002", true), (CLIENT, "1", false), (STRANGER, "1", false)]
    {
        assert_eq!(in_doubt::is_any_to(&mut db, client, INBOX.0, &[recipient]).await.unwrap(), is_any, "{recipient}");
    }
    assert!(in_doubt::to_recipients(&mut db, STRANGER, INBOX.0, &to_zo).await.unwrap().is_empty());
    for (recipient, calls, is_any) in [
        ("27820000001", OpenCalls::InFlight, true),
        ("27820000002", OpenCalls::InFlight, false),
        ("27820000002", OpenCalls::All, true),
        ("1", OpenCalls::All, false),
    ] {
        let found = in_doubt::is_any_in_front_to(&mut db, CLIENT, INBOX.0, &[recipient], calls).await.unwrap();
        assert_eq!(found, is_any, "{recipient}, {calls:?}");
    }
}
