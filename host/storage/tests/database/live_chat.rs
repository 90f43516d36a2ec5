//! Participants, their messages and the events for their chatbots, in a real database.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    chat::{
        ArrivedMessage, ChatContent, ChatbotTimer, ContentType, CustomEvent, ParticipantEvent, ParticipantMove,
        ParticipantState,
    },
    clock::IdSource,
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{ChatMessageId, CustomerId, ParticipantEventId, ParticipantId},
};
use people::Introduction;
use storage::{
    PgConnection,
    chat::{
        chat_messages::{self, MessageDelivery, NewChatMessage},
        history::{self, PART_BYTES},
        participant_events::{self, NewParticipantEvent, NewTimer},
        participants::{self, Participant},
        teams,
    },
};
use uuid::Uuid;

use crate::fixtures::{self, CLIENT, INBOX, moment, phone, resolve};

const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(100));

async fn database() -> (PgConnection, CustomerId) {
    let mut db = fixtures::database().await;
    let zo = Introduction { addresses: vec![phone("27820000001")], ..Introduction::default() };
    let customer = resolve(&mut db, CLIENT, &IdSource::new([3; 32]), zo, moment(0)).await.unwrap();
    (db, customer)
}

async fn begin(db: &mut PgConnection, customer: CustomerId, id: ParticipantId) -> Option<Participant> {
    let new = participants::NewParticipant {
        id,
        inbox: INBOX,
        customer,
        channel: Channel::Whatsapp,
        state: ParticipantState::Bot,
    };
    participants::insert(db, CLIENT, new, moment(0)).await.unwrap()
}

fn arrived(id: u128) -> ArrivedMessage {
    ArrivedMessage {
        message: ChatMessageId(Uuid::from_u128(id)),
        reopened: false,
        template: None,
        last_team: None,
        rating: None,
    }
}

fn event(id: u128, of: fn(ArrivedMessage) -> ParticipantEvent) -> NewParticipantEvent {
    NewParticipantEvent { id: ParticipantEventId(Uuid::from_u128(id)), event: of(arrived(id)) }
}

fn timer(name: &str) -> ChatbotTimer {
    ChatbotTimer { name: name.to_owned(), plugin: Some("bot".to_owned()), due_at: None }
}

async fn start_timer(db: &mut PgConnection, id: u128, timer: &ChatbotTimer, due_at: DateTime<Utc>) {
    let new = NewTimer { id: ParticipantEventId(Uuid::from_u128(id)), timer, due_at };
    participant_events::start_timer(db, CLIENT, CHAT, new).await.unwrap();
}

async fn append(db: &mut PgConnection, events: &[NewParticipantEvent], now: DateTime<Utc>) {
    participant_events::append(db, CLIENT, CHAT, events, now).await.unwrap();
}

/// Takes the events of the chat away one by one, in the order in which they come.
async fn drain(db: &mut PgConnection) -> Vec<u128> {
    let mut order = Vec::new();
    while let Some(head) = participant_events::head(db, CLIENT, CHAT).await.unwrap() {
        let head = head.unwrap();
        order.push(head.id.0.as_u128());
        assert!(participant_events::remove(db, CLIENT, head.id).await.unwrap());
    }
    order
}

#[tokio::test]
async fn a_customer_has_one_participant_per_inbox() {
    let (mut db, customer) = database().await;
    let first = begin(&mut db, customer, CHAT).await.unwrap();
    assert!(begin(&mut db, customer, ParticipantId(Uuid::from_u128(101))).await.is_none());
    let locked = participants::lock_of_customer(&mut db, CLIENT, INBOX, customer).await.unwrap();
    assert_eq!(locked, Some(first));
}

