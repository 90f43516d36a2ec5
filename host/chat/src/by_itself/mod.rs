//! What happens to chats by the clock and by itself: nobody answers in time, a chat that waits for a team is given to somebody
//! of it, an agent leaves. A lane is a chat; each step is one transaction under its lease, with the chat locked.

mod giving_out;
mod leaving;
mod missed;

use base::{Context, Result, lanes::Lease};
use domain::{
    event::Event,
    ids::{ClientId, ParticipantId},
};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue,
    chat::{
        due::{self, Due},
        participants::{self, Participant},
    },
    people::customers,
};
use uuid::Uuid;

use crate::conversation::as_event;

pub use giving_out::{give_out_waiting, take_back_left};

/// Works off what is due in a chat.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let chat = ParticipantId(lease.lane);
    while !lease.is_over() {
        let next = {
            let mut db = ctx.db.acquire().await?;
            due::next(&mut db, lease.client, chat, ctx.now()).await?
        };
        let Some(next) = next else { return Ok(()) };
        let mut tx = ctx.db.begin().await?;
        lease.hold(&mut tx).await?;
        let locked = participants::lock(&mut tx, lease.client, chat).await?;
        // Somebody was quicker, or moved the chat so that it is due no more.
        if !due::take(&mut tx, lease.client, (chat, next), ctx.now()).await? {
            continue;
        }
        let wakes = match locked {
            Some(chat) => match next {
                Due::Answer => missed::note(ctx, &mut tx, lease.client, chat).await?,
                Due::Arrived => giving_out::give_out(ctx, &mut tx, lease.client, chat).await?,
                Due::Left => leaving::take_back(ctx, &mut tx, lease.client, chat).await?,
            },
            None => Vec::new(),
        };
        tx.commit().await?;
        ctx.wake.wake_all(lease.client, wakes);
    }
    Ok(())
}

/// Saves a chat and says what happened to it. Answers the lanes to wake.
async fn say(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    happened: impl IntoIterator<Item = Event>,
) -> Result<Vec<(Queue, Uuid)>> {
    participants::save(db, client, chat).await?;
    let Some(customer) = customers::find(db, client, chat.customer).await? else { return Ok(Vec::new()) };
    let order_key = as_event::order_key(chat.inbox, &customer);
    let event = |event| NewEvent { inbox: Some(chat.inbox), order_key, at: ctx.now(), event };
    record(ctx, db, client, &happened.into_iter().map(event).collect::<Vec<_>>()).await
}
