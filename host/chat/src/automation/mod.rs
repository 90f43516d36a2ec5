//! Automatic actions on chats: a chat is missed, assigned to a member of its team, or taken back from an agent who
//! left. A lane is a chat, or a team whose members have room. Each action on a chat is one transaction under the lease,
//! with the chat locked.

mod arrivals;
mod assignment;
mod departures;
mod missed_chats;
mod texts;

use base::{Context, Result, lanes::Lease};
use domain::ids::{ParticipantId, TeamId};
use storage::chat::{
    due_work::{self, ChatWork},
    participants,
};

pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let chat = ParticipantId(lease.lane);
    while !lease.is_over() {
        let next = {
            let mut db = ctx.db.acquire().await?;
            due_work::next(&mut db, lease.client, lease.lane, ctx.now()).await?
        };
        let Some(next) = next else { return Ok(()) };
        if next == ChatWork::Room {
            assignment::fill_room(ctx, lease, TeamId(lease.lane)).await?;
            continue;
        }
        let mut tx = ctx.db.begin().await?;
        lease.hold(&mut tx).await?;
        let locked = participants::lock(&mut tx, lease.client, chat).await?;
        // Another process was faster, or the action is no longer due.
        let Some(since) = due_work::take(&mut tx, lease.client, chat, next, ctx.now()).await? else { continue };
        let wakes = match locked {
            Some(chat) => match next {
                ChatWork::Answer => missed_chats::note(ctx, &mut tx, lease.client, chat, since).await?,
                ChatWork::Arrived => arrivals::arrive(ctx, &mut tx, lease.client, chat, since).await?,
                ChatWork::Left => departures::take_back(ctx, &mut tx, lease.client, chat).await?,
                // Only a team has this kind.
                ChatWork::Room => Vec::new(),
            },
            None => Vec::new(),
        };
        tx.commit().await?;
        ctx.wake.wake_all(lease.client, wakes);
    }
    Ok(())
}
