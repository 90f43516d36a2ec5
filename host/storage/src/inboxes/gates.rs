//! The gates of inboxes: rows that close the outbound lane of an inbox.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};

use super::{faults, lite};
use crate::{PgConnection, Result, work::lane_gate::LaneGate};

/// The gates of all kinds, and that of inboxes whose provider refuses the account.
pub(crate) const SENDING_GATES: &[LaneGate] = &[lite::SENDING_GATE, faults::SENDING_GATE];

/// Locks the gate of an inbox. Returns `false` if its kind has none.
pub async fn lock(db: &mut PgConnection, client: ClientId, inbox: InboxId, kind: InboxKind) -> Result<bool> {
    match kind {
        InboxKind::WhatsappLite => lite::lock(db, client, inbox).await.map(|()| true),
        _ => Ok(false),
    }
}

/// Closes the lane of an inbox until then, if its kind has a gate. No row of a message is read or written.
pub async fn close(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    kind: InboxKind,
    until: DateTime<Utc>,
) -> Result<()> {
    match kind {
        InboxKind::WhatsappLite => lite::close_sending(db, client, inbox, Some(until)).await,
        _ => Ok(()),
    }
}
