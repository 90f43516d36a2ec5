//! The template catalogue in Meta's form (PROVIDERS F), and the filling of a template (SPEC 2.3, PROVIDERS A.3).

mod buttons;
mod graph;
mod model;
mod parameter_format;
mod parts;
mod placeholders;
mod resolve;
#[cfg(test)]
mod tests;
mod token;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::opaque_json::OpaqueJson;
use graph::ComponentReader;
pub use model::{ButtonAction, TemplateButton, TemplateCard, TemplateComponent, TemplateError, TemplateHeader};
pub use parameter_format::ParameterFormat;
pub use placeholders::Pattern;
pub use token::TokenMaker;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateRecord {
    /// Meta's id of one (name, language) pair.
    pub id: String,
    pub waba_id: String,
    /// Unique together with the language.
    pub name: String,
    pub language: String,
    /// `APPROVED` or another approval status.
    pub status: String,
    /// `MARKETING`, `UTILITY`, `AUTHENTICATION`.
    pub category: String,
    /// `POSITIONAL` or `NAMED`.
    pub parameter_format: String,
    /// Meta's `components` array, unchanged. [`Template::from_record`] parses it.
    pub components: OpaqueJson,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub id: String,
    pub waba_id: String,
    pub name: String,
    pub language: String,
    /// Only an approved template can be sent.
    pub status: TemplateStatus,
    pub category: TemplateCategory,
    pub parameter_format: ParameterFormat,
    pub components: Vec<TemplateComponent>,
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
        Approved = "APPROVED",
        Pending = "PENDING",
        Rejected = "REJECTED",
        /// Stopped for some time because of its quality.
        Paused = "PAUSED",
        /// Stopped permanently because of its quality.
        Disabled = "DISABLED",
        /// Meta reviews the refusal.
        InAppeal = "IN_APPEAL",
        PendingDeletion = "PENDING_DELETION",
        Deleted = "DELETED",
        /// The account has too many templates.
        LimitExceeded = "LIMIT_EXCEEDED",
        Archived = "ARCHIVED",
    }
);

meta_enum!(
    TemplateCategory {
        Marketing = "MARKETING",
        Utility = "UTILITY",
        Authentication = "AUTHENTICATION",
    }
);

impl TemplateRecord {
    /// Reads one element of `GET /{waba-id}/message_templates`, or the answer of `GET /{template-id}`. The default of
    /// `parameter_format` is `POSITIONAL`.
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
            components: OpaqueJson(template.get("components").cloned().unwrap_or(Value::Array(Vec::new()))),
        })
    }
}

impl Template {
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

    pub fn has_quick_replies(&self) -> bool {
        self.buttons().any(|button| button.action == ButtonAction::QuickReply)
    }

    /// True if WhatsApp refuses the template for user ids: one-time codes with a button for them (PROVIDERS A.2,
    /// 131062).
    pub fn needs_a_number(&self) -> bool {
        let carries_code =
            |button: &TemplateButton| matches!(button.action, ButtonAction::OneTimeCode | ButtonAction::CopyCode);
        self.category == TemplateCategory::Authentication && self.buttons().any(carries_code)
    }

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

    pub fn from_graph(waba_id: &str, template: &Value) -> Result<Self, TemplateError> {
        Self::from_record(TemplateRecord::from_graph(waba_id, template)?)
    }
}
