//! Inboxes (the addresses of a business), the directories that find the client of a provider callback, and the template
//! catalogues of WhatsApp business accounts. One table has the common columns of inboxes, and each kind has a table for
//! its own.

pub mod accounts;
pub mod directories;
mod insert;
pub mod lite;
pub mod lite_values;
pub mod quality;
mod rates;
mod read;
pub mod sms_sources;
pub mod templates;
mod tokens;

use std::fmt;

use domain::{
    channel::Channel,
    ids::InboxId,
    inbox::{BillingModel, InboxKind, LiteHosting},
    phone::Msisdn,
};
use uuid::Uuid;

pub use insert::insert;
pub use rates::set_rate;
pub use read::{all_cloud, all_pages, by_addresses, by_id, by_ids, by_waba, default_sms, page};
pub use tokens::renew_token;

/// Violated if the client already has an inbox with this address on this channel.
pub const ADDRESS_UNIQUE: &str = "inbox_address_unique";
/// Violated if a number of any client already has the phone-number id.
pub const PHONE_NUMBER_ID_UNIQUE: &str = "phone_number_directory_pk";
/// Violated if a client already has the page.
pub const PAGE_UNIQUE: &str = "page_directory_pk";
/// Violated if a client already has a default source of SMS.
pub const ONE_DEFAULT_SMS: &str = "sms_inbox_default_unique";

/// An address of a business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbox {
    /// Its id; of a WhatsApp number the `id` of the nested `whatsAppNumber` object.
    pub id: InboxId,
    /// Its address, and the settings of its kind.
    pub settings: InboxSettings,
}

/// The settings of one kind of inbox, with its address. `Debug` shows only the kind.
#[derive(Clone, PartialEq, Eq)]
pub enum InboxSettings {
    /// A number on Meta's WhatsApp Cloud API.
    WhatsappCloud(WhatsappCloud),
    /// A number that is paired like a phone.
    WhatsappLite(WhatsappLite),
    /// A Facebook page.
    Messenger(MessengerInbox),
    /// An account at a provider, such as a bot.
    Account(Account),
    /// A web site with the chat widget.
    Web(WebInbox),
    /// A source address of text messages.
    Sms(Sms),
}

/// A number on Meta's WhatsApp Cloud API.
#[derive(Clone, PartialEq, Eq)]
pub struct WhatsappCloud {
    /// The number.
    pub msisdn: Msisdn,
    /// Id of the row that links client and number.
    pub link_id: Uuid,
    /// Meta's id of the number.
    pub phone_number_id: String,
    /// Meta's id of the WhatsApp business account.
    pub waba_id: String,
    /// Sealed with `SecretPurpose::AccessToken`.
    pub access_token_sealed: Vec<u8>,
    /// Sealed with `SecretPurpose::AppSecret`; `None`: callbacks are signed with the operator's app secret.
    pub app_secret_sealed: Option<Vec<u8>>,
    /// Messages per second; `None` = the operator's limit.
    pub rate_per_second: Option<i32>,
}

/// A number that is paired like a phone.
#[derive(Clone, PartialEq, Eq)]
pub struct WhatsappLite {
    /// The number.
    pub msisdn: Msisdn,
    /// Id of the row that links client and number.
    pub link_id: Uuid,
    /// Messages per second; `None` = the operator's limit.
    pub rate_per_second: Option<i32>,
    /// Where its device runs.
    pub hosting: LiteHosting,
    /// The billed unit.
    pub billing: BillingModel,
}

/// A Facebook page.
#[derive(Clone, PartialEq, Eq)]
pub struct MessengerInbox {
    /// Meta's id of the page.
    pub page_id: String,
    /// Sealed with `SecretPurpose::AccessToken`.
    pub access_token_sealed: Vec<u8>,
    /// Sealed with `SecretPurpose::AppSecret`; `None`: callbacks are signed with the operator's app secret.
    pub app_secret_sealed: Option<Vec<u8>>,
}

