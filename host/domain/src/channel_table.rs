//! One row for each channel, kind of inbox and kind of address. Generic code reads these rows.

use crate::{
    address_kind::AddressKind,
    channel::Channel,
    failure_code::OwnCode,
    inbox::InboxKind,
    messenger::{FILE_MAX, Splitting, TEXT_MAX},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelFacts {
    pub name: &'static str,
    /// True if recipients are stored as customers. The recipient of an SMS is only a number until an answer comes.
    pub remembers_recipients: bool,
    /// True if Meta carries it, so that Meta's error codes apply.
    pub is_of_meta: bool,
    /// Its name for people.
    pub title: &'static str,
    /// Largest file of ours that an agent may send, in bytes, if it is smaller than that of WhatsApp.
    pub file_max: Option<u64>,
    /// The owner that a chat shows for messages that the business sent with another app.
    pub elsewhere: &'static str,
}

/// The rule of the time in which free-form messages are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowRule {
    /// At any time.
    None,
    /// WhatsApp Cloud: 24 hours after the customer wrote.
    Day,
    /// Messenger: 24 hours for programs, seven days for people.
    DayAndWeek,
}

/// Reasons of the failure of a message that waited too long for its provider (`expiry`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpiryReasons {
    /// Of a message that the provider does not have.
    pub not_taken: &'static str,
    /// Of a message that the provider may have, with its code. `None`: it waits for its report.
    pub no_report: Option<(&'static str, OwnCode)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxFacts {
    /// The stored name. For the two WhatsApp kinds it is also the `whatsAppProvider` of SPEC 4.7.
    pub name: &'static str,
    pub channel: Channel,
    /// The kinds of address that it can write to, the preferred one first (SPEC 1, 2.2: the phone number).
    pub writes_to: &'static [AddressKind],
    /// Its provider in metrics.
    pub provider: &'static str,
    pub window: WindowRule,
    /// `None`: a message of a chat is one message of the provider.
    pub splitting: Option<Splitting>,
    /// True if answers may name a choice by number or label, or if a tap may come before the answer to its message.
    pub keeps_choices: bool,
    /// True if an advertisement or link may be reported before the message that it led to.
    pub referrals_wait: bool,
    /// The reason why it has no reactions; `None` if it has.
    pub no_reactions: Option<&'static str>,
    /// `None`: a message waits for its provider without a limit.
    pub expiry: Option<&'static ExpiryReasons>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressForm {
    Phone,
    Bsuid,
    Digits,
    /// Visible ASCII characters.
    Word,
    Email,
    /// Digits and the server of hidden ids.
    Lid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressFacts {
    pub name: &'static str,
    pub is_for_life: bool,
    pub form: AddressForm,
}

impl Channel {
    pub const fn facts(self) -> &'static ChannelFacts {
        match self {
            Self::Whatsapp => &ChannelFacts {
                name: "WHATSAPP",
                title: "WhatsApp",
                file_max: None,
                remembers_recipients: true,
                is_of_meta: true,
                elsewhere: "APP",
            },
            Self::Facebook => &ChannelFacts {
                name: "FACEBOOK",
                title: "Messenger",
                file_max: Some(FILE_MAX),
                remembers_recipients: true,
                is_of_meta: true,
                elsewhere: "PAGE",
            },
            Self::Telegram => &ChannelFacts {
                name: "TELEGRAM",
                title: "Telegram",
                file_max: Some(50 << 20),
                remembers_recipients: true,
                is_of_meta: false,
                elsewhere: "APP",
            },
            Self::Web => &ChannelFacts {
                name: "WEB",
                title: "Web chat",
                file_max: None,
                remembers_recipients: true,
                is_of_meta: false,
                elsewhere: "APP",
            },
            Self::Sms => &ChannelFacts {
                name: "SMS",
                title: "SMS",
                file_max: None,
                remembers_recipients: false,
                is_of_meta: false,
                elsewhere: "APP",
            },
        }
    }
}

