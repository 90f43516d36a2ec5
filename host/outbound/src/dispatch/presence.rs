//! Read receipts and typing, past the queue: they are worth something now or not at all.

use base::{Context, Result};
use channels::carrier::{NotShown, Presence};
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
};

use super::sender::Sender;

/// Shows a customer on an inbox that its messages up to `last_message` were read, with `typing` also that somebody is
/// writing. No transaction is open meanwhile. The inner error says in words why the customer does not see it; its boolean,
/// whether that is a failure of the provider.
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

/// Why a customer does not see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// In words.
    pub reason: String,
    /// The provider did not do what it should.
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
