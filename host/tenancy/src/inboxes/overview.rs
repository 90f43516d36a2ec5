//! The inboxes of a client in the view of its owner: their quality and tier, and their state at the provider.

use base::{Context, Result};
use domain::{
    channel::Channel,
    chat,
    ids::ClientId,
    page::{Page, PageRequest},
    tier,
};
use storage::inboxes::overview::{self, CountStarts, InboxOverview};

/// Channels whose inboxes belong to a provider. Sites have their own list, and sources of SMS are the operator's.
pub const PROVIDER_CHANNELS: [Channel; 3] = [Channel::Whatsapp, Channel::Facebook, Channel::Telegram];

/// The client's numbers, pages and bots, by channel and address. `None`: of all channels with a provider.
pub async fn list_inboxes(
    ctx: &Context,
    client: ClientId,
    channel: Option<Channel>,
    page: PageRequest,
) -> Result<Page<InboxOverview>> {
    let channels = channel.map_or_else(|| PROVIDER_CHANNELS.to_vec(), |channel| vec![channel]);
    let now = ctx.now();
    let mut db = ctx.db.acquire().await?;
    let starts = CountStarts { tiers: tier::counted_after(now), windows: now - chat::SESSION_WINDOW };
    let (inboxes, total) = overview::page(&mut db, client, &channels, starts, page).await?;
    let shown = |inbox: InboxOverview| InboxOverview { faults: inbox.faults.shown_at(now), ..inbox };
    Ok(Page::of(inboxes.into_iter().map(shown).collect(), total))
}
