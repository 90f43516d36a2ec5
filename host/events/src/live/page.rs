//! A page of events, with all shown facts and the audience of each, read for all at once.

use std::collections::{BTreeSet, HashMap};

use domain::{
    chat::ParticipantState,
    ids::{ChatMessageId, ClientId, MessageId, ParticipantId, UserId},
    live::{Audience, Hands, LiveEvent},
};
use storage::{
    PgConnection,
    chat::history::{self, PastMessage},
    live::{
        events::Numbered,
        shown::{self, ShownChat, ShownUser},
    },
    outbound::failures::{self, Failure},
};

use super::{body, feed::Ready};
use base::{Context, Result};

/// The facts that the events of a page name.
pub(super) struct Known {
    pub(super) chats: HashMap<ParticipantId, ShownChat>,
    pub(super) messages: HashMap<ChatMessageId, PastMessage>,
    pub(super) users: HashMap<UserId, ShownUser>,
    /// Reasons why messages did not arrive.
    pub(super) failures: HashMap<MessageId, Failure>,
}

impl Known {
    async fn load(db: &mut PgConnection, client: ClientId, events: &[Numbered]) -> Result<Self> {
        let chats: BTreeSet<ParticipantId> = events.iter().map(|one| one.event.chat).collect();
        let messages: BTreeSet<ChatMessageId> = events.iter().filter_map(|one| one.event.what.message()).collect();
        let chats = shown::chats(db, client, &chats.into_iter().collect::<Vec<_>>()).await?;
        let messages = if messages.is_empty() {
            Vec::new()
        } else {
            history::of_ids(db, client, &messages.into_iter().collect::<Vec<_>>()).await?
        };
        let failed: Vec<MessageId> = messages.iter().filter_map(PastMessage::failed).collect();
        let failures = failures::of_messages(db, client, &failed).await?;
        let users = people(&chats, events);
        let users = if users.is_empty() { HashMap::new() } else { shown::users(db, client, &users).await? };
        Ok(Self {
            chats: chats.into_iter().map(|chat| (chat.id, chat)).collect(),
            messages: messages.into_iter().map(|message| (message.id, message)).collect(),
            users,
            failures,
        })
    }
}

/// The users that chats and events name.
fn people(chats: &[ShownChat], events: &[Numbered]) -> Vec<UserId> {
    let of_chats = chats.iter().flat_map(|chat| [chat.agent, chat.last_agent]).flatten();
    let of_events = events.iter().filter_map(|one| one.event.what.agent());
    let of_hands = events.iter().flat_map(|one| &one.event.hands).filter_map(|hands| hands.agent);
    let users: BTreeSet<UserId> = of_chats.chain(of_events).chain(of_hands).collect();
    users.into_iter().collect()
}

/// Makes events ready to be sent.
pub(super) async fn load(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: Vec<Numbered>,
) -> Result<Vec<Ready>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let known = Known::load(db, client, &events).await?;
    let ready = |one: &Numbered| Ready {
        sequence: one.sequence,
        kind: one.event.what.name(),
        text: body::text(ctx, client, &known, one).into(),
        audience: audience(&known, &one.event),
    };
    Ok(events.iter().map(ready).collect())
}

/// The audience of an event: the owner of the chat at its time, and the present owner. A closed chat is still visible
/// to its last agent.
fn audience(known: &Known, event: &LiveEvent) -> Audience {
    let mut audience = Audience::default();
    let mut add = |hands: &Hands| {
        let team_of = |agent: &UserId| known.users.get(agent).and_then(|user| user.team);
        audience.add(hands.state, hands.agent.map(|agent| (agent, team_of(&agent))), hands.team);
    };
    event.hands.iter().for_each(&mut add);
    if let Some(chat) = known.chats.get(&event.chat) {
        let last = chat.last_agent.filter(|_| chat.state == ParticipantState::Closed);
        let team = chat.team.as_ref().map(|(team, _)| *team);
        add(&Hands { state: chat.state, agent: chat.agent.or(last), team });
    }
    audience
}
