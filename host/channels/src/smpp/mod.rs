//! SMS over SMPP 3.4 (PROVIDERS C): one task per bind. Receipts and messages are stored before they are acknowledged.

mod address;
mod answer;
mod bind;
mod bind_choice;
mod carrier;
mod deliver_sm;
mod deliveries;
mod gateway;
mod joiner;
mod link;
mod message_id;
mod pacing;
mod part_references;
mod pause;
mod pdu;
mod plain_text;
mod reassembly;
mod receipt_text;
mod repetitions;
mod session;
mod settings;
mod slot;
mod status_name;
mod submit;
mod text;
mod tls;
mod url;
mod window;

use async_trait::async_trait;

pub use bind::{BindState, BindStatus};
pub use carrier::{NO_ANSWER_FROM_SMSC, REFUSED_BY_SMSC, SmppCarrier, part_count};
/// The header that joins parts: 8-bit reference, number of parts, number of this part from 1.
pub use domain::segments::udh as concat_udh;
pub use gateway::SmppGateway;
pub use message_id::IdForm;
pub use receipt_text::SmsState;
pub use settings::SmppSettings;
pub use submit::{PartAlphabet, SubmitFailure, SubmittedPart, SubmittedSms};
pub use text::DefaultAlphabet;
pub use url::{BindMode, SmppUrl, SmppUrlError, URL_OPTIONS};

/// A `deliver_sm` is acknowledged only after these return `Ok`. Otherwise it comes again. Receipts may also come again after
/// that; SMS of subscribers only if the process ended before its answer.
#[async_trait]
pub trait SmppEvents: Send + Sync + 'static {
    async fn receipt(&self, receipt: SmscReceipt) -> Result<(), StoreFailed>;
    async fn mobile_originated(&self, message: MobileOriginated) -> Result<(), StoreFailed>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event could not be stored")]
pub struct StoreFailed;

/// A delivery receipt of one part (PROVIDERS C.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmscReceipt {
    pub bind: String,
    pub smsc_id: String,
    /// Other binds and ids that the message may be known by, the likeliest first.
    pub others: Vec<(String, String)>,
    pub state: SmsState,
    pub intermediate: bool,
    pub error: Option<String>,
    pub raw_text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MobileOriginated {
    pub bind: String,
    pub from: String,
    pub to: String,
    pub text: String,
    pub parts: u8,
    /// False if parts were missing after the waiting time. The text then has gaps.
    pub complete: bool,
}