impl InboxKind {
    pub const fn facts(self) -> &'static InboxFacts {
        match self {
            Self::WhatsappCloud => &InboxFacts {
                name: "WHATSAPP_CLOUD",
                channel: Channel::Whatsapp,
                writes_to: &[AddressKind::Phone, AddressKind::Bsuid],
                provider: "whatsapp_cloud",
                window: WindowRule::Day,
                splitting: None,
                keeps_choices: false,
                referrals_wait: false,
                no_reactions: None,
                expiry: None,
            },
            Self::WhatsappLite => &InboxFacts {
                name: "WHATSAPP_LITE",
                channel: Channel::Whatsapp,
                writes_to: &[AddressKind::Phone, AddressKind::Lid, AddressKind::Bsuid],
                provider: "whatsapp_lite",
                window: WindowRule::None,
                splitting: None,
                keeps_choices: true,
                referrals_wait: false,
                no_reactions: None,
                expiry: Some(&ExpiryReasons {
                    not_taken: "the number was not connected to WhatsApp, or did not send,",
                    no_report: None,
                }),
            },
            Self::Messenger => &InboxFacts {
                name: "MESSENGER",
                channel: Channel::Facebook,
                writes_to: &[AddressKind::Psid],
                provider: "messenger",
                window: WindowRule::DayAndWeek,
                splitting: Some(Splitting { text_max: TEXT_MAX, caption_max: 0 }),
                keeps_choices: true,
                referrals_wait: true,
                no_reactions: None,
                expiry: None,
            },
            Self::Telegram => &InboxFacts {
                name: "TELEGRAM",
                channel: Channel::Telegram,
                writes_to: &[AddressKind::Telegram],
                provider: "telegram",
                window: WindowRule::None,
                splitting: Some(Splitting { text_max: 4096, caption_max: 1024 }),
                keeps_choices: true,
                referrals_wait: false,
                no_reactions: None,
                expiry: None,
            },
            Self::Web => &InboxFacts {
                name: "WEB",
                channel: Channel::Web,
                writes_to: &[AddressKind::Visitor],
                provider: "web",
                window: WindowRule::None,
                splitting: None,
                keeps_choices: false,
                referrals_wait: false,
                no_reactions: Some("cannot be sent to a web site, whose widget shows none"),
                expiry: None,
            },
            Self::Sms => &InboxFacts {
                name: "SMS",
                channel: Channel::Sms,
                writes_to: &[AddressKind::Phone],
                provider: "smpp",
                window: WindowRule::None,
                splitting: None,
                keeps_choices: false,
                referrals_wait: false,
                no_reactions: Some("cannot be sent as an SMS"),
                expiry: Some(&ExpiryReasons {
                    not_taken: "no SMSC took the SMS",
                    no_report: Some(("no SMSC reported the outcome of the SMS", OwnCode::NoAnswerFromSmsc)),
                }),
            },
        }
    }
}

impl AddressKind {
    pub const fn facts(self) -> &'static AddressFacts {
        match self {
            Self::Phone => &AddressFacts { name: "PHONE", is_for_life: false, form: AddressForm::Phone },
            Self::Bsuid => &AddressFacts { name: "BSUID", is_for_life: true, form: AddressForm::Bsuid },
            Self::Psid => &AddressFacts { name: "PSID", is_for_life: false, form: AddressForm::Digits },
            Self::Telegram => &AddressFacts { name: "TELEGRAM", is_for_life: false, form: AddressForm::Digits },
            Self::Visitor => &AddressFacts { name: "VISITOR", is_for_life: false, form: AddressForm::Word },
            Self::Email => &AddressFacts { name: "EMAIL", is_for_life: false, form: AddressForm::Email },
            Self::Lid => &AddressFacts { name: "LID", is_for_life: true, form: AddressForm::Lid },
        }
    }
}

/// The names of all channels for people: `A, B or C`.
pub fn channel_names() -> String {
    let names: Vec<&str> = Channel::ALL.iter().map(|channel| channel.as_str()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
