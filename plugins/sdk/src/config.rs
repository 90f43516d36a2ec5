//! The configuration of the activation.

use serde::de::DeserializeOwned;

use crate::bindings::chatbot::patchbay::plugin::config;
use crate::chatbot::Error;

/// The configuration as JSON text. If there is none, `{}`.
pub fn text() -> String {
    config::get()
}

/// Parses the configuration into a type of the plugin. If it does not fit, the error has the code `bad-config` and
/// names the place.
pub fn read<T: DeserializeOwned>() -> Result<T, Error> {
    parse(&config::get())
}

/// Parses the text of a configuration as [`read`] does, such as the one that `export_config_check!` judges.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text)
        .map_err(|fault| Error::new("bad-config", format!("the configuration of this plugin does not fit: {fault}")))
}
