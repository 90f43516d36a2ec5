//! Messages of test customers. A developer writes them in a sandbox, because a customer has to write first to a page or a
//! bot (`docs/test-keys.md`). They take the way of callbacks.

use base::{Context, Error};
use channels::sandbox::{NAME, SandboxMessage, incoming_id};
use domain::{
    channel::Channel,
    ids::ClientId,
    inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundContent},
    sandbox::{SandboxOutcome, TEST_CUSTOMERS_ONLY},
};
use storage::{
    PgConnection,
    inboxes::{self, Inbox},
};
use uuid::Uuid;

use crate::callbacks::take_of_inbox;

/// The channels whose customers are simulated. An SMS is answered by its recipient, and a site has a widget.
const CHANNELS: [Channel; 3] = [Channel::Whatsapp, Channel::Facebook, Channel::Telegram];

/// A text of a test customer.
#[derive(Debug, Clone, Copy)]
pub struct TestMessage<'a> {
    /// The number, page or bot that the customer writes to.
    pub inbox: &'a str,
    /// The digits of a test number, with or without `+`.
    pub from: &'a str,
    pub name: Option<&'a str>,
    pub text: &'a str,
}

#[derive(Debug, thiserror::Error)]
pub enum TestMessageError {
    #[error("is no number, page or bot of the sandbox. `POST .../templates/sync` copies those of the client")]
    UnknownInbox,
    #[error("{TEST_CUSTOMERS_ONLY}")]
    NoTestCustomer,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(TestMessageError: storage::Error);

/// Stores a message as if its provider had reported it. Returns its id.
pub async fn write(ctx: &Context, sandbox: ClientId, wrote: TestMessage<'_>) -> Result<String, TestMessageError> {
    let digits = wrote.from.strip_prefix('+').unwrap_or(wrote.from);
    SandboxOutcome::of(digits).ok_or(TestMessageError::NoTestCustomer)?;
    let mut tx = ctx.db.begin().await?;
    let inbox = find_inbox(&mut tx, sandbox, wrote.inbox).await?.ok_or(TestMessageError::UnknownInbox)?;
    let from = SandboxMessage::address(inbox.channel(), digits).ok_or(TestMessageError::NoTestCustomer)?;
    let message = SandboxMessage {
        provider_id: incoming_id(ctx.mint::<Uuid>()),
        from: &from,
        name: wrote.name.unwrap_or(NAME),
        at: ctx.now(),
        quoted_provider_id: None,
        content: InboundContent::Text { body: wrote.text.to_owned() },
        raw: SandboxMessage::raw_text(wrote.text),
    };
    let message = message.in_channel(inbox.channel());
    let id = message.provider_id.clone();
    let item = CallbackItem {
        dedupe_key: format!("message:{id}"),
        target: CallbackTarget::Inbox(inbox.id),
        body: CallbackBody::Message(Box::new(message)),
    };
    let wakes = take_of_inbox(ctx, &mut tx, sandbox, inbox.id, vec![item]).await?;
    tx.commit().await?;
    ctx.wake.wake_all(sandbox, wakes);
    Ok(id)
}

async fn find_inbox(db: &mut PgConnection, sandbox: ClientId, address: &str) -> base::Result<Option<Inbox>> {
    let address = [address.strip_prefix('+').unwrap_or(address).to_owned()];
    for channel in CHANNELS {
        if let Some(inbox) = inboxes::by_addresses(db, sandbox, channel, &address).await?.pop() {
            return Ok(Some(inbox));
        }
    }
    Ok(None)
}
