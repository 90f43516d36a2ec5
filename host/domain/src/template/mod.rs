//! The template catalogue as Meta describes it (PROVIDERS F), and how the components of a send request fill a template
//! (SPEC 2.3, PROVIDERS A.3).

mod buttons;
mod graph;
mod parts;
mod placeholders;
mod resolve;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{content::MediaKind, opaque::Opaque};
use graph::ComponentReader;
pub use placeholders::Pattern;
pub use resolve::TokenMaker;

/// A template as stored: Meta's words, nothing interpreted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateRecord {
    /// Meta's id of one (name, language) pair.
    pub id: String,
    /// WhatsApp business account that owns it.
    pub waba_id: String,
    /// Name, unique together with the language.
    pub name: String,
    /// Language code.
    pub language: String,
    /// Approval status, `APPROVED` and others.
    pub status: String,
    /// `MARKETING`, `UTILITY`, `AUTHENTICATION`.
    pub category: String,
    /// `POSITIONAL` or `NAMED`.
    pub parameter_format: String,
    /// Meta's `components` array, as Meta wrote it: [`Template::from_record`] reads it.
    pub components: Opaque,
}

/// A template of the catalogue, ready to be filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// Meta's id of one (name, language) pair.
    pub id: String,
    /// WhatsApp business account that owns it.
    pub waba_id: String,
    /// Name.
    pub name: String,
    /// Language code.
    pub language: String,
    /// Approval status: only an approved template can be sent.
    pub status: TemplateStatus,
    /// Its category.
    pub category: TemplateCategory,
    /// How its placeholders are written.
    pub parameter_format: ParameterFormat,
    /// Its parts in order.
    pub components: Vec<TemplateComponent>,
}

/// Meta's answer is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A field is absent or of the wrong type.
    #[error("template {id}: `{field}` is missing or has the wrong type; sync the templates again")]
    Field {
        /// Meta's id, empty if the id is missing.
        id: String,
        /// Where in Meta's JSON.
        field: String,
    },
}

macro_rules! meta_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
            /// A value that Meta added later.
            Other(String),
        }

        impl $name {
            /// Meta's word for it.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text.to_ascii_uppercase().as_str() {
                    $($text => Self::$variant,)*
                    _ => Self::Other(text.to_owned()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

meta_enum!(
    /// Approval status of a template (PROVIDERS F).
    TemplateStatus {
        /// Can be sent.
        Approved = "APPROVED",
        /// Under review.
        Pending = "PENDING",
        /// Refused by Meta.
        Rejected = "REJECTED",
        /// Stopped for a while because of its quality.
        Paused = "PAUSED",
        /// Stopped for good because of its quality.
        Disabled = "DISABLED",
        /// The refusal is being reviewed.
        InAppeal = "IN_APPEAL",
        /// About to be deleted.
        PendingDeletion = "PENDING_DELETION",
        /// Deleted.
        Deleted = "DELETED",
        /// The account has too many templates.
        LimitExceeded = "LIMIT_EXCEEDED",
        /// Put aside.
        Archived = "ARCHIVED",
    }
);

meta_enum!(
    /// The category of a template.
    TemplateCategory {
        /// Offers and news; the customer can opt out.
        Marketing = "MARKETING",
        /// About something the customer did.
        Utility = "UTILITY",
        /// One-time codes.
        Authentication = "AUTHENTICATION",
    }
);

/// How the placeholders of a template are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterFormat {
    /// `{{1}}`, `{{2}}`.
    Positional,
    /// `{{first_name}}`: each parameter also needs its name at the provider.
    Named,
}

/// One part of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateComponent {
    /// Above the body.
    Header(TemplateHeader),
    /// The message itself.
    Body(Pattern),
    /// Small text below.
    Footer(String),
    /// Buttons in order; a button's index is its place.
    Buttons(Vec<TemplateButton>),
    /// Cards to swipe through.
    Carousel(Vec<TemplateCard>),
    /// A part that takes no parameters, such as a limited-time offer notice.
    Other(String),
}

