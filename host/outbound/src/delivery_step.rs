use chrono::{DateTime, Utc};
use domain::{address::Address, delivery::DeliveryState, ids::MessageId, inbound::ProviderFailure};

/// The first leg of a message, on any channel.
pub(crate) const FIRST_LEG: i16 = 0;

#[derive(Debug, Clone)]
pub struct DeliveryStep {
    pub message: MessageId,
    /// Position of the leg in its message, from 0.
    pub ordinal: i16,
    pub reached: DeliveryState,
    pub at: DateTime<Utc>,
    pub provider_id: Option<String>,
    pub failure: Option<ProviderFailure>,
    /// The addresses by which the provider names the recipient.
    pub named: Vec<Address>,
}
