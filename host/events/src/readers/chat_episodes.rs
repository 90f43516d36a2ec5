//! Episodes of chats, for the figures of supervisors. Messages of customers and chatbots cost no statement.

use base::{Context, Result};
use domain::{
    chat::ParticipantState,
    event::{Event, Speaker},
    ids::ClientId,
};
use storage::{
    PgConnection,
    chat::episodes::{self, EpisodeOwner, NewEpisode},
};

use crate::NewEvent;

pub(crate) async fn take(ctx: &Context, db: &mut PgConnection, client: ClientId, events: &[NewEvent]) -> Result<()> {
    for new in events {
        let at = new.at;
        match &new.event {
            Event::ChatOpened(opened) => {
                let Some(inbox) = new.inbox else { continue };
                let queued = opened.state == ParticipantState::Queued;
                let episode = NewEpisode { id: ctx.mint(), chat: opened.participant, inbox, queued };
                episodes::open(db, client, episode, at).await?;
            }
            Event::ChatChangedHands(changed) if changed.to == ParticipantState::Closed => {
                episodes::close(db, client, changed.participant, false, at).await?;
            }
            Event::ChatChangedHands(changed) => {
                let queued = changed.to == ParticipantState::Queued;
                let agent = changed.agent.filter(|_| changed.to == ParticipantState::Active);
                let owner = EpisodeOwner { agent, team: changed.team_id, queued };
                episodes::give(db, client, changed.participant, owner, at).await?;
            }
            Event::MessageSaid(said) if matches!(said.by, Speaker::Agent(_)) && said.content.is_answer() => {
                episodes::answer(db, client, said.chat.participant, at).await?;
            }
            Event::ChatMissed(missed) => episodes::miss(db, client, missed.participant).await?,
            Event::ChatAfterHours(flagged) => episodes::flag_after_hours(db, client, flagged.participant).await?,
            Event::ChatClosed(closed) => {
                episodes::close(db, client, closed.participant, closed.missed, at).await?;
            }
            Event::ChatRated(rated) => episodes::rate(db, client, rated.participant, rated.rating).await?,
            _ => {}
        }
    }
    Ok(())
}
