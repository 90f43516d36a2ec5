//! Read receipts and typing indicators. They bypass the queue, because they have no value later.

use base::{Context, Result};
use channels::carrier::{NotShown, Presence};
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
};

use super::sender::Sender;

/// Shows a customer on an inbox that its messages up to `last_message` were read and, with `typing`, that an answer is
/// being written. No transaction is open during the call. The inner error says why the customer does not see it, and
/// whether the provider failed.
pub async fn show(
    ctx: &Context,
    client: ClientId,
    inbox: InboxId,
    to: &Address,
    (last_message, typing): (Option<&str>, bool),
) -> Result<std::result::Result<(), Unseen>> {
    let sender = {
        let mut db = ctx.db.acquire().await?;
        Sender::read(ctx, &mut db, client, inbox).await?
    };
    let Some(sender) = sender else { return Ok(Err(Unseen::from(NotShown::NoSuchThing))) };
    let shown = sender.carrier.show(&sender.inbox, &Presence { to, last_message, typing }).await;
    Ok(shown.map_err(Unseen::from))
}

/// The reason why a customer does not see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// A sentence for people.
    pub reason: String,
    /// True if the provider failed.
    pub is_failure: bool,
}

impl From<NotShown> for Unseen {
    fn from(not_shown: NotShown) -> Self {
        let is_failure = match not_shown {
            NotShown::Failed(_) => true,
            NotShown::NoSuchThing | NotShown::NothingToRead => false,
        };
        Self { reason: not_shown.to_string(), is_failure }
    }
}
