//! Messages that wait too long for their provider.

use std::time::Duration;

use crate::{channel_table::ExpiryReasons, failure_code::OwnCode, inbound::ProviderFailure};

impl ExpiryReasons {
    /// Returns the failure of a message that waited longer than `may_wait`. `unanswered`: the provider may have it.
    /// `None`: it keeps waiting.
    pub fn failure(&self, unanswered: bool, may_wait: Duration) -> Option<ProviderFailure> {
        let may_wait = in_words(may_wait);
        if !unanswered {
            let text = format!("expired: {} within {may_wait}", self.not_taken);
            return Some(ProviderFailure { code: OwnCode::NotHandedOver.code(), text });
        }
        let (reason, code) = self.no_report?;
        let text = format!("expired: {reason} within {may_wait}; it may have arrived");
        Some(ProviderFailure { code: code.code(), text })
    }
}

/// `48 h`
pub(crate) fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds % 3600 == 0 => format!("{} h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::InboxKind;

    fn failure(kind: InboxKind, unanswered: bool) -> Option<ProviderFailure> {
        kind.facts().expiry?.failure(unanswered, Duration::from_secs(48 * 3600))
    }

    #[test]
    fn a_time_is_shown_in_the_largest_unit_without_a_fraction() {
        let told = [48 * 3600, 90 * 60, 61].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(told, ["48 h", "90 min", "61 s"]);
    }

    #[test]
    fn a_message_that_was_never_accepted_names_the_provider() {
        let sms = failure(InboxKind::Sms, false).unwrap();
        assert_eq!((sms.code, sms.text.as_str()), (900_503, "expired: no SMSC took the SMS within 48 h"));
        let lite = failure(InboxKind::WhatsappLite, false).unwrap();
        let text = "expired: the number was not connected to WhatsApp, or did not send, within 48 h";
        assert_eq!((lite.code, lite.text.as_str()), (900_503, text));
        assert_eq!(failure(InboxKind::WhatsappCloud, false), None);
    }

    #[test]
    fn a_message_in_doubt_fails_over_sms_and_waits_over_lite() {
        let sms = failure(InboxKind::Sms, true).unwrap();
        let text = "expired: no SMSC reported the outcome of the SMS within 48 h; it may have arrived";
        assert_eq!((sms.code, sms.text.as_str()), (900_451, text));
        assert_eq!(failure(InboxKind::WhatsappLite, true), None);
    }
}
