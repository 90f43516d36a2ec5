//! The number of chats of agents, their limits, and the agents of a team that could take another one.

use domain::{
    channel::Channel,
    chat::ParticipantState,
    clock::IdSource,
    ids::{ClientId, ParticipantId, TeamId, UserId},
};
use people::Introduction;
use storage::{
    PgConnection,
    chat::{
        agents::{self, AgentOrder},
        participants, teams,
    },
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, database, moment, phone, resolve};

const TEAM: TeamId = TeamId(Uuid::from_u128(70));
const USUAL: u32 = 2;

fn user(id: u128) -> UserId {
    UserId(Uuid::from_u128(id))
}

pub async fn add_team(db: &mut PgConnection, client: ClientId, team: TeamId, name: &str) {
    sqlx::query("INSERT INTO team (client_id, id, name, created_at) VALUES ($1, $2, $3, now())")
        .bind(client.0)
        .bind(team.0)
        .bind(name)
        .execute(db)
        .await
        .unwrap();
}

/// Adds an available user.
pub async fn add_user(db: &mut PgConnection, client: ClientId, id: UserId, role: &str, team: Option<TeamId>) {
    sqlx::query(
        "INSERT INTO client_user (client_id, id, email, name, role, team_id, available, password_hash, created_at)
         VALUES ($1, $2, $3, $3, $4, $5, true, 'x', now())",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(format!("{id}@example.com"))
    .bind(role)
    .bind(team.map(|team| team.0))
    .execute(db)
    .await
    .unwrap();
}

/// A chat of a new customer that an agent has.
async fn give_chat(db: &mut PgConnection, number: u128, agent: UserId) {
    let customer = Introduction { addresses: vec![phone(&format!("2782{number:07}"))], ..Introduction::default() };
    let customer =
        resolve(db, CLIENT, &IdSource::new([u8::try_from(number).unwrap(); 32]), customer, moment(0)).await.unwrap();
    let id = ParticipantId(Uuid::from_u128(number));
    let new = participants::NewParticipant {
        id,
        inbox: INBOX,
        customer,
        channel: Channel::Whatsapp,
        state: ParticipantState::Active,
    };
    let mut chat = participants::insert(db, CLIENT, new, moment(0)).await.unwrap().unwrap();
    chat.assigned_agent = Some(agent);
    participants::save(db, CLIENT, &chat).await.unwrap();
}

async fn order(db: &mut PgConnection, order: AgentOrder) -> Vec<UserId> {
    let found = agents::available_of_team(db, CLIENT, TEAM, order, USUAL).await.unwrap();
    found.into_iter().map(|agent| agent.id).collect()
}

#[tokio::test]
async fn an_agent_is_locked_with_the_chats_that_it_has_and_may_have() {
    let mut db = database().await;
    add_team(&mut db, CLIENT, TEAM, "sales").await;
    add_user(&mut db, CLIENT, user(1), "AGENT", Some(TEAM)).await;
    give_chat(&mut db, 100, user(1)).await;
    let agent = agents::lock(&mut db, CLIENT, user(1), USUAL).await.unwrap().unwrap();
    assert_eq!((agent.active_chats, agent.limit, agent.team), (1, 2, Some(TEAM)));
    assert!(agent.has_room() && agent.takes_chats());
    give_chat(&mut db, 101, user(1)).await;
    assert!(!agents::lock(&mut db, CLIENT, user(1), USUAL).await.unwrap().unwrap().has_room());
    sqlx::query("UPDATE client_user SET chat_limit = 3").execute(&mut db).await.unwrap();
    assert!(agents::lock(&mut db, CLIENT, user(1), USUAL).await.unwrap().unwrap().has_room(), "a limit of its own");
    assert_eq!(agents::lock(&mut db, STRANGER, user(1), USUAL).await.unwrap(), None);
    sqlx::query("UPDATE client_user SET deleted_at = now()").execute(&mut db).await.unwrap();
    assert_eq!(agents::lock(&mut db, CLIENT, user(1), USUAL).await.unwrap(), None);
}

#[tokio::test]
async fn a_team_is_asked_in_turn_or_the_least_busy_first_and_only_those_with_room() {
    let mut db = database().await;
    add_team(&mut db, CLIENT, TEAM, "sales").await;
    for id in 1..=4 {
        add_user(&mut db, CLIENT, user(id), "AGENT", Some(TEAM)).await;
    }
    add_user(&mut db, CLIENT, user(5), "DEVELOPER", Some(TEAM)).await;
    add_user(&mut db, CLIENT, user(6), "AGENT", None).await;
    sqlx::query("UPDATE client_user SET available = false WHERE id = $1")
        .bind(user(4).0)
        .execute(&mut db)
        .await
        .unwrap();
    agents::note_given(&mut db, CLIENT, user(1), moment(5)).await.unwrap();
    agents::note_given(&mut db, CLIENT, user(2), moment(9)).await.unwrap();
    give_chat(&mut db, 100, user(1)).await;
    assert_eq!(order(&mut db, AgentOrder::RoundRobin).await, [user(3), user(1), user(2)]);
    assert_eq!(order(&mut db, AgentOrder::LeastBusy).await, [user(3), user(2), user(1)]);
    give_chat(&mut db, 101, user(1)).await;
    assert_eq!(order(&mut db, AgentOrder::RoundRobin).await, [user(3), user(2)], "one has as many as it may");
    assert_eq!(teams::mates(&mut db, CLIENT, user(2)).await.unwrap(), [1, 2, 3, 4, 5].map(user));
    assert!(teams::mates(&mut db, CLIENT, user(6)).await.unwrap().is_empty());
}
