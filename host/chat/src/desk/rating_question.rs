//! The question for a rating when `terminate` ends a chat of an agent (SPEC 1, 2.8 `RATING`, 3.4). Its buttons name the
//! ticket, so the answer finds it even if the chat has moved on.

use base::Context;
use domain::{chat::ParticipantState, event::Event};
use storage::{
    PgConnection,
    chat::participants::{self, Participant},
    inboxes,
    people::customers,
};

use super::{ActingUser, DeskError, send_message::window_open};
use crate::{
    conversation::ratings,
    send_to_customer::{AgentFields, SayTarget, TextOwner, TextPurpose, send_and_record},
};

/// Asks the customer of a locked chat that is about to end. If the chat has no agent or the customer cannot be written
/// to now, the question is skipped and the chat ends anyway.
pub(super) async fn ask(
    ctx: &Context,
    db: &mut PgConnection,
    acting: ActingUser,
    chat: &mut Participant,
) -> Result<Option<Event>, DeskError> {
    let client = acting.client;
    let (ParticipantState::Active, Some(ticket)) = (chat.state, chat.ticket) else { return Ok(None) };
    let inbox = inboxes::by_id(db, client, chat.inbox).await?.ok_or(DeskError::NotFound)?;
    let customer = customers::find(db, client, chat.customer).await?.ok_or(DeskError::NotFound)?;
    if customer.addresses.written_to(inbox.kind()).is_none() {
        return Ok(None);
    }
    match window_open(ctx, db, client, chat, inbox.kind()).await {
        Ok(()) => {}
        Err(DeskError::Conflict(_)) => return Ok(None),
        Err(error) => return Err(error),
    }
    let content = ratings::question_in(db, client, chat, Some(ticket)).await?;
    let names = participants::agent_names(db, client, &[acting.user]).await?;
    let words = TextOwner {
        content: &content,
        purpose: TextPurpose::Rating,
        owner: names.get(&acting.user).map_or("AGENT", String::as_str),
        quotes: None,
        of_agent: AgentFields { agent: Some(acting.user), ..AgentFields::default() },
    };
    let place = SayTarget { chat, inbox: inbox.kind(), customer: &customer };
    let (_, said) = send_and_record(ctx, db, client, place, &words).await?;
    Ok(Some(said))
}
