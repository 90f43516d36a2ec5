//! What the business wrote in a chat by other means than ours, such as the inbox of its page: the chat shows it (PROVIDERS B).

use base::{Context, Result};
use domain::{
    chat::{ChatContent, ContentType},
    delivery::DeliveryState,
    event::{Event, MessageSaid, Speaker},
    ids::{ChatMessageId, ClientId, InboxId},
    inbound::Echo,
};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue,
    chat::{
        chat_messages::{self, NewChatMessage},
        participants,
    },
    people::{customers, inbox_customers},
};
use uuid::Uuid;

use crate::conversation::{as_event, words};

/// Whose words they are.
const OWNER: &str = "PAGE";

/// Takes such a message inside the caller's transaction. A repetition changes nothing, nor does one to somebody who never wrote:
/// that is no chat. Answers the lanes to wake after the commit.
pub async fn import(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    echo: &Echo,
) -> Result<Vec<(Queue, Uuid)>> {
    let known = inbox_customers::facts(db, client, inbox, &[&echo.to]).await?;
    let Some(customer) = known.get(&echo.to).map(|known| known.customer) else { return Ok(Vec::new()) };
    let Some(mut chat) = participants::lock_of_customer(db, client, inbox, customer).await? else {
        return Ok(Vec::new());
    };
    let id: ChatMessageId = ctx.mint();
    if chat_messages::claim_provider_ids(db, client, &[(&echo.provider_id, id)]).await?.is_empty() {
        return Ok(Vec::new());
    }
    let written_at = ctx.clock.at(echo.sent_at).min(ctx.now());
    let row = NewChatMessage {
        id,
        participant: chat.id,
        sequence: chat.take_sequence(written_at),
        content_type: ContentType::of_outbound(&echo.content),
        channel: chat.channel,
        body: words::of_outbound(&echo.content),
        content: ChatContent::Outgoing(Box::new(echo.content.clone())),
        media: None,
        owner: OWNER.to_owned(),
        agent: None,
        ct_id: None,
        temp_id: None,
        gst_id: id.to_string(),
        provider_id: Some(echo.provider_id.clone()),
        quoted_provider_id: echo.quoted_provider_id.clone(),
        state: Some(DeliveryState::Sent),
        created_at: written_at,
    };
    chat_messages::insert(db, client, &row).await?;
    participants::save(db, client, &chat).await?;
    let Some(customer) = customers::find(db, client, chat.customer).await? else { return Ok(Vec::new()) };
    let said = MessageSaid {
        message: id,
        rest: Vec::new(),
        by: Speaker::Elsewhere,
        chat: as_event::chat(db, client, &chat).await?,
        customer: as_event::customer(&customer),
        content: echo.content.clone(),
        quoted: None,
        ct_id: None,
    };
    let event = NewEvent {
        inbox: Some(inbox),
        order_key: as_event::order_key(inbox, &customer),
        at: written_at,
        event: Event::MessageSaid(Box::new(said)),
    };
    record(ctx, db, client, &[event]).await
}
