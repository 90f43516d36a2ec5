//! The inbox that a message leaves from, as far as carriers care.

use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};

use crate::{messenger::MessengerPage, whatsapp_cloud::CloudNumber, whatsapp_lite::LiteSender};

/// An inbox with what its provider asks for. Whoever loads it opens the secrets; `Debug` hides them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarrierInbox {
    /// Whose it is.
    pub client: ClientId,
    /// Its id; paces and shares are kept by it.
    pub id: InboxId,
    /// Its kind.
    pub kind: InboxKind,
    /// What recipients see as the sender: a number, a page, the source address of an SMS.
    pub address: String,
    /// Messages a second, where this inbox has a rate of its own.
    pub rate_per_second: Option<u32>,
    /// What opens the provider's door.
    pub credentials: Credentials,
}

/// Credentials of an inbox, by provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// None: the way out is the operator's own, or the inbox is not set up yet.
    None,
    /// A number on Meta's Cloud API and its token.
    WhatsappCloud(CloudNumber),
    /// A number that is paired like a phone; nothing of it is secret.
    WhatsappLite(LiteSender),
    /// A Facebook page and its token.
    Messenger(MessengerPage),
}
