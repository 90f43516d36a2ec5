//! Assignment and state of a chat: take, give, pass on, end and reopen (SPEC 3.4, DESIGN 6). Each is one transaction
//! that locks the chat first. If two agents take a chat at the same time, one gets it and the other an error with the
//! name.

use base::Context;
use domain::{
    chat::{MoveRefused, ParticipantEvent, ParticipantMove, ParticipantState, TicketMove},
    event::{ChatOpened, Event},
    ids::{ParticipantEventId, ParticipantId, TeamId, UserId},
};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue, Transaction,
    chat::{
        participant_events::{self, NewParticipantEvent},
        participants::{self, Participant},
        teams,
    },
    people::customers,
    tenancy::{clients, users::Role},
};

use super::{ActingUser, ChatView, DeskError, lock_chat, own_or_free, rating_question, taken_error, view};
use crate::{
    conversation::{
        assignment::{self, NewAgent},
        event_facts::{self, PreviousOwner},
        responsible_plugin, ticketing, waiting_events,
    },
    custom_events::{EventReceiver, find_chat},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewHolder {
    Caller,
    Agent(UserId),
    Team(TeamId),
}

/// The owner of a chat, as a caller knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatHolder {
    Agent(UserId),
    Bot,
    /// All agents, or those of a team.
    Queue,
    Closed,
}

impl ChatHolder {
    fn of(chat: &Participant) -> Self {
        match chat.state {
            ParticipantState::Active => chat.assigned_agent.map_or(Self::Queue, Self::Agent),
            ParticipantState::Bot => Self::Bot,
            ParticipantState::Queued => Self::Queue,
            ParticipantState::Closed => Self::Closed,
        }
    }
}

/// Assigns a chat to an agent or a team. If two callers take it at once, one gets [`DeskError::Conflict`].
pub async fn assign(
    ctx: &Context,
    acting: ActingUser,
    id: ParticipantId,
    to: NewHolder,
) -> Result<ChatView, DeskError> {
    assign_from(ctx, acting, id, (None, to)).await
}

/// As [`assign`]. A chat with another owner than `from` stays with it, and the caller gets [`DeskError::Conflict`].
pub async fn assign_from(
    ctx: &Context,
    acting: ActingUser,
    id: ParticipantId,
    (from, to): (Option<ChatHolder>, NewHolder),
) -> Result<ChatView, DeskError> {
    let mut tx = ctx.db.begin().await?;
    let mut chat = lock_chat(&mut tx, acting.client, id).await?;
    if chat.state == ParticipantState::Closed {
        return Err(MoveRefused::Closed.into());
    }
    check_holder(&mut tx, acting, &chat, (from, to)).await?;
    let had = chat.clone();
    let ticket = match to {
        NewHolder::Caller => {
            taking(acting)?;
            match chat.assigned_agent.filter(|_| had.state == ParticipantState::Active) {
                Some(agent) if agent == acting.user => return present_view(&mut tx, acting, chat).await,
                Some(agent) => return Err(taken_error(&mut tx, acting.client, agent).await?),
                None => give(ctx, &mut tx, acting, &mut chat, acting.user).await?,
            }
        }
        NewHolder::Agent(agent) => {
            own_or_free(&mut tx, acting, &chat).await?;
            if had.state == ParticipantState::Active && chat.assigned_agent == Some(agent) {
                return present_view(&mut tx, acting, chat).await;
            }
            give(ctx, &mut tx, acting, &mut chat, agent).await?
        }
        NewHolder::Team(team) => {
            own_or_free(&mut tx, acting, &chat).await?;
            if from.is_some() && waits_for(&chat, team) {
                return present_view(&mut tx, acting, chat).await;
            }
            let team = teams::by_id(&mut tx, acting.client, team).await?;
            let team = team.ok_or_else(|| DeskError::fault("teamId", "is not the id of one of your teams"))?;
            chat.apply(ParticipantMove::Transferred)?;
            chat.queued_reason = Some(format!("passed on to {}", team.name));
            chat.team = Some(team);
            ticketing::step(ctx, &mut tx, acting.client, &chat, TicketMove::Passed).await?
        }
    };
    let moved = event_facts::moved_event(&had, &chat);
    finish(ctx, tx, acting, chat, [Some(moved), ticket]).await
}

