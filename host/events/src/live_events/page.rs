//! A page of events, with all shown facts and the audience of each, read for all at once.

use base::{Context, Result};
use domain::{
    chat::ParticipantState,
    ids::{ClientId, UserId},
    live_events::{Audience, ChatOwner, LiveEvent, LiveKind},
};
use storage::{PgConnection, live_events::events::NumberedEvent};

use super::{body, feed::ReadyEvent, page_facts::PageFacts};

pub(super) async fn load(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: Vec<NumberedEvent>,
) -> Result<Vec<ReadyEvent>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let known = PageFacts::load(db, client, &events, ctx.now()).await?;
    let ready = |one: &NumberedEvent| ReadyEvent {
        sequence: one.sequence,
        kind: one.event.what.name(),
        text: body::text(ctx, client, &known, one).into(),
        audience: audience(&known, &one.event),
    };
    Ok(events.iter().map(ready).collect())
}

/// The audience: the owner of the chat at that time, and the present one. A closed chat stays visible to its last
/// agent. A note is also for the users that it mentions, a whisper only for its author and its agent.
fn audience(known: &PageFacts, event: &LiveEvent) -> Audience {
    let mut audience = Audience::default();
    if let LiveKind::NoteWritten { author, mentions, whisper_to, .. } = &event.what {
        mentions.iter().chain([author]).chain(whisper_to).for_each(|user| audience.add_agent(*user));
        if whisper_to.is_some() {
            return audience;
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
