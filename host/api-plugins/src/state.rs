use api_core::state::StateWith;
use plugins::UploadPlaces;

pub(crate) type PluginState = StateWith<UploadPlaces>;
