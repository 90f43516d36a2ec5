//! WhatsApp Lite: whether a number sends now, and the facts that its carrier needs.

use base::{Context, Result};
use channels::{carrier::Credentials, whatsapp_lite::LiteSender};
use domain::{
    ids::{ClientId, InboxId},
    phone::Msisdn,
};
use storage::{PgConnection, inboxes::lite, tenancy::clients};

use super::sender_state::SenderState;

/// Reads the state of a number.
pub(super) async fn read(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    msisdn: &Msisdn,
) -> Result<SenderState> {
    let session = lite::session(db, client, inbox).await?.unwrap_or_default();
    let throttle = lite::throttle(db, client, inbox).await?.unwrap_or_default();
    let zone = clients::get(db, client).await?.map(|client| client.time_zone).unwrap_or_default();
    let sender = LiteSender::new(msisdn.clone(), session.state.is_up(), throttle, &zone);
    Ok(SenderState {
        waits_until: session.sends_from,
        is_elsewhere: !session.is_reached_from(ctx.node),
        credentials: Some(Credentials::of(sender)),
    })
}
