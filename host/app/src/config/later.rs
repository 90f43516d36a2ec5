//! Settings whose product this version does not have: they are known, so that a configuration for later can be written now,
//! and have no effect.

use super::{Config, join};

/// The keys, each with what is not there yet.
const LATER: [(&str, &str); 3] =
    [("email.listen", "email-to-SMS"), ("email.domain", "email-to-SMS"), ("email.relay", "email-to-SMS")];

/// What this version lacks for a setting to have an effect; `None` for one that has.
pub fn lacking(key: &str) -> Option<&'static str> {
    LATER.iter().find(|(later, _)| *later == key).map(|(_, product)| *product)
}

impl Config {
    /// Settings that were set and have no effect, each with the product that this version lacks.
    pub fn without_effect(&self) -> Vec<(String, &'static str)> {
        let defaults = Self::default();
        let untouched = defaults.sections();
        let mut found = Vec::new();
        for ((section, settings), (_, defaults)) in self.sections().into_iter().zip(untouched) {
            for (setting, default) in settings.settings().into_iter().zip(defaults.settings()) {
                let key = join(section, setting.name);
                match lacking(&key) {
                    Some(product) if setting.value != default.value => found.push((key, product)),
                    _ => {}
                }
            }
        }
        found
    }
}
