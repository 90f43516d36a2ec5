use domain::content::OutboundContent;

use super::media_ids::MediaIds;

#[derive(Debug, Clone, Copy)]
pub struct CloudSend<'a> {
    /// Phone number in digits; has priority if both are given.
    pub phone: Option<&'a str>,
    pub bsuid: Option<&'a str>,
    pub content: &'a OutboundContent,
    pub uploaded: &'a MediaIds,
    /// `wamid` of the quoted message.
    pub quoted: Option<&'a str>,
    /// Returned with every status (`biz_opaque_callback_data`, at most 512 characters): our message id.
    pub opaque: &'a str,
}
