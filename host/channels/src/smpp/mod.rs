//! SMS over SMPP 3.4 (PROVIDERS C): one background task per bind keeps a session with an SMSC, submits parts of messages and
//! hands receipts and messages from subscribers over before it acknowledges them.

mod address;
mod answer;
mod bind;
mod carrier;
mod deliver_sm;
mod deliveries;
mod driver;
mod gateway;
mod joiner;
mod link;
mod message_id;
mod mobile_text;
mod pacing;
mod plain;
mod reassembly;
mod receipt_text;
mod slot;
mod status_name;
mod submit;
mod tls;
mod url;
mod way;
mod window;

use std::time::Duration;

use async_trait::async_trait;

pub use bind::{BindState, BindStatus};
pub use carrier::{NO_ANSWER_FROM_SMSC, REFUSED_BY_SMSC, SmppCarrier, part_count};
/// The header that joins parts: 8-bit reference, number of parts, number of this part from 1.
pub use domain::segments::udh as concat_udh;
pub use gateway::SmppGateway;
pub use message_id::IdForm;
pub use receipt_text::SmsState;
pub use submit::{Coding, SmsPart, SubmitFailure, Submitted};
pub use url::{BindMode, SmppUrl, SmppUrlError};

/// Who gets what the SMSC delivers. A `deliver_sm` is acknowledged only after these return `Ok`; otherwise it is answered
/// with a temporary error and comes again, so implementations must bear repetitions.
#[async_trait]
pub trait SmppEvents: Send + Sync + 'static {
    /// A delivery receipt. It may arrive before `submit` has returned the id that it names.
    async fn receipt(&self, receipt: SmsReceipt) -> Result<(), StoreFailed>;
    /// A message from a subscriber, its parts joined.
    async fn mobile_originated(&self, message: MobileOriginated) -> Result<(), StoreFailed>;
}

/// The event could not be stored now; the SMSC shall deliver it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event could not be stored")]
pub struct StoreFailed;

/// A delivery receipt of one part (PROVIDERS C.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsReceipt {
    /// The bind it came over.
    pub bind: String,
    /// The SMSC's id of the part, in the form that `submit` returned it in.
    pub smsc_id: String,
    /// What it says.
    pub state: SmsState,
    /// An intermediate notification: more will follow.
    pub intermediate: bool,
    /// The network's error code; absent when it is zero.
    pub error: Option<String>,
    /// The text of the receipt, as it came.
    pub raw_text: String,
}

/// A message from a subscriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MobileOriginated {
    /// The bind it came over.
    pub bind: String,
    /// The subscriber, in digits.
    pub from: String,
    /// Our number, without `+`.
    pub to: String,
    /// The text of all parts.
    pub text: String,
    /// How many parts arrived.
    pub parts: u8,
    /// `false` when parts were still missing after the waiting time; the text then has gaps.
    pub complete: bool,
}

/// Times of the protocol. The defaults are for production.
#[derive(Debug, Clone)]
pub struct SmppSettings {
    /// Limit for name, TCP and TLS together (10 s).
    pub connect_timeout: Duration,
    /// Limit for the answer to a request (10 s).
    pub response_timeout: Duration,
    /// Time between two `enquire_link` (30 s).
    pub enquire_link: Duration,
    /// First pause after a lost connection (1 s), doubling.
    pub reconnect_first: Duration,
    /// Longest pause after a lost connection (30 s).
    pub reconnect_longest: Duration,
    /// First pause after a refused bind (1 min), doubling: an SMSC locks accounts that hammer.
    pub refused_first: Duration,
    /// Longest pause after a refused bind (10 min).
    pub refused_longest: Duration,
    /// How long the acknowledgement of a lone part is held back while its siblings are awaited (10 s).
    pub part_hold: Duration,
    /// How long an incomplete message is kept before it is handed over as it is (5 min).
    pub part_expiry: Duration,
}

impl Default for SmppSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(10),
            enquire_link: Duration::from_secs(30),
            reconnect_first: Duration::from_secs(1),
            reconnect_longest: Duration::from_secs(30),
            refused_first: Duration::from_secs(60),
            refused_longest: Duration::from_secs(600),
            part_hold: Duration::from_secs(10),
            part_expiry: Duration::from_secs(300),
        }
    }
}
