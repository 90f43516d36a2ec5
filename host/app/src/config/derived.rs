//! Settings whose default depends on other settings.

use std::net::SocketAddr;

use super::{BaseUrl, Config, Switch, value::Value};

/// Meta's Graph API, without version.
pub const META_GRAPH_URL: &str = "https://graph.facebook.com";

impl Config {
    /// `true` when a real provider is configured: a Graph URL, an app secret or an SMS centre.
    pub fn provider_configured(&self) -> bool {
        let meta = |graph_url: &Option<BaseUrl>, secret: &super::Secret| graph_url.is_some() || !secret.is_empty();
        meta(&self.whatsapp_cloud.graph_url, &self.whatsapp_cloud.app_secret)
            || meta(&self.messenger.graph_url, &self.messenger.app_secret)
            || !self.smpp.url.is_empty()
    }

    /// Whether the simulator runs: as set, or while no provider is configured.
    pub fn simulator_on(&self) -> bool {
        match self.simulator.enabled {
            Switch::On => true,
            Switch::Off => false,
            Switch::Auto => !self.provider_configured(),
        }
    }

    /// Base of WhatsApp's Graph API without version. `simulator` is the base URL of the running simulator, if any.
    pub fn whatsapp_graph_url(&self, simulator: Option<&str>) -> String {
        graph_url(self.whatsapp_cloud.graph_url.as_ref(), simulator)
    }

    /// Base of Messenger's Graph API without version. `simulator` is the base URL of the running simulator, if any.
    pub fn messenger_graph_url(&self, simulator: Option<&str>) -> String {
        graph_url(self.messenger.graph_url.as_ref(), simulator)
    }

    /// Base of media and callback URLs: as set, or made from the address that `server.listen` was bound to.
    pub fn public_url(&self, bound: SocketAddr) -> String {
        let scheme = if self.server.tls_cert.is_some() { "https" } else { "http" };
        self.server.public_url.as_ref().map_or_else(|| format!("{scheme}://{bound}"), |url| url.as_str().to_owned())
    }

    /// This configuration with everything filled in that would be decided at start, for `patchbay config`.
    pub fn effective(&self) -> Self {
        let mut effective = self.clone();
        let on = self.simulator_on();
        let simulator = on.then(|| format!("http://{}", self.simulator.listen));
        effective.simulator.enabled = if on { Switch::On } else { Switch::Off };
        effective.whatsapp_cloud.graph_url = BaseUrl::from_text(&self.whatsapp_graph_url(simulator.as_deref()));
        effective.messenger.graph_url = BaseUrl::from_text(&self.messenger_graph_url(simulator.as_deref()));
        effective.server.public_url = BaseUrl::from_text(&self.public_url(self.server.listen));
        effective
    }
}

fn graph_url(configured: Option<&BaseUrl>, simulator: Option<&str>) -> String {
    configured.map(BaseUrl::as_str).or(simulator).unwrap_or(META_GRAPH_URL).to_owned()
}