pub async fn open(ctx: &Context, acting: ActingUser, id: ParticipantId) -> Result<ChatView, DeskError> {
    let mut tx = ctx.db.begin().await?;
    let mut chat = lock_chat(&mut tx, acting.client, id).await?;
    taking(acting)?;
    if chat.state != ParticipantState::Closed {
        let held = chat.assigned_agent.filter(|agent| *agent != acting.user);
        return Err(match held {
            Some(agent) => taken_error(&mut tx, acting.client, agent).await?,
            None => MoveRefused::NotClosed.into(),
        });
    }
    let had = PreviousOwner::from(&chat);
    let reopener = NewAgent { agent: acting.user, step: ParticipantMove::Reopened };
    let ticket = assignment::give(ctx, &mut tx, acting.client, &mut chat, reopener).await??;
    let opened = ChatOpened { participant: chat.id, state: chat.state, again: true, message: None };
    let moved = event_facts::moved_event(had, &chat);
    finish(ctx, tx, acting, chat, [Some(Event::ChatOpened(opened)), Some(moved), ticket]).await
}

/// Ends a chat and closes its ticket. Its agent has room again and is kept as the last agent.
pub async fn terminate(ctx: &Context, acting: ActingUser, id: ParticipantId) -> Result<ChatView, DeskError> {
    let ending = ChatEnding { step: ParticipantMove::Terminated, of_ticket: TicketMove::Ended, may_ask: true };
    end(ctx, acting, id, ending).await
}

pub async fn resolve(ctx: &Context, acting: ActingUser, id: ParticipantId) -> Result<ChatView, DeskError> {
    let ending = ChatEnding { step: ParticipantMove::Resolved, of_ticket: TicketMove::Resolved, may_ask: false };
    end(ctx, acting, id, ending).await
}

struct ChatEnding {
    step: ParticipantMove,
    of_ticket: TicketMove,
    /// True if the customer is asked for a rating when the client wants that.
    may_ask: bool,
}

async fn end(
    ctx: &Context,
    acting: ActingUser,
    id: ParticipantId,
    ChatEnding { step, of_ticket, may_ask }: ChatEnding,
) -> Result<ChatView, DeskError> {
    let mut tx = ctx.db.begin().await?;
    let mut chat = lock_chat(&mut tx, acting.client, id).await?;
    own_or_free(&mut tx, acting, &chat).await?;
    let asked = match may_ask && clients::asks_rating(&mut tx, acting.client).await? {
        true => rating_question::ask(ctx, &mut tx, acting, &mut chat).await?,
        false => None,
    };
    let had = PreviousOwner::from(&chat);
    chat.apply(step)?;
    let moved = event_facts::moved_event(had, &chat);
    let ticket = ticketing::step(ctx, &mut tx, acting.client, &chat, of_ticket).await?;
    finish(ctx, tx, acting, chat, [asked, Some(moved), ticket]).await
}

/// Gives a chat back to its chatbot, which gets an event, and resolves the ticket. A chat without an agent, or without an
/// active chatbot, is a conflict.
pub async fn release(ctx: &Context, acting: ActingUser, id: ParticipantId) -> Result<ChatView, DeskError> {
    let mut tx = ctx.db.begin().await?;
    let chat = lock_chat(&mut tx, acting.client, id).await?;
    own_or_free(&mut tx, acting, &chat).await?;
    give_to_bot(ctx, tx, acting, chat, ParticipantMove::Released).await
}

