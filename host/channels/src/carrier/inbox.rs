use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};

use super::Credentials;

/// An inbox with the credentials for its provider. The loader opens the secrets; `Debug` hides them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarrierInbox {
    pub client: ClientId,
    pub id: InboxId,
    pub kind: InboxKind,
    /// The sender that recipients see: a number, a page, the source address of an SMS.
    pub address: String,
    /// Messages per second, if this inbox has its own rate.
    pub rate_per_second: Option<u32>,
    pub credentials: Credentials,
}
