//! The open chats of two customers that turn out to be one.

use domain::{
    channel::Channel,
    chat::{ChatTeam, ParticipantState, TicketStatus},
    clock::IdSource,
    ids::{ParticipantId, TeamId, TicketId, UserId},
};
use people::{FoldedChats, Introduction, introduce};
use storage::{
    PgConnection,
    chat::{
        participants::{self, Participant},
        tickets::{self, TicketOpening},
    },
};
use uuid::Uuid;

use crate::{
    agents::add_team,
    fixtures::{CLIENT, INBOX, bsuid, database, moment, phone, resolve},
};

const ZO: &str = "27820000001";
const KEPT: ParticipantId = ParticipantId(Uuid::from_u128(100));
const GONE: ParticipantId = ParticipantId(Uuid::from_u128(101));
const ANN: UserId = UserId(Uuid::from_u128(1));
const BEN: UserId = UserId(Uuid::from_u128(2));

fn ids() -> IdSource {
    IdSource::new([3; 32])
}

fn named(number: bool, user: bool) -> Introduction {
    let addresses = number.then(|| phone(ZO)).into_iter().chain(user.then(|| bsuid("ZA.1"))).collect();
    Introduction { addresses, ..Introduction::default() }
}

/// The chat of a new customer, changed; the first one is the older customer's.
async fn chat(db: &mut PgConnection, id: ParticipantId, who: Introduction, state: ParticipantState) -> Participant {
    let customer = resolve(db, CLIENT, &ids(), who, moment(if id == KEPT { 1 } else { 2 })).await.unwrap();
    let new = participants::NewParticipant { id, inbox: INBOX, customer, channel: Channel::Whatsapp, state };
    participants::insert(db, CLIENT, new, moment(3)).await.unwrap().unwrap()
}

async fn has_ticket(db: &mut PgConnection, chat: &mut Participant, agent: UserId) -> TicketId {
    let id = TicketId(Uuid::from_u128(chat.id.0.as_u128() + 1_000));
    let new = TicketOpening { id, participant: chat.id, inbox: INBOX, agent };
    tickets::open(db, CLIENT, new, moment(4)).await.unwrap();
    chat.ticket = Some(id);
    id
}

async fn turn_out_to_be_one(db: &mut PgConnection) -> (FoldedChats, Participant) {
    let met = introduce(db, CLIENT, &ids(), named(true, true), moment(60)).await.unwrap();
    let [folded] = <[FoldedChats; 1]>::try_from(met.folded).unwrap();
    let stored = participants::find(db, CLIENT, GONE).await.unwrap().unwrap();
    // The search index of the chat is written after the merge of the customer.
    let stored = Participant { found_by: folded.chat.found_by.clone(), ..stored };
    assert_eq!(stored, folded.chat, "the id of the one that is gone finds the one that goes on");
    (folded, stored)
}

async fn status(db: &mut PgConnection, ticket: TicketId) -> TicketStatus {
    tickets::find(db, CLIENT, ticket).await.unwrap().unwrap().status
}

#[tokio::test]
async fn one_of_two_agents_keeps_the_customer_and_the_ticket_of_the_other_is_closed() {
    let mut db = database().await;
    let mut kept = chat(&mut db, KEPT, named(true, false), ParticipantState::Active).await;
    let mut gone = chat(&mut db, GONE, named(false, true), ParticipantState::Active).await;
    (kept.assigned_agent, gone.assigned_agent) = (Some(ANN), Some(BEN));
    let (anns, bens) = (has_ticket(&mut db, &mut kept, ANN).await, has_ticket(&mut db, &mut gone, BEN).await);
    for chat in [&kept, &gone] {
        participants::save(&mut db, CLIENT, chat).await.unwrap();
    }

    let (folded, joined) = turn_out_to_be_one(&mut db).await;

    assert_eq!((joined.id, joined.assigned_agent, joined.ticket), (KEPT, Some(ANN), Some(anns)));
    assert_eq!(joined.last_assigned_agent, Some(BEN), "he had the customer, too");
    assert_eq!((folded.was, folded.gone), (kept, gone));
    let (ticket, before) = folded.ended.unwrap();
    assert_eq!((ticket.id, ticket.participant, before), (bens, KEPT, TicketStatus::Open));
    assert_eq!(tickets::find(&mut db, CLIENT, bens).await.unwrap(), Some(ticket.clone()));
    assert_eq!((ticket.status, ticket.closed_at), (TicketStatus::Closed, Some(moment(60))));
    assert_eq!(status(&mut db, anns).await, TicketStatus::Open);
    let gone = participants::lock(&mut db, CLIENT, GONE).await.unwrap().unwrap();
    assert_eq!((gone.state, gone.assigned_agent), (ParticipantState::Closed, None));
}

