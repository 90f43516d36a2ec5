use domain::{
    body::Faults,
    channel::Channel,
    conversation::{Conversation, ConversationRequest, expires_at},
    ids::{ClientId, InboxId},
};
use storage::{
    PgConnection,
    chat::conversations::{self, NewConversation},
    inboxes,
};

use base::{Context, Error};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenResult {
    pub conversation: Conversation,
    /// It is new: status 200, otherwise 452.
    pub new: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenConversationError {
    #[error("the request is not valid")]
    Faults(Faults),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(OpenConversationError: storage::Error);

/// Attempts, in case the open conversation is closed between two statements.
const ROUNDS: usize = 4;

/// Opens a conversation, or returns the active one between the same number and customer. The phone number identifies the
/// customer, or else the BSUID. If several calls come at the same time, one opens it and the others find it. An error means
/// that nothing is stored.
pub async fn open(
    ctx: &Context,
    client: ClientId,
    request: &ConversationRequest,
) -> Result<OpenResult, OpenConversationError> {
    let mut tx = ctx.db.begin().await?;
    let senders = [request.sender.as_str().to_owned()];
    let inboxes = inboxes::by_addresses(&mut tx, client, Channel::Whatsapp, &senders).await?;
    let Some(inbox) = inboxes.first().map(|inbox| inbox.id) else {
        return Err(OpenConversationError::Faults(ConversationRequest::unknown_sender().into()));
    };
    let opened = with_customer(ctx, &mut tx, client, inbox, request).await?;
    tx.commit().await?;
    Ok(opened)
}

async fn with_customer(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    request: &ConversationRequest,
) -> Result<OpenResult, OpenConversationError> {
    let now = ctx.now();
    // Other addresses in the request are unverified, so they are not used to identify customers.
    let named = people::resolve_many(db, client, &ctx.ids, &[request.recipient.address()], now).await?;
    let gone = || {
        let (table, column) = ("customer", "id");
        OpenConversationError::from(storage::Error::Inconsistent { table, column, value: "missing".to_owned() })
    };
    let customer = conversations::hold_customer(db, client, *named.first().ok_or_else(gone)?).await?;
    let new = NewConversation {
        id: ctx.mint(),
        inbox,
        customer,
        participant: ctx.mint(),
        recipient: request.recipient.phone().map(str::to_owned),
        customer_user_id: request.recipient.bsuid().map(str::to_owned),
        expires_at: expires_at(now, ctx.settings.limits.conversation_lifetime),
    };
    for _ in 0..ROUNDS {
        let is_new = conversations::open(db, client, &new, now).await?;
        if let Some(conversation) = conversations::active(db, client, inbox, customer, now).await? {
            let conversation = Conversation {
                recipient: conversation.recipient.or_else(|| new.recipient.clone()),
                customer_user_id: conversation.customer_user_id.or_else(|| new.customer_user_id.clone()),
                ..conversation
            };
            return Ok(OpenResult { conversation, new: is_new });
        }
    }
    let value = "conversations are closed as fast as they are opened".to_owned();
    Err(storage::Error::Inconsistent { table: "conversation", column: "closed_at", value }.into())
}
