use super::{
    Settings,
    defaults::graph_url,
    secret::{BaseUrl, Secret},
    section::section,
};

section! {
    /// Facebook Messenger.
    Messenger {
        /// As `whatsapp_cloud.graph_url`.
        graph_url: Option<BaseUrl> = None,
        /// As `whatsapp_cloud.app_secret`.
        app_secret: Secret = Secret::default(),
        /// Token of the callback handshake.
        verify_token: Secret = Secret::default(),
    }
}

impl Messenger {
    pub(super) fn is_configured(&self) -> bool {
        self.graph_url.is_some() || !self.app_secret.is_empty()
    }
}

impl Settings {
    /// Base of Messenger's Graph API without version. `simulator` is the base URL of the running simulator, if any.
    pub fn messenger_graph_url(&self, simulator: Option<&str>) -> String {
        graph_url(self.messenger.graph_url.as_ref(), simulator)
    }
}
