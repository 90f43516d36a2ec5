//! The parts of a template, and the faults in its definition.

use super::placeholders::Pattern;
use crate::content::MediaKind;

/// Meta's JSON is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A field is absent or of the wrong type.
    #[error("template {id}: `{field}` is missing or has the wrong type; sync the templates again")]
    Field {
        /// Meta's id. Empty if the id itself is missing.
        id: String,
        /// Path in Meta's JSON.
        field: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum TemplateComponent {
    Header(TemplateHeader),
    Body(Pattern),
    Footer(String),
    /// The index of a button is its place here.
    Buttons(Vec<TemplateButton>),
    /// Cards to swipe through.
    Carousel(Vec<TemplateCard>),
    /// A part without parameters, such as a limited-time offer notice.
    Other(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum TemplateHeader {
    /// Text with or without a placeholder.
    Text(Pattern),
    /// An image, a video or a document.
    Media(MediaKind),
    /// A kind that a send request cannot fill, such as `LOCATION`.
    Other(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateButton {
    pub action: ButtonAction,
    pub text: String,
}

/// The effect of a tap on a button.
#[derive(Debug, Clone, PartialEq)]
pub enum ButtonAction {
    /// Sends a payload back.
    QuickReply,
    /// Opens an address. It is dynamic if it has a placeholder.
    Url(Pattern),
    /// Copies a coupon code.
    CopyCode,
    /// Carries a one-time code. It is filled like a URL button.
    OneTimeCode,
    /// Takes no parameter: phone number, flow, catalogue.
    Other(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateCard {
    pub components: Vec<TemplateComponent>,
}
