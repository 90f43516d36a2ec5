//! Automatic actions on chats, with a real database and a clock that the test moves.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

mod after_hours;
mod assignment;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use base::{
    Context, Queue,
    audit::{Actor, Administration},
    lanes::{LaneSearch, Lease},
};
use chat::{
    automation,
    desk::{self, ActingUser, NewHolder},
};
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    chat::ParticipantState,
    content::OutboundContent,
    event::{ChatOpened, Event, EventAgent, EventChat, EventCustomer, MessageSaid, Speaker},
    ids::{ChatMessageId, ClientId, CustomerId, InboxId, ParticipantId, TeamId, UserId},
    privacy::CustomerVisibility,
};
use events::{NewEvent, record};
use people::{Introduction, introduce};
use props::{HandClock, Surroundings, one_number};
use storage::{
    chat::participants::{self, Participant},
    tenancy::users::Role,
};
use tenancy::accounts::users::{self, UserChange};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

struct Stage {
    ctx: Arc<Context>,
    clock: Arc<HandClock>,
    client: ClientId,
    inbox: InboxId,
    team: TeamId,
    supervisor: UserId,
    _folder: tempfile::TempDir,
}

impl Stage {
    /// `assignment`: the automatic assignment of the team.
    async fn new(assignment: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let pool = scratch::database().await.pool(12).await;
        let ctx = Surroundings::new(folder.path().to_owned()).build(pool, Arc::clone(&clock) as _).await;
        let (client, inbox) = one_number(&ctx, "27600000001").await;
        let team: TeamId = ctx.mint();
        let new = "INSERT INTO team (client_id, id, name, assignment, created_at) VALUES ($1, $2, 'sales', $3, now())";
        sqlx::query(new).bind(client.0).bind(team.0).bind(assignment).execute(&ctx.db).await.unwrap();
        let ctx = Arc::new(ctx);
        let mut stage = Self { ctx, clock, client, inbox, team, supervisor: UserId(team.0), _folder: folder };
        stage.supervisor = stage.user("SUPERVISOR", None, false, 1).await;
        stage
    }

    async fn user(&self, role: &str, team: Option<TeamId>, available: bool, limit: i32) -> UserId {
        let id: UserId = self.ctx.mint();
        sqlx::query(
            "INSERT INTO client_user (client_id, id, email, name, role, team_id, available, chat_limit, password_hash, created_at)
             VALUES ($1, $2, $3, 'Ann', $4, $5, $6, $7, 'x', now())",
        )
        .bind(self.client.0)
        .bind(id.0)
        .bind(format!("{id}@example.org"))
        .bind(role)
        .bind(team.map(|team| team.0))
        .bind(available)
        .bind(limit)
        .execute(&self.ctx.db)
        .await
        .unwrap();
        id
    }

    /// An available agent of the team.
    async fn agent(&self, limit: i32) -> UserId {
        self.user("AGENT", Some(self.team), true, limit).await
    }