/// The header of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateHeader {
    /// Text, possibly with a placeholder.
    Text(Pattern),
    /// A file: image, video or document.
    Media(MediaKind),
    /// Something that the send request cannot express, such as `LOCATION`.
    Other(String),
}

/// One button of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateButton {
    /// Its action.
    pub action: ButtonAction,
    /// Its label.
    pub text: String,
}

/// The action of a template's button.
#[derive(Debug, Clone, PartialEq)]
pub enum ButtonAction {
    /// Sends a payload back.
    QuickReply,
    /// Opens an address, dynamic when it has a placeholder.
    Url(Pattern),
    /// Copies a coupon code.
    CopyCode,
    /// Carries a one-time code; filled like a URL button.
    OneTimeCode,
    /// Takes no parameter: phone number, flow, catalogue.
    Other(String),
}

/// One card of a carousel.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateCard {
    /// Its header, body and buttons.
    pub components: Vec<TemplateComponent>,
}

impl TemplateRecord {
    /// From one element of `GET /{waba-id}/message_templates`, or from `GET /{template-id}`. `parameter_format` may be
    /// absent, then it is `POSITIONAL`.
    pub fn from_graph(waba_id: &str, template: &Value) -> Result<Self, TemplateError> {
        let text = |field: &str| template.get(field).and_then(Value::as_str).map(str::to_owned);
        let id = text("id").unwrap_or_default();
        let required = |field: &str| {
            let missing = || TemplateError::Field { id: id.clone(), field: field.to_owned() };
            text(field).filter(|value| !value.is_empty()).ok_or_else(missing)
        };
        Ok(Self {
            id: required("id")?,
            waba_id: waba_id.to_owned(),
            name: required("name")?,
            language: required("language")?,
            status: required("status")?,
            category: text("category").unwrap_or_default(),
            parameter_format: text("parameter_format").unwrap_or_else(|| "POSITIONAL".to_owned()),
            components: Opaque(template.get("components").cloned().unwrap_or(Value::Array(Vec::new()))),
        })
    }
}

impl Template {
    /// Interprets a stored record.
    pub fn from_record(record: TemplateRecord) -> Result<Self, TemplateError> {
        let parameter_format = match record.parameter_format.to_ascii_uppercase().as_str() {
            "NAMED" => ParameterFormat::Named,
            _ => ParameterFormat::Positional,
        };
        let reader = ComponentReader { id: &record.id, format: parameter_format };
        let components = reader.components(&record.components.0, "components")?;
        Ok(Self {
            status: TemplateStatus::from(record.status.as_str()),
            category: TemplateCategory::from(record.category.as_str()),
            parameter_format,
            components,
            id: record.id,
            waba_id: record.waba_id,
            name: record.name,
            language: record.language,
        })
    }

    /// Whether it, or one of its cards, has quick replies.
    pub fn has_quick_replies(&self) -> bool {
        self.buttons().any(|button| button.action == ButtonAction::QuickReply)
    }

    /// True if WhatsApp takes it for phone numbers only and refuses it for user ids: a one-time code whose button
    /// copies it or fills it in (PROVIDERS A.2, 131062).
    pub fn needs_a_number(&self) -> bool {
        let carries_code =
            |button: &TemplateButton| matches!(button.action, ButtonAction::OneTimeCode | ButtonAction::CopyCode);
        self.category == TemplateCategory::Authentication && self.buttons().any(carries_code)
    }

    /// Its buttons, and those of its cards.
    fn buttons(&self) -> impl Iterator<Item = &TemplateButton> {
        let of_cards = self.components.iter().flat_map(|component| match component {
            TemplateComponent::Carousel(cards) => cards.as_slice(),
            _ => &[],
        });
        let all = of_cards.flat_map(|card| &card.components).chain(&self.components);
        all.flat_map(|component| match component {
            TemplateComponent::Buttons(buttons) => buttons.as_slice(),
            _ => &[],
        })
    }

    /// Interprets Meta's JSON directly.
    pub fn from_graph(waba_id: &str, template: &Value) -> Result<Self, TemplateError> {
        Self::from_record(TemplateRecord::from_graph(waba_id, template)?)
    }
}
