//! The configuration. Every part is optional. `config.schema.json` describes it for the host.

use patchbay_plugin_sdk::sms_router::{Change, Decision, Sms};
use serde::Deserialize;

/// The rules for messages.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// The first match decides.
    pub rules: Vec<Rule>,
}

/// The condition and the effect of a rule.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Rule {
    /// Matches messages from subscribers in place of messages to them.
    incoming: bool,
    /// Prefixes of the subscriber's number. If empty, any number.
    prefixes: Vec<String>,
    /// If empty, any product.
    products: Vec<String>,
    /// If empty, any traffic.
    traffic: Vec<String>,
    /// The text must contain one of them. If empty, any text.
    words: Vec<String>,
    /// Matches texts with more segments than this.
    segments_over: Option<u32>,
    bind: Option<String>,
    source: Option<String>,
    priority: Option<u8>,
    validity_seconds: Option<u32>,
    /// Appended to the text.
    append: Option<String>,
    refuse: Option<String>,
}

impl Rule {
    /// Whether the rule matches this message.
    pub fn fits(&self, sms: &Sms) -> bool {
        let subscriber = if sms.is_outgoing() { &sms.destination } else { &sms.source };
        self.incoming != sms.is_outgoing()
            && (self.prefixes.is_empty() || self.prefixes.iter().any(|prefix| subscriber.starts_with(prefix)))
            && (self.products.is_empty() || self.products.contains(&sms.product))
            && (self.traffic.is_empty() || self.traffic.contains(&sms.traffic))
            && (self.words.is_empty() || mentions(&sms.text, &self.words))
            && self.segments_over.is_none_or(|most| sms.segments > most)
    }

    /// The decision about a matching message. `place` is the number of the rule, from 1.
    pub fn decision(&self, sms: &Sms, place: usize) -> Decision {
        if let Some(reason) = &self.refuse {
            return Decision::refuse(reason);
        }
        let change = Change {
            text: self.append.as_ref().map(|more| format!("{}{more}", sms.text)),
            ..match sms.is_outgoing() {
                true => Change {
                    bind: self.bind.clone(),
                    source: self.source.clone(),
                    priority: self.priority,
                    validity_seconds: self.validity_seconds,
                    ..Change::nothing()
                },
                false => Change::nothing(),
            }
        };
        match change == Change::nothing() {
            true => Decision::AsIs,
            false => Decision::Change(change.because(format!("rule {place}"))),
        }
    }
}

fn mentions(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(&word.to_lowercase()))
}