#[tokio::test]
async fn every_kind_of_event_comes_back_as_it_was_stored() {
    let (mut db, _) = database().await;
    let rating = ArrivedMessage { rating: Some("POOR".to_owned()), last_team: Some("sales".to_owned()), ..arrived(4) };
    let events = [
        ParticipantEvent::Route(arrived(1)),
        ParticipantEvent::Started(arrived(2)),
        ParticipantEvent::Message(ArrivedMessage { reopened: true, ..arrived(3) }),
        ParticipantEvent::Rating(rating),
        ParticipantEvent::Timer(timer("nudge")),
        ParticipantEvent::Custom(CustomEvent { name: "order-paid".to_owned(), payload: "{}".to_owned() }),
        ParticipantEvent::Released,
    ];
    for (id, event) in (1_u32..).zip(&events) {
        let new = NewParticipantEvent { id: ParticipantEventId(Uuid::from_u128(id.into())), event: event.clone() };
        append(&mut db, &[new], moment(id.into())).await;
    }
    for event in events {
        let head = participant_events::head(&mut db, CLIENT, CHAT).await.unwrap().unwrap().unwrap();
        assert_eq!(head.event, event);
        participant_events::remove(&mut db, CLIENT, head.id).await.unwrap();
    }
}

#[tokio::test]
async fn a_saved_participant_reads_back_as_it_was() {
    let (mut db, customer) = database().await;
    let team = "INSERT INTO team (client_id, id, name, created_at) VALUES ($1, gen_random_uuid(), 'sales', now())";
    sqlx::query(team).bind(CLIENT.0).execute(&mut db).await.unwrap();
    let mut chat = begin(&mut db, customer, CHAT).await.unwrap();
    chat.apply(ParticipantMove::HandedOver).unwrap();
    chat.team = teams::by_name(&mut db, CLIENT, " SALES ").await.unwrap();
    assert_eq!(chat.team.as_ref().unwrap().name, "sales");
    chat.queued_reason = Some("asked for a person".to_owned());
    chat.tags.push("vip".to_owned());
    chat.bot_state = "menu".to_owned();
    assert_eq!(chat.take_sequence(moment(9)), 1);
    chat.events_handled = 4;
    participants::save(&mut db, CLIENT, &chat).await.unwrap();
    assert_eq!(participants::find(&mut db, CLIENT, CHAT).await.unwrap(), Some(chat.clone()));
    assert_eq!((chat.state, chat.control_version, chat.last_message_at), (ParticipantState::Queued, 2, moment(9)));
    assert!(participants::agent_names(&mut db, CLIENT, &[]).await.unwrap().is_empty());
}

fn said(id: ChatMessageId, sequence: i64) -> NewChatMessage {
    NewChatMessage {
        id,
        participant: CHAT,
        sequence,
        content_type: ContentType::Text,
        channel: Channel::Whatsapp,
        body: Some("hi".to_owned()),
        content: ChatContent::Outgoing(Box::new(OutboundContent::Text { body: "hi".to_owned() })),
        media: None,
        owner: "BOT".to_owned(),
        after_hours: false,
        agent: None,
        temp_id: None,
        ct_id: None,
        gst_id: "g1".to_owned(),
        provider_id: None,
        quoted_provider_id: None,
        state: Some(DeliveryState::Queued),
        created_at: moment(1),
    }
}

#[tokio::test]
async fn a_provider_id_is_taken_once_and_leads_back_to_its_message() {
    let (mut db, customer) = database().await;
    begin(&mut db, customer, CHAT).await.unwrap();
    let message = |id| ChatMessageId(Uuid::from_u128(id));
    let id = message(500);
    let claimed = chat_messages::claim_provider_ids(&mut db, CLIENT, &[("wamid.A", id)]).await.unwrap();
    assert_eq!(claimed, HashSet::from([id]));
    let claims = [("wamid.A", message(91)), ("wamid.B", message(92)), ("wamid.B", message(93))];
    let claimed = chat_messages::claim_provider_ids(&mut db, CLIENT, &claims).await.unwrap();
    assert_eq!(claimed, HashSet::from([message(92)]), "of two with one id the first counts");
    let message = NewChatMessage { ct_id: Some("mine".to_owned()), ..said(id, 1) };
    chat_messages::insert(&mut db, CLIENT, &message).await.unwrap();
    let quoted = chat_messages::find_quoted(&mut db, CLIENT, "wamid.A").await.unwrap().unwrap();
    assert_eq!((quoted.chat_message, quoted.gst_id.as_str(), quoted.ct_id.as_deref()), (Some(id), "g1", Some("mine")));
    assert_eq!(quoted.body.as_deref(), Some("hi"));
    assert_eq!(chat_messages::find_quoted(&mut db, CLIENT, "wamid.B").await.unwrap(), None);
    let delivery = MessageDelivery { state: DeliveryState::Sent, at: moment(1), provider_id: Some("wamid.A") };
    chat_messages::set_delivery(&mut db, CLIENT, id, delivery).await.unwrap();
    let found = chat_messages::find(&mut db, CLIENT, id).await.unwrap().unwrap();
    assert_eq!(found.provider_id.as_deref(), Some("wamid.A"));
}

