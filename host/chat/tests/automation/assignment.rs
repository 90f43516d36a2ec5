//! Chats of a team are assigned to its members.

use base::audit::{Actor, Administration};
use chat::desk::NewHolder;
use domain::{
    chat::{ParticipantMove, ParticipantState},
    team::Assignment,
};
use storage::chat::{due_work, participants};
use tenancy::{
    accounts::users,
    teams::{self, TeamChange},
};

use crate::Stage;

#[tokio::test]
async fn chats_are_given_out_only_where_the_team_wants_it() {
    let stage = Stage::new("OFF").await;
    stage.agent(5).await;
    let chats = stage.chats(2).await;
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(None, 2)].into());
    let admin = Administration::from(&*stage.ctx);
    let change = TeamChange { assignment: Some(Assignment::LeastBusy), ..TeamChange::default() };
    teams::update(&admin, stage.client, stage.team, change, Actor::Operator).await.unwrap();
    stage.settle().await;
    assert!(!stage.shares(&chats).await.contains_key(&None), "from now on the team wants it");
}

#[tokio::test]
async fn a_chat_without_a_team_waits_for_any_agent() {
    let stage = Stage::new("ROUND_ROBIN").await;
    stage.agent(5).await;
    let chat = stage.chat().await;
    stage.settle().await;
    assert_eq!(stage.found(chat).await.state, ParticipantState::Queued);
}

#[tokio::test]
async fn round_robin_skips_unavailable_agents_and_agents_of_another_team() {
    let stage = Stage::new("ROUND_ROBIN").await;
    let (ann, ben) = (stage.agent(9).await, stage.agent(9).await);
    stage.user("AGENT", Some(stage.team), false, 9).await;
    stage.user("AGENT", None, true, 9).await;
    let mut had = Vec::new();
    for _ in 0..4 {
        stage.wait(1);
        let chat = stage.chats(1).await[0];
        stage.settle().await;
        had.push(stage.found(chat).await.assigned_agent.unwrap());
    }
    assert_eq!(had, [ann, ben, ann, ben]);
}

#[tokio::test]
async fn least_busy_gets_the_next_chat() {
    let stage = Stage::new("LEAST_BUSY").await;
    let (ann, ben) = (stage.agent(9).await, stage.agent(9).await);
    for _ in 0..2 {
        let chat = stage.chat().await;
        stage.assign(chat, NewHolder::Agent(ann)).await;
    }
    for _ in 0..2 {
        stage.wait(1);
        let chat = stage.chats(1).await[0];
        stage.settle().await;
        assert_eq!(stage.found(chat).await.assigned_agent, Some(ben));
    }
}

#[tokio::test]
async fn no_agent_exceeds_the_limit_when_many_chats_come_at_once_and_the_rest_waits() {
    let stage = Stage::new("LEAST_BUSY").await;
    let (ann, ben) = (stage.agent(2).await, stage.agent(3).await);
    let chats = stage.chats(12).await;
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(None, 7), (Some(ann), 2), (Some(ben), 3)].into());
    assert_eq!(stage.due().await, 0, "no agent has room, and no work is due");
    stage.resolve(stage.of(&chats, ann).await).await;
    assert_eq!(stage.due().await, 1, "her team has room, and nothing else is due");
    stage.settle().await;
    let shares = stage.shares(&chats).await;
    assert_eq!((shares[&Some(ann)], shares[&Some(ben)]), (2, 3));
}

#[tokio::test]
async fn an_agent_that_becomes_available_gets_waiting_chats() {
    let stage = Stage::new("ROUND_ROBIN").await;
    let ann = stage.user("AGENT", Some(stage.team), false, 9).await;
    let chats = stage.chats(2).await;
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(None, 2)].into());
    stage.set_available(ann, true).await;
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(Some(ann), 2)].into());
}

#[tokio::test]
async fn the_chats_of_a_departed_agent_return_to_the_queue_and_go_to_the_next_agent() {
    let stage = Stage::new("ROUND_ROBIN").await;
    let ann = stage.agent(9).await;
    let chat = stage.chats(1).await[0];
    stage.settle().await;
    assert_eq!(stage.found(chat).await.assigned_agent, Some(ann));
    let admin = Administration::from(&*stage.ctx);
    users::delete(&admin, stage.client, ann, Actor::Operator).await.unwrap();
    stage.settle().await;
    let found = stage.found(chat).await;
    assert_eq!((found.state, found.assigned_agent), (ParticipantState::Queued, None));
    assert_eq!(found.last_assigned_agent, Some(ann));
    assert_eq!(found.queued_reason.as_deref(), Some("its agent has left"));
    let ben = stage.user("AGENT", Some(stage.team), false, 9).await;
    stage.set_available(ben, true).await;
    stage.settle().await;
    assert_eq!(stage.found(chat).await.assigned_agent, Some(ben));
}

#[tokio::test]
async fn a_higher_limit_or_a_new_member_takes_waiting_chats() {
    let stage = Stage::new("ROUND_ROBIN").await;
    let ann = stage.agent(1).await;
    let ben = stage.user("AGENT", None, true, 1).await;
    let chats = stage.chats(4).await;
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(None, 3), (Some(ann), 1)].into());
    let admin = Administration::from(&*stage.ctx);
    users::set_chat_limit(&admin, stage.client, ann, Some(2), Actor::Operator).await.unwrap();
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(None, 2), (Some(ann), 2)].into());
    teams::add_member(&admin, stage.client, stage.team, ben, Actor::Operator).await.unwrap();
    stage.settle().await;
    assert_eq!(stage.shares(&chats).await, [(None, 1), (Some(ann), 2), (Some(ben), 1)].into());
}

