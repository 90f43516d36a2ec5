//! WhatsApp Lite: whether a number sends now, and the facts that its carrier needs.

use base::{Context, Result};
use channels::{carrier::Credentials, whatsapp_lite::LiteSender};
use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use storage::{
    PgConnection,
    inboxes::{Inbox, lite},
    tenancy::clients,
};

/// The sending state of a number. The default is that of all other inboxes.
#[derive(Default)]
pub(super) struct LiteNumberState {
    /// Nothing goes out before this time.
    pub(super) waits_until: Option<DateTime<Utc>>,
    /// True if its device is in another process, which sends.
    pub(super) is_elsewhere: bool,
    pub(super) credentials: Option<Credentials>,
}

pub(super) async fn read(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
) -> Result<LiteNumberState> {
    let Some(number) = inbox.lite() else { return Ok(LiteNumberState::default()) };
    let session = lite::session(db, client, inbox.id).await?.unwrap_or_default();
    let throttle = lite::throttle(db, client, inbox.id).await?.unwrap_or_default();
    let zone = clients::get(db, client).await?.map(|client| client.time_zone).unwrap_or_default();
    let sender = LiteSender::new(number.msisdn.clone(), session.state.is_up(), throttle, &zone);
    Ok(LiteNumberState {
        waits_until: session.sends_from,
        is_elsewhere: !session.is_reached_from(ctx.node),
        credentials: Some(Credentials::of(sender)),
    })
}
