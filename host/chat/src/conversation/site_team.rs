use base::Result;
use domain::{channel::Channel, chat::ParticipantState, ids::ClientId};
use storage::{PgConnection, chat::participants::Participant, web::sites};

/// Sets the team of the site for a waiting chat without a team. The caller saves it.
pub(crate) async fn name(db: &mut PgConnection, client: ClientId, chat: &mut Participant) -> Result<()> {
    if chat.channel == Channel::Web && chat.state == ParticipantState::Queued && chat.team.is_none() {
        chat.team = sites::team_of(db, client, chat.inbox).await?;
    }
    Ok(())
}
