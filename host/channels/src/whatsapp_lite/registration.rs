//! Lite devices in the registry of carriers.

use std::sync::Arc;

use super::LiteDevices;
use crate::carrier::Carriers;

impl Carriers {
    /// Sets the source of Lite devices, for the holders of their sessions.
    #[must_use]
    pub fn with_devices(self, devices: Arc<dyn LiteDevices>) -> Self {
        self.with_part(devices)
    }

    pub fn lite_devices(&self) -> Option<&Arc<dyn LiteDevices>> {
        self.part()
    }
}
