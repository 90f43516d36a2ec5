use base::{Context, Result};
use domain::{event::Event, ids::ClientId};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue,
    chat::participants::{self, Participant},
    people::customers,
};
use uuid::Uuid;

use crate::conversation::event_facts;

/// Saves a chat and records its events. Returns the lanes to wake.
pub(super) async fn send_text(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    happened: impl IntoIterator<Item = Event>,
) -> Result<Vec<(Queue, Uuid)>> {
    participants::save(db, client, chat).await?;
    let Some(customer) = customers::find(db, client, chat.customer).await? else { return Ok(Vec::new()) };
    let order_key = event_facts::order_key(chat.inbox, &customer);
    let event = |event| NewEvent { inbox: Some(chat.inbox), order_key, at: ctx.now(), event };
    record(ctx, db, client, &happened.into_iter().map(event).collect::<Vec<_>>()).await
}
