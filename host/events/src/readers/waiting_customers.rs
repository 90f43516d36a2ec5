//! Waiting of customers: since when a customer waits for an agent's answer, and that a chat came to the queue. The
//! consequences are due work of the chat (`chat::automation`), and of the team of an agent with one chat less. Chats
//! with a chatbot cost nothing here.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::ParticipantState,
    event::{Event, Speaker},
    ids::{ClientId, ParticipantId, UserId},
};
use storage::{
    PgConnection, Queue,
    chat::due_work::{self, ChatWork},
};
use uuid::Uuid;

use crate::NewEvent;
use base::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// The customer wrote to people: an answer is awaited, unless it is already.
    ForAnswer(ParticipantId),
    InQueue(ParticipantId),
    ForItsAgent(ParticipantId),
    /// An agent has it; a waiting customer keeps waiting, also after the chat was missed in the queue.
    Taken(ParticipantId),
    Answered(ParticipantId),
    NoMore(ParticipantId),
}

pub(crate) async fn take(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: &[NewEvent],
) -> Result<Vec<(Queue, Uuid)>> {
    let now = ctx.now();
    let patience = TimeDelta::from_std(ctx.settings.limits.missed_after).unwrap_or(TimeDelta::MAX);
    let until = |at: DateTime<Utc>| at.checked_add_signed(patience).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let mut wakes = Vec::new();
    for (new, waits) in events.iter().filter_map(|new| Some((new, waits(&new.event)?))) {
        match waits {
            Waits::ForAnswer(chat) | Waits::ForItsAgent(chat) => {
                due_work::add_answer_wait(db, client, chat, until(new.at), now).await?;
            }
            Waits::InQueue(chat) => {
                due_work::add_answer_wait(db, client, chat, until(new.at), now).await?;
                due_work::add_arrival(db, client, chat, now).await?;
                wakes.push((Queue::Chat, chat.0));
            }
            Waits::Taken(chat) => {
                due_work::drop(db, client, chat, &[ChatWork::Arrived, ChatWork::Left]).await?;
                due_work::restart_answer_wait(db, client, chat, until(new.at), now).await?;
            }
            Waits::Answered(chat) => due_work::drop(db, client, chat, &[ChatWork::Answer]).await?,
            Waits::NoMore(chat) => {
                due_work::drop(db, client, chat, &[ChatWork::Answer, ChatWork::Arrived, ChatWork::Left]).await?
            }
        }
    }
    let freed: Vec<UserId> = events.iter().filter_map(|new| freed_agent(&new.event)).collect();
    if !freed.is_empty() {
        let teams = due_work::room_of(db, client, &freed, now).await?;
        wakes.extend(teams.into_iter().map(|team| (Queue::Chat, team.0)));
    }
    Ok(wakes)
}

fn freed_agent(event: &Event) -> Option<UserId> {
    match event {
        Event::ChatChangedHands(changed) => changed.previous_agent,
        Event::ChatClosed(closed) => closed.agent,
        _ => None,
    }
}

fn waits(event: &Event) -> Option<Waits> {
    use ParticipantState::{Active, Bot, Closed, Queued};
    match event {
        Event::MessageCame(came) => {
            let asks = came.asks && matches!(came.chat.state, Queued | Active);
            // A missed chat stays missed; a new agent gets a new time.
            let known = came.chat.missed && came.chat.state == Queued;
            (asks && !known).then_some(Waits::ForAnswer(came.chat.participant))
        }
        Event::MessageSaid(said) => match said.by {
            // After any answer of the business the customer no longer waits.
            Speaker::Agent(_) | Speaker::Elsewhere => {
                said.content.is_answer().then_some(Waits::Answered(said.chat.participant))
            }
            Speaker::Bot => None,
        },
        Event::ChatOpened(opened) => (opened.state == Queued).then_some(Waits::InQueue(opened.participant)),
        Event::ChatChangedHands(changed) => Some(match (changed.from, changed.to) {
            (_, Queued) => Waits::InQueue(changed.participant),
            (Bot, Active) => Waits::ForItsAgent(changed.participant),
            (Queued | Active | Closed, Active) => Waits::Taken(changed.participant),
            (_, Bot | Closed) => Waits::NoMore(changed.participant),
        }),
        Event::ChatClosed(closed) => Some(Waits::NoMore(closed.participant)),
        Event::MessageMoved(_)
        | Event::MessageChanged(_)
        | Event::ChatRated(_)
        | Event::ChatMissed(_)
        | Event::ChatAfterHours(_)
        | Event::CustomerTypes(_)
        | Event::NoteWritten(_)
        | Event::ChatViewed(_)
        | Event::TicketMoved(_)
        | Event::TemplateChanged(_)
        | Event::CustomerNumberChanged(_)
        | Event::InboxQualityChanged(_)
        | Event::PreferenceChanged(_)
        | Event::PluginSwapped(_)
        | Event::PluginSuspended(_)
        | Event::SessionChanged(_)
        | Event::WebhookDisabled(_) => None,
    }
}
