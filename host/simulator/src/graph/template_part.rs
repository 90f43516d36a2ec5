use serde_json::Value;

use crate::media::MediaLibrary;

#[derive(Clone, Copy)]
pub(crate) struct TemplatePart<'a> {
    /// `components` of the template, or of one of its cards.
    pub(crate) defined: &'a Value,
    /// `components` of the send, or of one of its cards.
    pub(crate) given: &'a Value,
    pub(crate) named: bool,
    pub(crate) card: Option<usize>,
    pub(crate) media: &'a MediaLibrary,
}
