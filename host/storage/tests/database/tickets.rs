//! Tickets: their numbers, the results of searches, and ratings, which are given once.

use domain::{
    channel::Channel,
    chat::{ParticipantState, Rating, TicketStatus},
    clock::IdSource,
    ids::{ClientId, ParticipantId, TicketId, UserId},
    page::PageRequest,
};
use people::Introduction;
use storage::{
    PgConnection,
    chat::{
        participants,
        tickets::{self, Filter, Ticket, TicketOpening, TicketRating},
    },
};
use uuid::Uuid;

use crate::fixtures::{self, CLIENT, INBOX, STRANGER, moment, phone, resolve};

const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(100));
const AGENT: UserId = UserId(Uuid::from_u128(1));
const FIRST: PageRequest = PageRequest { page: 0, size: 10 };

async fn begin(db: &mut PgConnection) {
    let zo = Introduction { addresses: vec![phone("27820000001")], ..Introduction::default() };
    let zo = resolve(db, CLIENT, &IdSource::new([3; 32]), zo, moment(0)).await.unwrap();
    let new = participants::NewParticipant {
        id: CHAT,
        inbox: INBOX,
        customer: zo,
        channel: Channel::Whatsapp,
        state: ParticipantState::Active,
    };
    participants::insert(db, CLIENT, new, moment(0)).await.unwrap().unwrap();
}

async fn open(db: &mut PgConnection, id: u128, at: i64) -> Ticket {
    let id = TicketId(Uuid::from_u128(id));
    let new = TicketOpening { id, participant: CHAT, inbox: INBOX, agent: AGENT };
    tickets::open(db, CLIENT, new, moment(at)).await.unwrap()
}

async fn rate(db: &mut PgConnection, client: ClientId, ticket: &Ticket, rating: Rating, at: i64) -> bool {
    let rating = TicketRating { chat: ticket.participant, ticket: ticket.id, rating };
    tickets::rate(db, client, rating, moment(at)).await.unwrap()
}

fn everything() -> Filter {
    Filter {
        from: moment(0),
        until: moment(1_000),
        inbox_address: None,
        rating: None,
        number: None,
        agent: None,
        status: None,
        chats: None,
    }
}

async fn numbers(db: &mut PgConnection, client: ClientId, filter: &Filter) -> Vec<i64> {
    let found = tickets::search(db, client, filter, FIRST).await.unwrap();
    assert_eq!(found.total, found.items.len() as u64);
    found.items.iter().map(|ticket| ticket.number).collect()
}

#[tokio::test]
async fn tickets_opened_at_the_same_time_count_without_gap_or_double() {
    let scratch = scratch::database().await;
    let pool = scratch.pool(8).await;
    let mut db = pool.acquire().await.unwrap();
    fixtures::prepare(&mut db).await;
    begin(&mut db).await;
    let opened = (0..24).map(|number: u128| {
        let pool = pool.clone();
        tokio::spawn(async move {
            let mut tx = pool.begin().await.unwrap();
            let ticket = open(&mut tx, 1_000 + number, 1).await;
            // A rolled back number leaves no gap.
            if number % 4 == 3 {
                tx.rollback().await.unwrap()
            } else {
                tx.commit().await.unwrap()
            }
            (number % 4 != 3).then_some(ticket.number)
        })
    });
    let mut numbers = Vec::new();
    for ticket in opened.collect::<Vec<_>>() {
        numbers.extend(ticket.await.unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=18).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_search_finds_tickets_by_everything_that_it_can_ask_for() {
    let mut db = fixtures::database().await;
    begin(&mut db).await;
    for number in 1..=3 {
        open(&mut db, 1_000 + number, i64::try_from(number * 10).unwrap()).await;
    }
    let mut second = tickets::by_number(&mut db, CLIENT, 2).await.unwrap().unwrap();
    (second.status, second.agent) = (TicketStatus::Resolved, None);
    (second.updated_at, second.closed_at) = (moment(50), Some(moment(50)));
    tickets::save(&mut db, CLIENT, &second).await.unwrap();
    assert_eq!(tickets::find(&mut db, CLIENT, second.id).await.unwrap(), Some(second.clone()));
    assert!(rate(&mut db, CLIENT, &second, Rating::Poor, 60).await);

    assert_eq!(numbers(&mut db, CLIENT, &everything()).await, [3, 2, 1]);
    assert_eq!(numbers(&mut db, STRANGER, &everything()).await, [0; 0]);
    for (filter, expected) in [
        (Filter { from: moment(20), ..everything() }, vec![3, 2]),
        (Filter { until: moment(20), ..everything() }, vec![2, 1]),
        (Filter { inbox_address: Some("27600000001".to_owned()), ..everything() }, vec![3, 2, 1]),
        (Filter { inbox_address: Some("27600000002".to_owned()), ..everything() }, vec![]),
        (Filter { rating: Some(Rating::Poor), ..everything() }, vec![2]),
        (Filter { rating: Some(Rating::Excellent), ..everything() }, vec![]),
        (Filter { number: Some(3), ..everything() }, vec![3]),
        (Filter { agent: Some(AGENT), ..everything() }, vec![3, 1]),
        (Filter { status: Some(TicketStatus::Resolved), ..everything() }, vec![2]),
        (Filter { status: Some(TicketStatus::Open), ..everything() }, vec![3, 1]),
    ] {
        assert_eq!(numbers(&mut db, CLIENT, &filter).await, expected, "{filter:?}");
    }
    assert_eq!(tickets::by_number(&mut db, STRANGER, 2).await.unwrap(), None);
    assert_eq!(tickets::lock(&mut db, STRANGER, second.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_ticket_is_rated_once() {
    let mut db = fixtures::database().await;
    begin(&mut db).await;
    let ticket = open(&mut db, 1_000, 1).await;
    assert!(!rate(&mut db, STRANGER, &ticket, Rating::Poor, 2).await);
    assert!(rate(&mut db, CLIENT, &ticket, Rating::Excellent, 2).await);
    assert!(!rate(&mut db, CLIENT, &ticket, Rating::Poor, 3).await);
    let rated = tickets::find(&mut db, CLIENT, ticket.id).await.unwrap().unwrap();
    assert_eq!(rated.rating, Some(Rating::Excellent));
}
