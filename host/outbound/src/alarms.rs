//! Shows failed messages to operators: metrics by code, and log lines for faults that they can mend (PROVIDERS A.11).

use std::collections::BTreeMap;

use channels::code_meaning::CodeMeaning;
use domain::{channel::Channel, failure_code::OwnCode, ids::InboxId, inbound::ProviderFailure};

/// Gathers failures, so that a thousand failures of one kind make one log line.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    by_kind: BTreeMap<(InboxId, i64), (&'static str, String)>,
}

impl Alarms {
    pub(crate) fn note(&mut self, channel: Channel, inbox: InboxId, failure: &ProviderFailure) {
        let code = label(channel, failure.code);
        metrics::counter!("patchbay_legs_failed_total", "channel" => channel.as_str(), "code" => code).increment(1);
        if let Some(meaning) = CodeMeaning::of(channel, failure.code).filter(|meaning| meaning.alerts) {
            self.by_kind.entry((inbox, failure.code)).or_insert_with(|| (meaning.text, failure.text.clone()));
        }
    }

    /// Logs the gathered faults that only an operator can mend.
    pub(crate) fn raise(self) {
        for ((inbox, code), (meaning, reason)) in self.by_kind {
            tracing::error!(%inbox, code, meaning, reason, "messages fail until the account of this inbox is repaired");
        }
    }
}

/// Returns the code if it is known. Providers may use any other code, and each would become a time series of its own.
pub(crate) fn label(channel: Channel, code: i64) -> String {
    let known = OwnCode::ALL.into_iter().any(|own| own.code() == code) || CodeMeaning::of(channel, code).is_some();
    if known { code.to_string() } else { "other".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_codes_are_distinguished_and_invented_ones_are_not() {
        assert_eq!(label(Channel::Whatsapp, 131_026), "131026");
        assert_eq!(label(Channel::Sms, OwnCode::NoAnswerFromSmsc.code()), OwnCode::NoAnswerFromSmsc.code().to_string());
        assert_eq!(label(Channel::Sms, 131_026), "other");
        assert_eq!(label(Channel::Whatsapp, 987_654), "other");
    }
}
