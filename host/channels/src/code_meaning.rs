//! The meaning of a failure code, asked of its channel. Generic code needs no table of a provider.

use domain::channel::Channel;

use crate::whatsapp_cloud::error_codes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeMeaning {
    pub text: &'static str,
    pub alerts: bool,
    /// True if a failed status with this code may mean that the recipient is not on the channel.
    pub is_absent_recipient: bool,
    /// True if a refused send to a user id may be sent to the phone number.
    pub needs_a_number: bool,
    /// True if our catalogue of templates is older than the provider's.
    pub outdates_templates: bool,
}

impl CodeMeaning {
    /// The meaning of `code` on a channel; `None` if the channel does not know the code.
    pub fn of(channel: Channel, code: i64) -> Option<Self> {
        // Messenger and WhatsApp share the codes of the Graph API.
        let entry = channel.facts().is_of_meta.then(|| error_codes::entry(code))??;
        Some(Self {
            text: entry.meaning,
            alerts: error_codes::alerts(code),
            is_absent_recipient: error_codes::means_not_on_whatsapp(code),
            needs_a_number: error_codes::needs_a_number(code),
            outdates_templates: error_codes::refreshes_templates(code),
        })
    }
}
