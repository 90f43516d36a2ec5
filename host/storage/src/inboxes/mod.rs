//! Inboxes, the directories that find the client of a callback, and template catalogues. One table has the common
//! columns, and each kind has a table for its own.

pub mod accounts;
pub mod directories;
pub mod faults;
pub mod gates;
mod insert;
pub mod lite;
pub mod lite_values;
pub mod overview;
pub mod quality;
mod rates;
mod read;
mod release;
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

pub use insert::{insert, insert_in_sandbox};
pub use rates::set_rate;
pub use read::{StoredSender, all_cloud, all_pages, by_addresses, by_id, by_ids, by_waba, default_sms, page, sender};
pub use release::{release, take_back};
pub use tokens::renew_token;

/// Violated if the client already has an inbox with this address on this channel.
pub const ADDRESS_UNIQUE: &str = "inbox_address_unique";
/// Violated if a number of any client already has the phone-number id.
pub const PHONE_NUMBER_ID_UNIQUE: &str = "phone_number_directory_pk";
pub const PAGE_UNIQUE: &str = "page_directory_pk";
pub const ONE_DEFAULT_SMS: &str = "sms_inbox_default_unique";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbox {
    /// Its id; of a WhatsApp number the `id` of the nested `whatsAppNumber` object.
    pub id: InboxId,
    pub settings: InboxSettings,
}

/// The settings of one kind of inbox, with its address. `Debug` shows only the kind.
#[derive(Clone, PartialEq, Eq)]
pub enum InboxSettings {
    WhatsappCloud(WhatsappCloud),
    WhatsappLite(WhatsappLite),
    Messenger(MessengerInbox),
    Account(Account),
    Web(WebInbox),
    Sms(Sms),
}

#[derive(Clone, PartialEq, Eq)]
pub struct WhatsappCloud {
    pub msisdn: Msisdn,
    pub link_id: Uuid,
    pub phone_number_id: String,
    pub waba_id: String,
    pub access_token_sealed: Vec<u8>,
    /// Sealed with `SecretPurpose::AppSecret`; `None`: callbacks are signed with the operator's app secret.
    pub app_secret_sealed: Option<Vec<u8>>,
    /// Messages per second; `None` = the operator's limit.
    pub rate_per_second: Option<i32>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct WhatsappLite {
    pub msisdn: Msisdn,
    pub link_id: Uuid,
    pub rate_per_second: Option<i32>,
    pub hosting: LiteHosting,
    pub billing: BillingModel,
}

#[derive(Clone, PartialEq, Eq)]
pub struct MessengerInbox {
    pub page_id: String,
    pub access_token_sealed: Vec<u8>,
    pub app_secret_sealed: Option<Vec<u8>>,
}

/// An account at a provider, such as a bot.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    pub kind: InboxKind,
    pub account_id: String,
    pub name: String,
    pub access_token_sealed: Vec<u8>,
    /// The secret of its callbacks, sealed with `SecretPurpose::AppSecret`.
    pub app_secret_sealed: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct WebInbox {
    pub site_key: String,
    pub name: String,
    pub origins: Vec<String>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Sms {
    pub source: Option<String>,
    /// True for the source of SMS that name no source. Every client has exactly one.
    pub is_default: bool,
}

impl Inbox {
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

    pub fn msisdn(&self) -> Option<&Msisdn> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(&cloud.msisdn),
            InboxSettings::WhatsappLite(lite) => Some(&lite.msisdn),
            _ => None,
        }
    }

    pub fn link_id(&self) -> Option<Uuid> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some(cloud.link_id),
            InboxSettings::WhatsappLite(lite) => Some(lite.link_id),
            _ => None,
        }
    }

    pub fn lite(&self) -> Option<&WhatsappLite> {
        match &self.settings {
            InboxSettings::WhatsappLite(lite) => Some(lite),
            _ => None,
        }
    }

    /// The provider's id of its account, and the token, sealed with `SecretPurpose::AccessToken`.
    pub fn login(&self) -> Option<(&str, &[u8])> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => Some((&cloud.phone_number_id, &cloud.access_token_sealed)),
            InboxSettings::Messenger(page) => Some((&page.page_id, &page.access_token_sealed)),
            InboxSettings::Account(account) => Some((&account.account_id, &account.access_token_sealed)),
            InboxSettings::WhatsappLite(_) | InboxSettings::Web(_) | InboxSettings::Sms(_) => None,
        }
    }

    pub fn rate_per_second(&self) -> Option<i32> {
        match &self.settings {
            InboxSettings::WhatsappCloud(cloud) => cloud.rate_per_second,
            InboxSettings::WhatsappLite(lite) => lite.rate_per_second,
            _ => None,
        }
    }

    pub fn account(&self) -> Option<&Account> {
        match &self.settings {
            InboxSettings::Account(account) => Some(account),
            _ => None,
        }
    }

    pub fn messenger(&self) -> Option<&MessengerInbox> {
        match &self.settings {
            InboxSettings::Messenger(page) => Some(page),
            _ => None,
        }
    }

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
