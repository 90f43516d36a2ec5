//! A page of events, with all shown facts and the audience of each, read for all at once.

use base::{Context, Error, Result};
use domain::{
    chat::ParticipantState,
    ids::{ClientId, UserId},
    live_events::{Audience, ChatOwner, LiveEvent, LiveKind},
};
use storage::{
    PgConnection,
    live_events::events::{LiveEventRow, NumberedEvent},
};

use super::{body, feed::ReadyEvent, page_facts::PageFacts};

/// Returns the events in the given order. One that cannot be read, or not be shown because a fact of it cannot be read,
/// keeps its number and is shown to no one, so that the others continue.
pub(super) async fn load(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    rows: Vec<LiveEventRow>,
) -> Result<Vec<ReadyEvent>> {
    let mut ready = Vec::with_capacity(rows.len());
    let mut events = Vec::with_capacity(rows.len());
    for row in rows {
        match row.event {
            Ok(event) => events.push(event),
            Err(error) => ready.push(unreadable(client, row.sequence, &error.into())),
        }
    }
    let mut parts = vec![events.as_slice()];
    while let Some(part) = parts.pop() {
        match (load_part(ctx, db, client, part).await, part) {
            (Ok(made), _) => ready.extend(made),
            (Err(error), _) if !error.is_of_a_stored_value() => return Err(error),
            (Err(error), [event]) => ready.push(unreadable(client, event.sequence, &error)),
            (Err(_), _) => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
            }
        }
    }
    ready.sort_unstable_by_key(|one| one.sequence);
    Ok(ready)
}

fn unreadable(client: ClientId, sequence: i64, error: &Error) -> ReadyEvent {
    tracing::error!(client.id = %client, sequence, error = error as &dyn std::error::Error,
        "a live event cannot be read and is left out");
    ReadyEvent { sequence, kind: "unreadable", text: "".into(), audience: None }
}

async fn load_part(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: &[NumberedEvent],
) -> Result<Vec<ReadyEvent>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let known = PageFacts::load(db, client, events, ctx.now()).await?;
    let ready = |one: &NumberedEvent| ReadyEvent {
        sequence: one.sequence,
        kind: one.event.what.name(),
        text: body::text(ctx, client, &known, one).into(),
        audience: Some(audience(&known, &one.event)),
    };
    Ok(events.iter().map(ready).collect())
}

/// The audience: the owner of the chat at that time, and the present one. A closed chat stays visible to its last
/// agent. A note is also for its author and the users that it mentions, a whisper only for its author and its agent.
fn audience(known: &PageFacts, event: &LiveEvent) -> Audience {
    let mut audience = Audience::default();
    if let LiveKind::NoteWritten { author, mentions, whisper_to, .. } = &event.what {
        audience.add_agent(*author);
        if let Some(agent) = whisper_to {
            audience.add_agent(*agent);
            return audience;
        }
        for user in mentions {
            audience.add_agent(*user);
        }
    }
    let mut add = |hands: &ChatOwner| {
        let team_of = |agent: &UserId| known.users.get(agent).and_then(|user| user.team);
        audience.add(hands.state, hands.agent.map(|agent| (agent, team_of(&agent))), hands.team);
    };
    event.hands.iter().for_each(&mut add);
    if let Some(chat) = known.chats.get(&event.chat) {
        let last = chat.last_agent.filter(|_| chat.state == ParticipantState::Closed);
        let team = chat.team.as_ref().map(|(team, _)| *team);
        add(&ChatOwner { state: chat.state, agent: chat.agent.or(last), team });
    }
    audience
}
