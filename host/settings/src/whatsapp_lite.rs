use super::{
    secret::{BaseUrl, Secret},
    section::section,
};

section! {
    /// WhatsApp Lite: numbers that are paired like a phone.
    WhatsappLite {
        /// Base URL of simulated devices. Empty: the simulator if it is on.
        simulator_url: Option<BaseUrl> = None,
        /// Base URL of a bridge to real devices with the API of WAHA.
        bridge_url: Option<BaseUrl> = None,
        /// `X-Api-Key` of the bridge.
        bridge_api_key: Secret = Secret::default(),
        /// Signs the bridge's webhooks. Required with `whatsapp_lite.bridge_url`.
        webhook_secret: Secret = Secret::default(),
        /// Run the linked devices of Lite numbers in Patchbay itself. Needs a build with the feature `lite-native`.
        native: bool = false,
    }
}

impl WhatsappLite {
    pub(super) fn is_configured(&self) -> bool {
        self.bridge_url.is_some() || self.native
    }
}