    async fn happen(&self, event: Event) {
        let mut tx = self.ctx.db.begin().await.unwrap();
        let new = NewEvent { inbox: Some(self.inbox), order_key: 1, at: self.ctx.now(), event };
        record(&self.ctx, &mut tx, self.client, &[new]).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// A customer has written and waits in the queue.
    async fn chat(&self) -> ParticipantId {
        let id: ParticipantId = self.ctx.mint();
        let mut db = self.ctx.db.acquire().await.unwrap();
        let number = format!("27{:09}", self.ctx.ids.random() % 1_000_000_000);
        let addresses = vec![Address::of_kind(AddressKind::Phone, &number).unwrap()];
        let who = Introduction { addresses, ..Introduction::default() };
        let customer = introduce(&mut db, self.client, &self.ctx.ids, who, self.ctx.now()).await.unwrap().who.id;
        let new = participants::NewParticipant {
            id,
            inbox: self.inbox,
            customer,
            channel: Channel::Whatsapp,
            state: ParticipantState::Queued,
        };
        participants::insert(&mut db, self.client, new, self.ctx.now()).await.unwrap();
        drop(db);
        let opened = ChatOpened { participant: id, state: ParticipantState::Queued, again: false, message: None };
        self.happen(Event::ChatOpened(opened)).await;
        id
    }

    async fn chats(&self, count: usize) -> Vec<ParticipantId> {
        let mut chats = Vec::new();
        for _ in 0..count {
            let chat = self.chat().await;
            self.assign(chat, NewHolder::Team(self.team)).await;
            chats.push(chat);
        }
        chats
    }

    fn acting(&self) -> ActingUser {
        ActingUser {
            client: self.client,
            user: self.supervisor,
            role: Role::Supervisor,
            sight: CustomerVisibility::Whole,
        }
    }

    async fn assign(&self, chat: ParticipantId, to: NewHolder) {
        desk::assign(&self.ctx, self.acting(), chat, to).await.unwrap();
    }

    async fn answer(&self, chat: ParticipantId, agent: UserId) {
        let of = EventChat {
            participant: chat,
            state: ParticipantState::Active,
            missed: false,
            client_ref: None,
            agent: Some(EventAgent { id: agent, name: None }),
            last_agent: None,
            team: None,
            team_id: None,
        };
        let said = MessageSaid {
            message: self.ctx.mint::<ChatMessageId>(),
            rest: Vec::new(),
            by: Speaker::Agent(agent),
            chat: of,
            customer: EventCustomer { id: CustomerId(chat.0), name: None, username: None, addresses: Vec::new() },
            content: OutboundContent::Text { body: "hello".to_owned() },
            quoted: None,
            ct_id: None,
        };
        self.happen(Event::MessageSaid(Box::new(said))).await;
    }

    /// Sets the availability through the use case of users.
    async fn set_available(&self, user: UserId, available: bool) {
        let admin = Administration::from(&*self.ctx);
        users::set_available(&admin, self.client, user, available, Actor::Operator).await.unwrap();
    }

    async fn resolve(&self, chat: ParticipantId) {
        desk::resolve(&self.ctx, self.acting(), chat).await.unwrap();
    }

    async fn due(&self) -> usize {
        LaneSearch::default().due(&self.ctx, Queue::Chat, 1_000).await.unwrap().len()
    }

    /// Works off all due lanes at the same time.
    async fn settle(&self) {
        loop {
            let due = LaneSearch::default().due(&self.ctx, Queue::Chat, 1_000).await.unwrap();
            if due.is_empty() {
                return;
            }
            let working = due.into_iter().map(|lane| {
                let ctx = Arc::clone(&self.ctx);
                tokio::spawn(async move {
                    let (stop, nudge) = (CancellationToken::new(), Arc::new(Notify::new()));
                    let lease = Lease::claim(&ctx, lane, Duration::from_secs(15), stop, nudge).await.unwrap().unwrap();
                    automation::work(&ctx, &lease).await.unwrap();
                    lease.release(&ctx).await.unwrap();
                })
            });
            for worked in working.collect::<Vec<_>>() {
                worked.await.unwrap();
            }
        }
    }

    fn wait(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }

    async fn found(&self, chat: ParticipantId) -> Participant {
        participants::find(&mut self.ctx.db.acquire().await.unwrap(), self.client, chat).await.unwrap().unwrap()
    }

    /// A chat assigned to the agent.
    async fn of(&self, chats: &[ParticipantId], agent: UserId) -> ParticipantId {
        for chat in chats {
            if self.found(*chat).await.assigned_agent == Some(agent) {
                return *chat;
            }
        }
        panic!("the agent has none of them");
    }

    /// Number of chats per agent. `None` = waiting.
    async fn shares(&self, chats: &[ParticipantId]) -> BTreeMap<Option<UserId>, usize> {
        let mut shares = BTreeMap::new();
        for chat in chats {
            *shares.entry(self.found(*chat).await.assigned_agent).or_default() += 1;
        }
        shares
    }
}

#[tokio::test]
async fn a_chat_in_the_queue_is_missed_if_it_is_not_answered_in_time_and_not_before() {
    let stage = Stage::new("OFF").await;
    let chat = stage.chat().await;
    stage.settle().await;
    stage.wait(599);
    assert_eq!(stage.due().await, 0, "waiting chats are not read");
    stage.settle().await;
    assert!(!stage.found(chat).await.missed);
    stage.wait(1);
    stage.settle().await;
    assert!(stage.found(chat).await.missed);
    assert_eq!(stage.found(chat).await.missed_by, None, "no agent had it");
}

#[tokio::test]
async fn an_assigned_agent_that_does_not_answer_has_missed_the_chat() {
    let stage = Stage::new("OFF").await;
    let agent = stage.agent(5).await;
    let chat = stage.chat().await;
    stage.wait(300);
    stage.assign(chat, NewHolder::Agent(agent)).await;
    stage.wait(300);
    stage.settle().await;
    let found = stage.found(chat).await;
    assert!(found.missed && found.state == ParticipantState::Active, "the customer has waited since it wrote");
    assert_eq!(found.missed_by, Some(agent));
}

#[tokio::test]
async fn a_chat_missed_in_the_queue_is_missed_by_the_first_agent_that_gets_it_and_does_not_answer() {
    let stage = Stage::new("OFF").await;
    let (first, second) = (stage.agent(5).await, stage.agent(5).await);
    let chat = stage.chat().await;
    stage.wait(600);
    stage.settle().await;
    stage.assign(chat, NewHolder::Agent(first)).await;
    stage.wait(599);
    stage.settle().await;
    assert_eq!(stage.found(chat).await.missed_by, None);
    stage.wait(1);
    stage.settle().await;
    assert_eq!(stage.found(chat).await.missed_by, Some(first));
    stage.assign(chat, NewHolder::Agent(second)).await;
    stage.wait(10_000);
    stage.settle().await;
    assert_eq!(stage.found(chat).await.missed_by, Some(first), "also if another agent has it later");
}

#[tokio::test]
async fn an_agent_that_answers_a_chat_missed_in_the_queue_has_not_missed_it() {
    let stage = Stage::new("OFF").await;
    let agent = stage.agent(5).await;
    let chat = stage.chat().await;
    stage.wait(600);
    stage.settle().await;
    stage.assign(chat, NewHolder::Agent(agent)).await;
    stage.answer(chat, agent).await;
    stage.wait(10_000);
    stage.settle().await;
    assert_eq!(stage.found(chat).await.missed_by, None);
}

#[tokio::test]
async fn an_agent_that_loses_the_answering_role_returns_its_chats() {
    let stage = Stage::new("OFF").await;
    let agent = stage.agent(5).await;
    let chat = stage.chat().await;
    stage.assign(chat, NewHolder::Agent(agent)).await;
    let admin = Administration::from(&*stage.ctx);
    let becomes = async |role| {
        let change = UserChange { role: Some(role), ..UserChange::default() };
        users::update(&admin, stage.client, agent, change, Actor::Operator).await.unwrap();
        stage.settle().await;
        stage.found(chat).await
    };
    assert_eq!(becomes(Role::Supervisor).await.assigned_agent, Some(agent), "a supervisor answers customers, too");
    let found = becomes(Role::Developer).await;
    assert_eq!((found.state, found.assigned_agent), (ParticipantState::Queued, None));
    assert_eq!((found.last_assigned_agent, found.queued_reason.as_deref()), (Some(agent), Some("its agent has left")));
}

#[tokio::test]
async fn a_chat_that_was_answered_in_time_is_not_missed() {
    let stage = Stage::new("OFF").await;
    let agent = stage.agent(5).await;
    let chat = stage.chat().await;
    stage.assign(chat, NewHolder::Agent(agent)).await;
    stage.wait(599);
    stage.answer(chat, agent).await;
    stage.wait(10_000);
    stage.settle().await;
    assert!(!stage.found(chat).await.missed);
}

#[tokio::test]
async fn a_finished_chat_is_not_marked_as_missed() {
    let stage = Stage::new("OFF").await;
    let agent = stage.agent(5).await;
    let chat = stage.chat().await;
    stage.assign(chat, NewHolder::Agent(agent)).await;
    desk::resolve(&stage.ctx, stage.acting(), chat).await.unwrap();
    stage.wait(10_000);
    assert_eq!(stage.due().await, 0);
    assert!(!stage.found(chat).await.missed);
}
