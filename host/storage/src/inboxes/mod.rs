//! Inboxes: what a business is reached at, the directories that find the client of a provider callback, and the template
//! catalogues of WhatsApp business accounts. What every inbox has is in one table, what only a kind has in that kind's.

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

/// The constraint that says a client has an inbox with this address on this channel already.
pub const ADDRESS_UNIQUE: &str = "inbox_address_unique";
/// The constraint that says a phone-number id belongs to a number already, of whatever client.
pub const PHONE_NUMBER_ID_UNIQUE: &str = "phone_number_directory_pk";
/// The constraint that says a page belongs to a client already, whichever.
pub const PAGE_UNIQUE: &str = "page_directory_pk";
/// The constraint that says a client has a default source of SMS already.
pub const ONE_DEFAULT_SMS: &str = "sms_inbox_default_unique";

/// What a business is reached at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbox {
    /// Its id; of a WhatsApp number the `id` of the nested `whatsAppNumber` object.
    pub id: InboxId,
    /// Its address, and what only its kind has.
    pub settings: InboxSettings,
}

/// What only one kind of inbox has, with the address that it is reached at. `Debug` shows the kind only.
#[derive(Clone, PartialEq, Eq)]
pub enum InboxSettings {
    /// A number on Meta's WhatsApp Cloud API.
    WhatsappCloud(WhatsappCloud),
    /// A number that is paired like a phone.
    WhatsappLite(WhatsappLite),
    /// A Facebook page.
    Messenger(Messenger),
    /// A web site with the chat widget.
    Web(Web),
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
    /// Sealed with `Purpose::AccessToken`.
    pub access_token_sealed: Vec<u8>,
    /// Sealed with `Purpose::AppSecret`; `None` = the operator's app secret signs its callbacks.
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
    /// Who runs its device.
    pub hosting: LiteHosting,
    /// What is charged for.
    pub billing: BillingModel,
}

/// A Facebook page.
#[derive(Clone, PartialEq, Eq)]
pub struct Messenger {
    /// Meta's id of the page.
    pub page_id: String,
    /// Sealed with `Purpose::AccessToken`.
    pub access_token_sealed: Vec<u8>,
    /// Sealed with `Purpose::AppSecret`; `None` = the operator's app secret signs its callbacks.
    pub app_secret_sealed: Option<Vec<u8>>,
}

/// A web site with the chat widget.
#[derive(Clone, PartialEq, Eq)]
pub struct Web {
    /// What the pages of the site name it by.
    pub site_key: String,
    /// The name that people read.
    pub name: String,
    /// Origins whose pages may show the widget.
    pub origins: Vec<String>,
}

/// A source address of text messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Sms {
    /// The source; `None` = the operator's default.
    pub source: Option<String>,
    /// Takes the SMS that name no source. Exactly one inbox of every client does.
    pub is_default: bool,
}

impl Inbox {
    /// Its kind.
    pub fn kind(&self) -> InboxKind {
        match self.settings {
            InboxSettings::WhatsappCloud(_) => InboxKind::WhatsappCloud,
            InboxSettings::WhatsappLite(_) => InboxKind::WhatsappLite,
            InboxSettings::Messenger(_) => InboxKind::Messenger,
            InboxSettings::Web(_) => InboxKind::Web,
            InboxSettings::Sms(_) => InboxKind::Sms,
        }
    }

    /// What its messages travel over.
    pub fn channel(&self) -> Channel {
        self.kind().channel()
    }

    /// What it is reached at; `None` for the operator's default source of SMS.
    pub fn address(&self) -> Option<&str> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(cloud.msisdn.as_str()),
            InboxSettings::WhatsappLite(lite) => Some(lite.msisdn.as_str()),
            InboxSettings::Messenger(page) => Some(&page.page_id),
            InboxSettings::Web(site) => Some(&site.site_key),
            InboxSettings::Sms(sms) => sms.source.as_deref(),
        }
    }

    /// The number of a WhatsApp inbox.
    pub fn msisdn(&self) -> Option<&Msisdn> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(&cloud.msisdn),
            InboxSettings::WhatsappLite(lite) => Some(&lite.msisdn),
            InboxSettings::Messenger(_) | InboxSettings::Web(_) | InboxSettings::Sms(_) => None,
        }
    }

    /// Of a WhatsApp inbox: id of the row that links client and number.
    pub fn link_id(&self) -> Option<Uuid> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(cloud.link_id),
            InboxSettings::WhatsappLite(lite) => Some(lite.link_id),
            InboxSettings::Messenger(_) | InboxSettings::Web(_) | InboxSettings::Sms(_) => None,
        }
    }

    /// What only a paired number has.
    pub fn lite(&self) -> Option<&WhatsappLite> {
        match &self.settings {
            InboxSettings::WhatsappLite(lite) => Some(lite),
            _ => None,
        }
    }

    /// Messages per second, where the inbox has a limit of its own.
    pub fn rate_per_second(&self) -> Option<i32> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => cloud.rate_per_second,
            InboxSettings::WhatsappLite(lite) => lite.rate_per_second,
            InboxSettings::Messenger(_) | InboxSettings::Web(_) | InboxSettings::Sms(_) => None,
        }
    }

    /// Meta's side of a page.
    pub fn messenger(&self) -> Option<&Messenger> {
        match &self.settings {
            InboxSettings::Messenger(page) => Some(page),
            _ => None,
        }
    }

    /// Meta's side of a Cloud number.
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
            Self::Web(_) => "Web",
            Self::Sms(_) => "Sms",
        })
    }
}
