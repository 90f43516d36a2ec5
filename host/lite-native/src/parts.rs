//! Settings of native devices, and the parts that they share.

use std::sync::Arc;

use channels::{http::GuardedClient, whatsapp_lite::values::DeviceValues};

use super::web::WhatsappWeb;

pub struct NativeSettings {
    pub values: Arc<dyn DeviceValues>,
    /// Downloads files that clients send, from addresses that they chose.
    pub http: GuardedClient,
    /// True if those may be on private networks.
    pub allow_private: bool,
    pub most_bytes: usize,
}

pub(super) struct DeviceParts {
    pub(super) settings: NativeSettings,
    pub(super) web: WhatsappWeb,
}