#[tokio::test]
async fn an_agent_keeps_the_merged_chat_and_the_ticket_of_the_waiting_one_is_closed() {
    let mut db = database().await;
    let mut kept = chat(&mut db, KEPT, named(true, false), ParticipantState::Queued).await;
    let mut gone = chat(&mut db, GONE, named(false, true), ParticipantState::Active).await;
    gone.assigned_agent = Some(BEN);
    let (passed_on, bens) = (has_ticket(&mut db, &mut kept, ANN).await, has_ticket(&mut db, &mut gone, BEN).await);
    let team = TeamId(Uuid::from_u128(70));
    add_team(&mut db, CLIENT, team, "Sales").await;
    gone.team = Some(ChatTeam { id: team, name: "Sales".to_owned() });
    for chat in [&kept, &gone] {
        participants::save(&mut db, CLIENT, chat).await.unwrap();
    }

    let (folded, joined) = turn_out_to_be_one(&mut db).await;

    assert_eq!((joined.state, joined.assigned_agent, joined.ticket), (ParticipantState::Active, Some(BEN), Some(bens)));
    assert_eq!(joined.team, gone.team);
    assert_eq!(folded.ended.map(|(ticket, _)| ticket.id), Some(passed_on));
    assert_eq!(status(&mut db, passed_on).await, TicketStatus::Closed);
    assert_eq!(status(&mut db, bens).await, TicketStatus::Open);
}

#[tokio::test]
async fn the_chatbot_chosen_by_a_router_continues_and_the_ticket_of_a_finished_chat_stays() {
    let mut db = database().await;
    let mut kept = chat(&mut db, KEPT, named(true, false), ParticipantState::Closed).await;
    let mut gone = chat(&mut db, GONE, named(false, true), ParticipantState::Bot).await;
    gone.bot_plugin = Some("orders".to_owned());
    gone.bot_state = "menu".to_owned();
    let put_back = has_ticket(&mut db, &mut kept, ANN).await;
    for chat in [&kept, &gone] {
        participants::save(&mut db, CLIENT, chat).await.unwrap();
    }

    let (folded, joined) = turn_out_to_be_one(&mut db).await;

    assert_eq!((joined.state, joined.ticket), (ParticipantState::Bot, None));
    assert_eq!((joined.bot_plugin.as_deref(), joined.bot_state.as_str()), (Some("orders"), "menu"));
    assert_eq!(folded.ended, None);
    assert_eq!(status(&mut db, put_back).await, TicketStatus::Open, "an agent set it by hand");
}

#[tokio::test]
async fn facts_of_an_ended_conversation_do_not_pass_to_the_remaining_one() {
    for (ended, goes_on) in [(KEPT, GONE), (GONE, KEPT)] {
        let mut db = database().await;
        let who = |id| named(id == KEPT, id == GONE);
        let state = |id| if id == ended { ParticipantState::Closed } else { ParticipantState::Queued };
        for id in [KEPT, GONE] {
            let mut chat = chat(&mut db, id, who(id), state(id)).await;
            (chat.missed, chat.missed_by, chat.send_rating) = (id == ended, (id == ended).then_some(ANN), id == ended);
            participants::save(&mut db, CLIENT, &chat).await.unwrap();
        }

        let (_, joined) = turn_out_to_be_one(&mut db).await;

        assert_eq!(joined.state, ParticipantState::Queued);
        assert_eq!((joined.missed, joined.missed_by, joined.send_rating), (false, None, false), "{goes_on} goes on");
    }
}

#[tokio::test]
async fn a_known_customer_causes_no_merge() {
    let mut db = database().await;
    chat(&mut db, KEPT, named(true, true), ParticipantState::Active).await;
    for at in [5, 6] {
        let met = introduce(&mut db, CLIENT, &ids(), named(true, true), moment(at)).await.unwrap();
        assert_eq!(met.folded, []);
    }
}
