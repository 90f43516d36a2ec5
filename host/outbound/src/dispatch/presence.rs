//! Read receipts and typing indicators. They bypass the queue, because they have no value later.

use base::{Context, Result};
use channels::carrier::PresenceRefused;
pub use channels::carrier::PresenceSignal;
use domain::ids::{ClientId, InboxId};

use super::sender::SenderInbox;

/// Shows a customer on an inbox that its messages were read, or that an answer is being written. No transaction is open
/// during the call. The inner error says why the customer does not see it, and whether the provider failed.
pub async fn show(
    ctx: &Context,
    client: ClientId,
    inbox: InboxId,
    signal: &PresenceSignal<'_>,
) -> Result<std::result::Result<(), PresenceFailure>> {
    let sender = {
        let mut db = ctx.db.acquire().await?;
        SenderInbox::read(ctx, &mut db, client, inbox).await?
    };
    let Some(sender) = sender else { return Ok(Err(PresenceFailure::from(PresenceRefused::NoSuchThing))) };
    let shown = sender.carrier.show(&sender.inbox, signal).await;
    Ok(shown.map_err(PresenceFailure::from))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresenceFailure {
    pub reason: String,
    pub is_failure: bool,
}

impl From<PresenceRefused> for PresenceFailure {
    fn from(not_shown: PresenceRefused) -> Self {
        let is_failure = match not_shown {
            PresenceRefused::Failed(_) => true,
            PresenceRefused::NoSuchThing | PresenceRefused::NothingToRead => false,
        };
        Self { reason: not_shown.to_string(), is_failure }
    }
}
