//! Automatic actions on chats: a chat is missed, assigned to a member of its team, or taken back from an agent who
//! left. A lane is a chat, or a team whose members have room. Each action on a chat is one transaction under the lease,
//! with the chat locked.

mod arriving;
mod giving_out;
mod leaving;
mod missed;
mod say;

use base::{Context, Result, lanes::Lease};
use domain::ids::{ParticipantId, TeamId};
use storage::chat::{
    due::{self, Due},
    participants,
};

/// Works off the due actions of a chat or a team.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let chat = ParticipantId(lease.lane);
    while !lease.is_over() {
        let next = {
            let mut db = ctx.db.acquire().await?;
            due::next(&mut db, lease.client, lease.lane, ctx.now()).await?
        };
        let Some(next) = next else { return Ok(()) };
        if next == Due::Room {
            giving_out::fill_room(ctx, lease, TeamId(lease.lane)).await?;
            continue;
        }
        let mut tx = ctx.db.begin().await?;
        lease.hold(&mut tx).await?;
        let locked = participants::lock(&mut tx, lease.client, chat).await?;
        // Another process was faster, or the action is no longer due.
        let Some(since) = due::take(&mut tx, lease.client, (chat, next), ctx.now()).await? else { continue };
        let wakes = match locked {
            Some(chat) => match next {
                Due::Answer => missed::note(ctx, &mut tx, lease.client, (chat, since)).await?,
                Due::Arrived => arriving::arrive(ctx, &mut tx, lease.client, (chat, since)).await?,
                Due::Left => leaving::take_back(ctx, &mut tx, lease.client, chat).await?,
                // Only a team has this kind.
                Due::Room => Vec::new(),
            },
            None => Vec::new(),
        };
        tx.commit().await?;
        ctx.wake.wake_all(lease.client, wakes);
    }
    Ok(())
}
