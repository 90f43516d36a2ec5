use super::{
    Settings,
    defaults::graph_url,
    secret::{BaseUrl, Secret},
    section::section,
};

section! {
    /// Facebook Messenger.
    Messenger {
        /// Base URL without version. Empty: Meta's Graph API, or the simulator if it is on.
        graph_url: Option<BaseUrl> = None,
        /// App secret that signs callbacks. Empty: callbacks are refused, except those of the simulator.
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
