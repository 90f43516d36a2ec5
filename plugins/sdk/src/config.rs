//! Settings given when the plugin was activated.

use serde::de::DeserializeOwned;

use crate::bindings::chatbot::patchbay::plugin::config;
use crate::chatbot::Error;

/// The configuration as it was given: a JSON text, `{}` when there is none.
pub fn text() -> String {
    config::get()
}

/// The configuration read into a type of the plugin. A configuration that does not fit is an error with code
/// `bad-config` that says where.
pub fn read<T: DeserializeOwned>() -> Result<T, Error> {
    serde_json::from_str(&config::get())
        .map_err(|fault| Error::new("bad-config", format!("the configuration of this plugin does not fit: {fault}")))
}
