use super::placeholders::Pattern;
use crate::content::MediaKind;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
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
    Carousel(Vec<TemplateCard>),
    /// A part without parameters, such as a limited-time offer notice.
    Other(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum TemplateHeader {
    Text(Pattern),
    Media(MediaKind),
    /// A kind that a send request cannot fill, such as `LOCATION`.
    Other(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateButton {
    pub action: ButtonAction,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ButtonAction {
    QuickReply,
    /// Opens an address. It is dynamic if it has a placeholder.
    Url(Pattern),
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
