//! The state of the plugin endpoints.

use api_core::state::StateWith;
use plugins::Uploads;

/// With the turns of uploads.
pub(crate) type PluginState = StateWith<Uploads>;
