//! An SMS router that works without configuration: rules by destination, product, traffic, words and length choose the
//! bind, the source, priority and validity, append to the text, or refuse the message. Without a configuration every
//! message is sent unchanged.
//!
//! A client activates it with its own configuration. The operator's router is a file `operator-sms-router.wasm` in
//! `plugins.dir` and is called after that of the client.

mod settings;

use patchbay_plugin_sdk::{config, sms_router::*};
use settings::Settings;

struct ByRules;

impl SmsRouter for ByRules {
    fn decide_sms(messages: Vec<Sms>) -> Result<Vec<Decision>, Error> {
        let settings: Settings = config::read()?;
        let decide = |sms: &Sms| {
            let fits = settings.rules.iter().zip(1..).find(|(rule, _)| rule.fits(sms));
            Ok(fits.map_or(Decision::AsIs, |(rule, place)| rule.decision(sms, place)))
        };
        decide_each(messages, decide)
    }
}

patchbay_plugin_sdk::export_sms_router!(ByRules);
patchbay_plugin_sdk::export_config_schema!(include_str!("../config.schema.json"));
