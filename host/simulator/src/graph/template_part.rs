use serde_json::Value;

use crate::media::MediaLibrary;

#[derive(Clone, Copy)]
pub(crate) struct TemplatePart<'a> {
    pub(crate) defined: &'a Value,
    pub(crate) given: &'a Value,
    pub(crate) named: bool,
    pub(crate) card: Option<usize>,
    pub(crate) media: &'a MediaLibrary,
}
