//! Events of two customers who became one, and of their chats on one inbox.

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    chat::ParticipantState,
    event::{ChatClosed, ChatOpened, Event},
    ids::ClientId,
};
use people::FoldedChats;
use storage::{PgConnection, Queue, people::customers};
use uuid::Uuid;

use crate::{NewEvent, chat_facts, record};

pub async fn record_folded(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    folded: &[FoldedChats],
) -> Result<Vec<(Queue, Uuid)>> {
    let events = of_folded(db, client, folded, ctx.now()).await?;
    record(ctx, db, client, &events).await
}

pub async fn of_folded(
    db: &mut PgConnection,
    client: ClientId,
    folded: &[FoldedChats],
    at: DateTime<Utc>,
) -> Result<Vec<NewEvent>> {
    let mut events = Vec::new();
    for one in folded {
        let inbox = one.chat.inbox;
        let Some(customer) = customers::find(db, client, one.chat.customer).await? else { continue };
        let order_key = chat_facts::order_key(inbox, &customer);
        events.extend(merge_events(one).map(|event| NewEvent { inbox: Some(inbox), order_key, at, event }));
    }
    Ok(events)
}

/// In order: the merged chat has ended, the other may have a new owner, and one of two tickets is closed.
fn merge_events(folded: &FoldedChats) -> impl Iterator<Item = Event> {
    let FoldedChats { chat, was, gone, ended } = folded;
    let closed = ChatClosed {
        participant: gone.id,
        from: gone.state,
        agent: gone.assigned_agent,
        // Its customer waits in the remaining chat.
        missed: false,
    };
    let closed = (gone.state != ParticipantState::Closed).then_some(Event::ChatClosed(closed));
    let changed = chat.state != was.state;
    let opened = ChatOpened { participant: chat.id, state: chat.state, again: true, message: None };
    let opened = (changed && was.state == ParticipantState::Closed).then_some(Event::ChatOpened(opened));
    let moved = changed.then(|| chat_facts::moved_event(was, chat));
    let ticket = ended.as_ref().map(|(ticket, before)| chat_facts::ticket_moved(ticket, Some(*before)));
    [closed, opened, moved, ticket].into_iter().flatten()
}
