use super::{
    ConfigError, Settings,
    defaults::graph_url,
    secret::{BaseUrl, Secret},
    section::section,
};

section! {
    /// WhatsApp through Meta's Cloud API.
    WhatsappCloud {
        /// Base URL without version. Empty: Meta's Graph API, or the simulator if it is on.
        graph_url: Option<BaseUrl> = None,
        /// Version part of Graph API paths.
        api_version: String = "v25.0".to_owned(),
        /// App secret that signs callbacks. Empty: callbacks are refused, except those of the simulator.
        app_secret: Secret = Secret::default(),
        /// Token of the callback handshake.
        verify_token: Secret = Secret::default(),
    }
}

impl WhatsappCloud {
    pub(super) fn is_configured(&self) -> bool {
        self.graph_url.is_some() || !self.app_secret.is_empty()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if is_graph_version(&self.api_version) {
            return Ok(());
        }
        ConfigError::unusable("whatsapp_cloud.api_version", "write it as Meta does, for example \"v25.0\"")
    }
}

impl Settings {
    /// Base of WhatsApp's Graph API without version. `simulator` is the base URL of the running simulator, if any.
    pub fn whatsapp_graph_url(&self, simulator: Option<&str>) -> String {
        graph_url(self.whatsapp_cloud.graph_url.as_ref(), simulator)
    }
}

/// `v25.0`
fn is_graph_version(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix('v')
        .and_then(|rest| rest.split_once('.'))
        .is_some_and(|(major, minor)| digits(major) && digits(minor))
}
