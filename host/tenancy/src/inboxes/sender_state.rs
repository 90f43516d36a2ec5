//! Facts about an inbox that change while its messages are sent.

use channels::carrier::Credentials;
use chrono::{DateTime, Utc};

/// Whether an inbox sends now. The default is that of a kind without such rules.
#[derive(Debug, Default)]
pub struct SenderState {
    /// Nothing goes out before this time.
    pub waits_until: Option<DateTime<Utc>>,
    /// True if its device is in another process, which sends.
    pub is_elsewhere: bool,
    /// Credentials of a kind whose inboxes have no account.
    pub credentials: Option<Credentials>,
}
