//! A message as the Graph API takes it.

use domain::content::OutboundContent;

use super::media_ids::MediaIds;

/// One message to one recipient.
#[derive(Debug, Clone, Copy)]
pub struct CloudSend<'a> {
    /// Phone number in digits; has priority if both are given.
    pub phone: Option<&'a str>,
    /// Business-scoped user id.
    pub bsuid: Option<&'a str>,
    /// The content.
    pub content: &'a OutboundContent,
    /// Its files that we uploaded.
    pub uploaded: &'a MediaIds,
    /// `wamid` of the quoted message.
    pub quoted: Option<&'a str>,
    /// Returned with every status (`biz_opaque_callback_data`, at most 512 characters): our message id.
    pub opaque: &'a str,
}