#[tokio::test]
async fn an_agent_that_passes_a_chat_on_gets_the_longest_waiting_one() {
    let stage = Stage::new("ROUND_ROBIN").await;
    let ann = stage.agent(1).await;
    let mut chats = Vec::new();
    for _ in 0..3 {
        chats.extend(stage.chats(1).await);
        stage.settle().await;
        stage.wait(1);
    }
    assert_eq!(stage.found(chats[0]).await.assigned_agent, Some(ann));
    let boss = stage.user("SUPERVISOR", None, false, 5).await;
    stage.assign(chats[0], NewHolder::Agent(boss)).await;
    stage.settle().await;
    assert_eq!(stage.found(chats[1]).await.assigned_agent, Some(ann));
    assert_eq!(stage.found(chats[2]).await.state, ParticipantState::Queued);
}

#[tokio::test]
async fn a_chat_passed_to_the_agents_own_team_goes_to_another_member_with_room() {
    for assignment in ["LEAST_BUSY", "ROUND_ROBIN"] {
        let stage = Stage::new(assignment).await;
        let (ann, ben) = (stage.agent(9).await, stage.agent(3).await);
        let chat = stage.chat().await;
        stage.assign(chat, NewHolder::Agent(ann)).await;
        // Ben has more chats and was assigned one last, so the chat would be Ann's by each order.
        for _ in 0..2 {
            stage.wait(1);
            stage.assign(stage.chat().await, NewHolder::Agent(ben)).await;
        }
        stage.assign(chat, NewHolder::Team(stage.team)).await;
        stage.settle().await;
        assert_eq!(stage.found(chat).await.assigned_agent, Some(ben), "{assignment}");
        // Ben passes it on as well and is now last.
        stage.assign(chat, NewHolder::Team(stage.team)).await;
        stage.settle().await;
        assert_eq!(stage.found(chat).await.assigned_agent, Some(ann), "{assignment}");
    }
}

#[tokio::test]
async fn a_chat_passed_to_the_agents_own_team_comes_back_if_no_other_member_has_room() {
    let stage = Stage::new("LEAST_BUSY").await;
    let (ann, ben) = (stage.agent(9).await, stage.agent(1).await);
    stage.assign(stage.chat().await, NewHolder::Agent(ben)).await;
    let chat = stage.chat().await;
    stage.assign(chat, NewHolder::Agent(ann)).await;
    stage.assign(chat, NewHolder::Team(stage.team)).await;
    stage.settle().await;
    assert_eq!(stage.found(chat).await.assigned_agent, Some(ann));
}

#[tokio::test]
async fn an_agent_of_an_earlier_episode_has_a_normal_turn() {
    let stage = Stage::new("LEAST_BUSY").await;
    let (ann, ben) = (stage.agent(9).await, stage.agent(9).await);
    let chat = stage.chat().await;
    stage.assign(chat, NewHolder::Agent(ann)).await;
    stage.resolve(chat).await;
    stage.assign(stage.chat().await, NewHolder::Agent(ben)).await;
    let mut tx = stage.ctx.db.begin().await.unwrap();
    let mut again = participants::lock(&mut tx, stage.client, chat).await.unwrap().unwrap();
    again.apply(ParticipantMove::CustomerWrote { bot: false }).unwrap();
    participants::save(&mut tx, stage.client, &again).await.unwrap();
    tx.commit().await.unwrap();
    stage.assign(chat, NewHolder::Team(stage.team)).await;
    stage.settle().await;
    assert_eq!(stage.found(chat).await.assigned_agent, Some(ann), "she has fewer");
}

#[tokio::test]
async fn a_room_signal_during_its_use_is_not_lost() {
    let stage = Stage::new("ROUND_ROBIN").await;
    let ann = stage.agent(1).await;
    let chats = stage.chats(2).await;
    stage.settle().await;
    // Two agents get room at the same time: the second is reported while the first is being handled.
    let mut db = stage.ctx.db.acquire().await.unwrap();
    due_work::room_of(&mut db, stage.client, &[ann], stage.ctx.now()).await.unwrap();
    let seen = due_work::room_seen(&mut db, stage.client, stage.team).await.unwrap().unwrap();
    let mut tx = stage.ctx.db.begin().await.unwrap();
    due_work::room_of(&mut tx, stage.client, &[ann], stage.ctx.now()).await.unwrap();
    let (used, committed) = tokio::join!(due_work::room_used(&mut db, stage.client, stage.team, &seen), async {
        tokio::task::yield_now().await;
        tx.commit().await
    });
    used.unwrap();
    committed.unwrap();
    assert!(due_work::room_seen(&mut db, stage.client, stage.team).await.unwrap().is_some());
    drop(db);
    stage.settle().await;
    assert_eq!(stage.due().await, 0);
    assert_eq!(stage.shares(&chats).await, [(None, 1), (Some(ann), 1)].into());
}
