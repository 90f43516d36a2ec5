//! When an SMS takes over for a WhatsApp message that could not be delivered (SPEC 2.4, PROVIDERS A.12).

use chrono::TimeDelta;

use crate::{content::OutboundContent, lite::NOT_REGISTERED};

/// Meta's code for "undeliverable, including not on WhatsApp".
pub const NOT_ON_WHATSAPP: i64 = 131_026;

/// How far Meta's ambiguous code is trusted; set per account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FallbackMode {
    #[default]
    Strict,
    Any131026,
}

impl FallbackMode {
    pub const ALL: [Self; 2] = [Self::Strict, Self::Any131026];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "STRICT",
            Self::Any131026 => "ANY_131026",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown fallback mode `{0}`")]
pub struct UnknownFallbackMode(String);

impl std::str::FromStr for FallbackMode {
    type Err = UnknownFallbackMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|mode| mode.as_str() == text);
        known.ok_or_else(|| UnknownFallbackMode(text.to_owned()))
    }
}

#[derive(Debug, Clone, Copy)]
pub struct FallbackFacts {
    pub code: i64,
    pub mode: FallbackMode,
    /// The sending number has had a `sent`, `delivered` or `read` for this customer, or a message from it.
    pub seen_on_whatsapp: bool,
    pub has_phone: bool,
    /// From the moment a provider first took the message to the report of this failure; zero where none did.
    pub age: TimeDelta,
    /// Later failures bring no SMS (default one hour): callbacks are repeated for up to seven days.
    pub max_age: TimeDelta,
    pub requested: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FallbackRefused {
    #[error("no SMS fallback was requested")]
    NotRequested,
    /// The failure says nothing about being on WhatsApp.
    #[error("code {code} does not mean that the recipient is not on WhatsApp")]
    OtherFailure { code: i64 },
    #[error("the recipient has been seen on WhatsApp")]
    SeenOnWhatsapp,
    /// Only a BSUID is known.
    #[error("no phone number is known of the recipient")]
    NoPhone,
    #[error("the failure arrived too late")]
    TooLate,
}

impl FallbackRefused {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotRequested => "NOT_REQUESTED",
            Self::OtherFailure { .. } => "OTHER_FAILURE",
            Self::SeenOnWhatsapp => "SEEN_ON_WHATSAPP",
            Self::NoPhone => "NO_PHONE",
            Self::TooLate => "TOO_LATE",
        }
    }
}

/// Whether the `sms-fallback` plugin is asked. At most once per message is the database's business.
pub fn fallback_due(facts: &FallbackFacts) -> Result<(), FallbackRefused> {
    if !facts.requested {
        return Err(FallbackRefused::NotRequested);
    }
    // Lite numbers look recipients up before they send, so there the code leaves no doubt (PROVIDERS A.12, 7).
    let looked_up = facts.code == NOT_REGISTERED;
    if facts.code != NOT_ON_WHATSAPP && !looked_up {
        return Err(FallbackRefused::OtherFailure { code: facts.code });
    }
    if facts.mode == FallbackMode::Strict && facts.seen_on_whatsapp && !looked_up {
        return Err(FallbackRefused::SeenOnWhatsapp);
    }
    if !facts.has_phone {
        return Err(FallbackRefused::NoPhone);
    }
    if facts.age > facts.max_age {
        return Err(FallbackRefused::TooLate);
    }
    Ok(())
}

/// The SMS text of auto mode (SPEC 2.4): the text of a template, or the readable parts, files as addresses.
pub fn automatic_text(content: &OutboundContent) -> String {
    let lines: Vec<&str> = match content {
        OutboundContent::Text { body } => vec![body],
        OutboundContent::Sms(sms) => vec![&sms.text],
        OutboundContent::Media(media) => media.caption.iter().chain([&media.url]).map(String::as_str).collect(),
        OutboundContent::Template(template) => vec![&template.rendered_text],
        OutboundContent::Buttons(message) => frame(&message.header, &message.body, &message.footer),
        OutboundContent::List(message) => frame(&message.header, &message.body, &message.footer),
        OutboundContent::Reaction(reaction) => reaction.emoji.iter().map(String::as_str).collect(),
        OutboundContent::Location(place) => {
            let named = [&place.name, &place.address].into_iter().flatten().map(String::as_str);
            return named
                .chain([format!("{},{}", place.latitude, place.longitude).as_str()])
                .collect::<Vec<_>>()
                .join("\n");
        }
    };
    lines.join("\n")
}

fn frame<'t>(header: &'t Option<String>, body: &'t str, footer: &'t Option<String>) -> Vec<&'t str> {
    header.iter().map(String::as_str).chain([body]).chain(footer.iter().map(String::as_str)).collect()
}