/// An account at a provider, such as a bot.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// Its provider.
    pub kind: InboxKind,
    /// The provider's id of the account.
    pub account_id: String,
    /// The public name of the account.
    pub name: String,
    /// Sealed with `SecretPurpose::AccessToken`.
    pub access_token_sealed: Vec<u8>,
    /// The secret of its callbacks, sealed with `SecretPurpose::AppSecret`.
    pub app_secret_sealed: Vec<u8>,
}

/// A web site with the chat widget.
#[derive(Clone, PartialEq, Eq)]
pub struct WebInbox {
    /// The key that pages of the site use.
    pub site_key: String,
    /// Display name.
    pub name: String,
    /// Origins whose pages may show the widget.
    pub origins: Vec<String>,
}

/// A source address of text messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Sms {
    /// The source; `None` = the operator's default.
    pub source: Option<String>,
    /// True for the source of SMS that name no source. Every client has exactly one.
    pub is_default: bool,
}

impl Inbox {
    /// Its kind.
    pub fn kind(&self) -> InboxKind {
        match &self.settings {
            InboxSettings::Account(account) => account.kind,
            InboxSettings::WhatsappCloud(_) => InboxKind::WhatsappCloud,
            InboxSettings::WhatsappLite(_) => InboxKind::WhatsappLite,
            InboxSettings::Messenger(_) => InboxKind::Messenger,
            InboxSettings::Web(_) => InboxKind::Web,
            InboxSettings::Sms(_) => InboxKind::Sms,
        }
    }

    /// Channel of its messages.
    pub fn channel(&self) -> Channel {
        self.kind().channel()
    }

    /// Its address; `None` for the operator's default source of SMS.
    pub fn address(&self) -> Option<&str> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(cloud.msisdn.as_str()),
            InboxSettings::WhatsappLite(lite) => Some(lite.msisdn.as_str()),
            InboxSettings::Messenger(page) => Some(&page.page_id),
            InboxSettings::Account(account) => Some(&account.account_id),
            InboxSettings::Web(site) => Some(&site.site_key),
            InboxSettings::Sms(sms) => sms.source.as_deref(),
        }
    }

    /// The number of a WhatsApp inbox.
    pub fn msisdn(&self) -> Option<&Msisdn> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(&cloud.msisdn),
            InboxSettings::WhatsappLite(lite) => Some(&lite.msisdn),
            _ => None,
        }
    }

    /// Of a WhatsApp inbox: id of the row that links client and number.
    pub fn link_id(&self) -> Option<Uuid> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(cloud.link_id),
            InboxSettings::WhatsappLite(lite) => Some(lite.link_id),
            _ => None,
        }
    }

    /// The settings of a Lite number.
    pub fn lite(&self) -> Option<&WhatsappLite> {
        match &self.settings {
            InboxSettings::WhatsappLite(lite) => Some(lite),
            _ => None,
        }
    }

    /// Messages per second, if the inbox has its own limit.
    pub fn rate_per_second(&self) -> Option<i32> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => cloud.rate_per_second,
            InboxSettings::WhatsappLite(lite) => lite.rate_per_second,
            _ => None,
        }
    }

    /// The settings of an account.
    pub fn account(&self) -> Option<&Account> {
        match &self.settings {
            InboxSettings::Account(account) => Some(account),
            _ => None,
        }
    }

    /// The settings of a page.
    pub fn messenger(&self) -> Option<&MessengerInbox> {
        match &self.settings {
            InboxSettings::Messenger(page) => Some(page),
            _ => None,
        }
    }

    /// The settings of a Cloud number.
    pub fn cloud(&self) -> Option<&WhatsappCloud> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(cloud),
            _ => None,
        }
    }
}

impl fmt::Debug for InboxSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhatsappCloud(_) => "WhatsappCloud",
            Self::WhatsappLite(_) => "WhatsappLite",
            Self::Messenger(_) => "Messenger",
            Self::Account(_) => "Account",
            Self::Web(_) => "Web",
            Self::Sms(_) => "Sms",
        })
    }
}
