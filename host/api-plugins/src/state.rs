//! The state of the plugin endpoints.

use api_core::state::StateWith;
use plugins::UploadPlaces;

/// With the turns of uploads.
pub(crate) type PluginState = StateWith<UploadPlaces>;