/// The same for an author of a chatbot, for a chat that waits for an agent. The chat of an agent is a conflict. A chat of the
/// chatbot stays as it is, and so does a closed one, which begins with the chatbot.
pub async fn return_to_bot(ctx: &Context, acting: ActingUser, wanted: &EventReceiver) -> Result<ChatView, DeskError> {
    let mut tx = ctx.db.begin().await?;
    let id = find_chat(&mut tx, acting.client, wanted).await?.ok_or(DeskError::NotFound)?;
    let chat = lock_chat(&mut tx, acting.client, id).await?;
    match chat.state {
        ParticipantState::Bot | ParticipantState::Closed => present_view(&mut tx, acting, chat).await,
        ParticipantState::Active => {
            Err(DeskError::Conflict("an agent has this chat: the agent can release it".to_owned()))
        }
        ParticipantState::Queued => give_to_bot(ctx, tx, acting, chat, ParticipantMove::ReturnedToBot).await,
    }
}

async fn give_to_bot(
    ctx: &Context,
    mut tx: Transaction<'_>,
    acting: ActingUser,
    mut chat: Participant,
    step: ParticipantMove,
) -> Result<ChatView, DeskError> {
    if responsible_plugin::chatbot(ctx, &mut tx, acting.client, &chat).await?.is_none() {
        let said = "no chatbot is active on this inbox: assign an agent instead";
        return Err(DeskError::Conflict(said.to_owned()));
    }
    let had = PreviousOwner::from(&chat);
    chat.apply(step)?;
    chat.queued_reason = None;
    let moved = event_facts::moved_event(had, &chat);
    let ticket = ticketing::step(ctx, &mut tx, acting.client, &chat, TicketMove::Resolved).await?;
    let told = NewParticipantEvent { id: ctx.mint::<ParticipantEventId>(), event: ParticipantEvent::Released };
    store(ctx, &mut tx, acting, &chat).await?;
    participant_events::append(&mut tx, acting.client, chat.id, &[told], ctx.now()).await?;
    publish(ctx, tx, acting, chat, [Some(moved), ticket]).await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatPatch {
    pub assigned: Option<UserId>,
    pub missed: bool,
    pub after_hours: bool,
    pub send_rating: bool,
}

/// Ends a chat and stores the given values (SPEC 4.2 v1).
pub async fn terminate_whole(
    ctx: &Context,
    acting: ActingUser,
    id: ParticipantId,
    whole: ChatPatch,
) -> Result<ChatView, DeskError> {
    let mut tx = ctx.db.begin().await?;
    let mut chat = lock_chat(&mut tx, acting.client, id).await?;
    own_or_free(&mut tx, acting, &chat).await?;
    if let Some(agent) = whole.assigned
        && participants::agent_names(&mut tx, acting.client, &[agent]).await?.is_empty()
    {
        return Err(DeskError::fault("assignedTo.id", "is not the id of one of your users"));
    }
    let asked = match whole.send_rating {
        true => rating_question::ask(ctx, &mut tx, acting, &mut chat).await?,
        false => None,
    };
    let (had, last) = (PreviousOwner::from(&chat), chat.last_assigned_agent);
    chat.apply(ParticipantMove::Terminated)?;
    chat.last_assigned_agent = whole.assigned.or(last);
    (chat.missed, chat.after_hours, chat.send_rating) = (whole.missed, whole.after_hours, whole.send_rating);
    chat.missed_by = chat.missed_by.filter(|_| whole.missed);
    let moved = event_facts::moved_event(had, &chat);
    let ticket = ticketing::step(ctx, &mut tx, acting.client, &chat, TicketMove::Ended).await?;
    finish(ctx, tx, acting, chat, [asked, Some(moved), ticket]).await
}

/// Refuses to move a chat with another owner than the caller knows, unless it is where it should go.
async fn check_holder(
    db: &mut PgConnection,
    acting: ActingUser,
    chat: &Participant,
    (from, to): (Option<ChatHolder>, NewHolder),
) -> Result<(), DeskError> {
    let holder = ChatHolder::of(chat);
    let is_there = match to {
        NewHolder::Caller => holder == ChatHolder::Agent(acting.user),
        NewHolder::Agent(agent) => holder == ChatHolder::Agent(agent),
        NewHolder::Team(team) => waits_for(chat, team),
    };
    if is_there || from.is_none_or(|from| from == holder) {
        return Ok(());
    }
    Err(match holder {
        ChatHolder::Agent(agent) => taken_error(db, acting.client, agent).await?,
        ChatHolder::Bot | ChatHolder::Queue | ChatHolder::Closed => {
            DeskError::Conflict("the chat has another owner by now".to_owned())
        }
    })
}

fn waits_for(chat: &Participant, team: TeamId) -> bool {
    ChatHolder::of(chat) == ChatHolder::Queue && chat.team.as_ref().is_some_and(|of_chat| of_chat.id == team)
}

fn taking(acting: ActingUser) -> Result<(), DeskError> {
    match acting.role {
        Role::Admin | Role::Supervisor | Role::Agent => Ok(()),
        Role::Developer | Role::Api => {
            let role = acting.role;
            Err(DeskError::Forbidden(format!("a user with the role {role} cannot have chats: name an agent or a team")))
        }
    }
}

async fn give(
    ctx: &Context,
    db: &mut PgConnection,
    acting: ActingUser,
    chat: &mut Participant,
    agent: UserId,
) -> Result<Option<Event>, DeskError> {
    let to = NewAgent { agent, step: ParticipantMove::Assigned };
    Ok(assignment::give(ctx, db, acting.client, chat, to).await??)
}

async fn present_view(db: &mut PgConnection, acting: ActingUser, chat: Participant) -> Result<ChatView, DeskError> {
    view::of_one(db, acting.client, chat).await?.ok_or(DeskError::NotFound)
}

async fn finish<const N: usize>(
    ctx: &Context,
    mut tx: Transaction<'_>,
    acting: ActingUser,
    chat: Participant,
    happened: [Option<Event>; N],
) -> Result<ChatView, DeskError> {
    store(ctx, &mut tx, acting, &chat).await?;
    publish(ctx, tx, acting, chat, happened).await
}

/// Saves a chat that moved. Drops the events that its chatbot has not seen.
async fn store(ctx: &Context, db: &mut PgConnection, acting: ActingUser, chat: &Participant) -> Result<(), DeskError> {
    participants::save(db, acting.client, chat).await?;
    waiting_events::remove_all(ctx, db, acting.client, chat.id).await?;
    Ok(())
}

/// Records the events of a stored chat and commits.
async fn publish<const N: usize>(
    ctx: &Context,
    mut tx: Transaction<'_>,
    acting: ActingUser,
    chat: Participant,
    happened: [Option<Event>; N],
) -> Result<ChatView, DeskError> {
    let client = acting.client;
    let customer = customers::find(&mut tx, client, chat.customer).await?.ok_or(DeskError::NotFound)?;
    let order_key = event_facts::order_key(chat.inbox, &customer);
    let at = ctx.now();
    let event = |event| NewEvent { inbox: Some(chat.inbox), order_key, at, event };
    let happened: Vec<NewEvent> = happened.into_iter().flatten().map(event).collect();
    let said = happened.iter().any(|new| matches!(new.event, Event::MessageSaid(_)));
    let mut wakes = record(ctx, &mut tx, client, &happened).await?;
    let view = view::of_one(&mut tx, client, chat).await?.ok_or(DeskError::NotFound)?;
    tx.commit().await?;
    wakes.push((Queue::Participant, view.chat.id.0));
    if said {
        wakes.push((Queue::Outbound, view.chat.inbox.0));
    }
    ctx.wake.wake_all(client, wakes);
    Ok(view)
}