#[tokio::test]
async fn events_come_in_the_order_in_which_they_were_stored_even_when_a_clock_goes_back() {
    let (mut db, _) = database().await;
    append(&mut db, &[event(9, ParticipantEvent::Started), event(8, ParticipantEvent::Message)], moment(10)).await;
    append(&mut db, &[event(1, ParticipantEvent::Message)], moment(5)).await;
    append(&mut db, &[event(2, ParticipantEvent::Message)], moment(20)).await;
    assert_eq!(drain(&mut db).await, [9, 8, 1, 2]);
}

#[tokio::test]
async fn a_timer_does_not_delay_earlier_events() {
    let (mut db, _) = database().await;
    start_timer(&mut db, 1, &timer("nudge"), moment(60)).await;
    append(&mut db, &[event(2, ParticipantEvent::Message)], moment(10)).await;
    start_timer(&mut db, 3, &timer("nudge"), moment(90)).await;
    append(&mut db, &[event(4, ParticipantEvent::Message)], moment(95)).await;
    assert_eq!(drain(&mut db).await, [2, 3, 4], "the timer of the same name was moved, and came when it was due");
}

#[tokio::test]
async fn an_event_that_failed_stays_first_and_the_others_wait_for_it_in_their_order() {
    let (mut db, _) = database().await;
    append(
        &mut db,
        &[
            event(1, ParticipantEvent::Message),
            event(2, ParticipantEvent::Message),
            event(3, ParticipantEvent::Message),
        ],
        moment(0),
    )
    .await;
    let head = participant_events::head(&mut db, CLIENT, CHAT).await.unwrap().unwrap().unwrap();
    participant_events::postpone(&mut db, CLIENT, CHAT, head.id, moment(5)).await.unwrap();
    let due: i64 = sqlx::query_scalar("SELECT count(*) FROM participant_event WHERE due_at < $1")
        .bind(moment(5))
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(due, 0, "nothing of the lane is due before the event that failed");
    append(&mut db, &[event(4, ParticipantEvent::Message)], moment(1)).await;
    let head = participant_events::head(&mut db, CLIENT, CHAT).await.unwrap().unwrap().unwrap();
    assert_eq!((head.id.0.as_u128(), head.attempts, head.due_at), (1, 1, moment(5)));
    assert_eq!(drain(&mut db).await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn an_event_can_be_put_before_one_that_waits() {
    let (mut db, _) = database().await;
    append(&mut db, &[event(1, ParticipantEvent::Message), event(2, ParticipantEvent::Message)], moment(0)).await;
    start_timer(&mut db, 7, &timer("later"), moment(50)).await;
    let done = ParticipantEventId(Uuid::from_u128(1));
    let next = participant_events::next_customer_event(&mut db, CLIENT, CHAT, done).await.unwrap().unwrap();
    assert_eq!(next.id.0.as_u128(), 2);
    participant_events::insert_before(&mut db, CLIENT, CHAT, &event(3, ParticipantEvent::Started), &next)
        .await
        .unwrap();
    let changed = ParticipantEvent::Message(ArrivedMessage { reopened: true, ..arrived(2) });
    participant_events::replace(&mut db, CLIENT, next.id, &changed).await.unwrap();
    let again = participant_events::next_customer_event(&mut db, CLIENT, CHAT, done).await.unwrap().unwrap();
    assert_eq!(again.id.0.as_u128(), 3);
    participant_events::remove(&mut db, CLIENT, done).await.unwrap();
    let behind = participant_events::next_customer_event(&mut db, CLIENT, CHAT, again.id).await.unwrap().unwrap();
    assert_eq!((behind.id, behind.event), (next.id, changed));
    assert_eq!(participant_events::remove_timers(&mut db, CLIENT, CHAT).await.unwrap(), 1);
    assert_eq!(drain(&mut db).await, [3, 2]);
    append(&mut db, &[event(5, ParticipantEvent::Message)], moment(60)).await;
    assert_eq!(participant_events::remove_all(&mut db, CLIENT, CHAT).await.unwrap().len(), 0);
    assert!(drain(&mut db).await.is_empty());
}

#[tokio::test]
async fn a_part_of_a_chat_is_bounded_in_bytes_and_has_one_message_at_least() {
    let (mut db, customer) = database().await;
    begin(&mut db, customer, CHAT).await.unwrap();
    for number in 1..=6 {
        let message = said(ChatMessageId(Uuid::from_u128(number)), i64::try_from(number).unwrap());
        chat_messages::insert(&mut db, CLIENT, &message).await.unwrap();
    }
    let enlarge = "UPDATE chat_message SET body = repeat('x', $1) WHERE sequence_number BETWEEN $2 AND $3";
    let third = i32::try_from(PART_BYTES / 3).unwrap();
    for (bytes, from, to) in [(third - 1_000, 3_i64, 5_i64), (3 * third, 2, 2)] {
        sqlx::query(enlarge).bind(bytes).bind(from).bind(to).execute(&mut db).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let part = history::before(&mut db, CLIENT, CHAT, before, 1_000).await.unwrap();
        let Some(first) = part.first() else { break };
        before = Some(first.sequence);
        seen.push(part.iter().map(|message| message.sequence).collect::<Vec<_>>());
    }
    assert_eq!(seen, [vec![3, 4, 5, 6], vec![2], vec![1]]);
}

/// A turn in a process of a release that keeps the state without its plugin.
async fn turn_of_an_earlier_release(db: &mut PgConnection, state: &str) {
    let turn =
        "UPDATE participant SET bot_state = $3, events_handled = events_handled + 1 WHERE client_id = $1 AND id = $2";
    sqlx::query(turn).bind(CLIENT.0).bind(CHAT.0).bind(state).execute(db).await.unwrap();
}

async fn with_state_of(plugin: &str, state: &str) -> PgConnection {
    let (mut db, customer) = database().await;
    let mut chat = begin(&mut db, customer, CHAT).await.unwrap();
    chat.set_bot_state(plugin, state.to_owned());
    participants::save(&mut db, CLIENT, &chat).await.unwrap();
    db
}

#[tokio::test]
async fn a_state_that_an_earlier_release_wrote_is_for_each_chatbot() {
    let mut db = with_state_of("first", "menu").await;
    turn_of_an_earlier_release(&mut db, "order").await;

    let mut chat = participants::find(&mut db, CLIENT, CHAT).await.unwrap().unwrap();

    assert_eq!((chat.state_of("first"), chat.state_of("second")), ("order", "order"));
    chat.tags.push("vip".to_owned());
    participants::save(&mut db, CLIENT, &chat).await.unwrap();
    let chat = participants::find(&mut db, CLIENT, CHAT).await.unwrap().unwrap();
    assert_eq!(chat.state_of("second"), "order", "another change of the chat does not make it a state of the first");
}

#[tokio::test]
async fn a_turn_of_an_earlier_release_that_sets_no_state_leaves_it_to_its_chatbot() {
    let mut db = with_state_of("first", "menu").await;
    turn_of_an_earlier_release(&mut db, "menu").await;

    let chat = participants::find(&mut db, CLIENT, CHAT).await.unwrap().unwrap();

    assert_eq!((chat.state_of("first"), chat.state_of("second")), ("menu", ""));
}

#[tokio::test]
async fn a_chatbot_moves_and_cancels_only_its_own_timers_and_those_of_an_earlier_release() {
    let (mut db, _) = database().await;
    for (id, plugin, name) in [(1, Some("first"), "tea"), (2, Some("second"), "tea"), (3, None, "old")] {
        let timer = ChatbotTimer { plugin: plugin.map(str::to_owned), ..timer(name) };
        start_timer(&mut db, id, &timer, moment(60)).await;
    }
    let running = participant_events::timers(&mut db, CLIENT, CHAT, "second").await.unwrap();
    assert_eq!(running, [("tea".to_owned(), moment(60)), ("old".to_owned(), moment(60))]);

    for (name, is_there) in [("tea", true), ("tea", false), ("old", true)] {
        let cancelled = participant_events::cancel_timer(&mut db, CLIENT, CHAT, "second", name).await.unwrap();
        assert_eq!(cancelled, is_there, "{name}");
    }

    assert_eq!(drain(&mut db).await, [1]);
}
