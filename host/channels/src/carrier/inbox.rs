//! The sending inbox with the facts that carriers need.

use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};

use crate::{account::AccountLogin, messenger::MessengerPage, whatsapp_cloud::CloudNumber, whatsapp_lite::LiteSender};

/// An inbox with the credentials for its provider. The loader opens the secrets; `Debug` hides them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarrierInbox {
    /// Its client.
    pub client: ClientId,
    /// Its id, the key of paces and shares.
    pub id: InboxId,
    /// Its kind.
    pub kind: InboxKind,
    /// The sender that recipients see: a number, a page, the source address of an SMS.
    pub address: String,
    /// Messages per second, if this inbox has its own rate.
    pub rate_per_second: Option<u32>,
    /// Credentials for the provider.
    pub credentials: Credentials,
}

/// Credentials of an inbox, by provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// None: the operator's account is used, or the inbox is not set up yet.
    None,
    /// A number on Meta's Cloud API and its token.
    WhatsappCloud(CloudNumber),
    /// A number that is paired like a phone. It has no secrets.
    WhatsappLite(LiteSender),
    /// A Facebook page and its token.
    Messenger(MessengerPage),
    /// An account at a provider and its token.
    Account(AccountLogin),
}
