//! A part of a sent template.

use serde_json::Value;

use crate::media::MediaLibrary;

/// A part of a template with the parameters of a send.
#[derive(Clone, Copy)]
pub(crate) struct TemplatePart<'a> {
    /// `components` of the template, or of one of its cards.
    pub(crate) defined: &'a Value,
    /// `components` of the send, or of one of its cards.
    pub(crate) given: &'a Value,
    /// The template has named placeholders.
    pub(crate) named: bool,
    pub(crate) card: Option<usize>,
    pub(crate) media: &'a MediaLibrary,
}
