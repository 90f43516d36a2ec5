//! Live events (ADR 0027): events of chats are stored while they are wanted. Other events cost no statement.

use std::collections::HashMap;

use domain::{
    ids::{ChatMessageId, ClientId, ParticipantId},
    live_events::{LiveEvent, LiveKind, LiveMeaning, meaning_of},
};
use storage::{
    PgConnection,
    live_events::{
        events::{self, NewLiveEvent},
        streams,
    },
};

use crate::NewEvent;
use base::{Context, Result};

pub(crate) async fn take(ctx: &Context, db: &mut PgConnection, client: ClientId, happened: &[NewEvent]) -> Result<()> {
    let told = happened.iter().map(|new| (new, meaning_of(&new.event)));
    let told: Vec<(&NewEvent, LiveMeaning)> = told.filter(|(_, told)| *told != LiveMeaning::Nothing).collect();
    if told.is_empty() || !streams::is_wanted(db, client).await? {
        return Ok(());
    }
    let chats = chats_of_steps(db, client, &told).await?;
    let new = told.into_iter().flat_map(|(new, told)| {
        let events = match told {
            LiveMeaning::Events(events) => events,
            // A removed message has no chat.
            LiveMeaning::Step(message, status) => {
                let what = LiveKind::MessageStatus { message, status };
                let step = |chat: &ParticipantId| LiveEvent { chat: *chat, what, hands: Vec::new() };
                chats.get(&message).map(step).into_iter().collect()
            }
            LiveMeaning::Nothing => Vec::new(),
        };
        events.into_iter().map(|event| NewLiveEvent { id: ctx.mint(), at: new.at, event })
    });
    let new: Vec<NewLiveEvent> = new.collect();
    Ok(events::insert(db, client, &new).await?)
}

async fn chats_of_steps(
    db: &mut PgConnection,
    client: ClientId,
    told: &[(&NewEvent, LiveMeaning)],
) -> Result<HashMap<ChatMessageId, ParticipantId>> {
    let stepped = told.iter().filter_map(|(_, told)| match told {
        LiveMeaning::Step(message, _) => Some(*message),
        LiveMeaning::Events(_) | LiveMeaning::Nothing => None,
    });
    let mut stepped: Vec<ChatMessageId> = stepped.collect();
    stepped.sort_unstable();
    stepped.dedup();
    if stepped.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(events::chats_of(db, client, &stepped).await?.into_iter().collect())
}
