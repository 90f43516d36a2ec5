//! Settings whose default depends on other settings.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use domain::{inbox::InboxKind, session::SessionTimes};

use super::{BaseUrl, Limits, MediaPlace, Server, Settings, Switch, value::SettingValue};

pub const META_GRAPH_URL: &str = "https://graph.facebook.com";

impl Settings {
    /// `true` if a real provider is configured, for any channel.
    pub fn provider_configured(&self) -> bool {
        self.whatsapp_cloud.is_configured()
            || self.whatsapp_lite.is_configured()
            || self.messenger.is_configured()
            || self.telegram.is_configured()
            || self.smpp.is_configured()
    }

    pub fn simulator_on(&self) -> bool {
        match self.simulator.enabled {
            Switch::On => true,
            Switch::Off => false,
            Switch::Auto => !self.provider_configured(),
        }
    }

    pub fn media_folder(&self) -> PathBuf {
        self.data_dir().join("media")
    }

    /// The place of customers' files: as set, or by default one that all processes on this database can reach.
    pub fn media_place(&self) -> MediaPlace {
        match &self.media.store {
            MediaPlace::Auto if self.database.url.is_some() => MediaPlace::Database,
            MediaPlace::Auto => MediaPlace::Folder(self.media_folder()),
            chosen => chosen.clone(),
        }
    }

    /// Base of media and callback URLs: as set, or made from the bound address of `server.listen`.
    pub fn public_url(&self, bound: SocketAddr) -> String {
        let scheme = if self.server.tls_cert.is_some() { "https" } else { "http" };
        self.server.public_url.as_ref().map_or_else(|| format!("{scheme}://{bound}"), |url| url.as_str().to_owned())
    }

    /// This configuration with the defaults that are decided at the start, for `patchbay config`.
    pub fn effective(&self) -> Self {
        let mut effective = self.clone();
        let on = self.simulator_on();
        let simulator = on.then(|| format!("http://{}", self.simulator.listen));
        effective.simulator.enabled = if on { Switch::On } else { Switch::Off };
        effective.whatsapp_cloud.graph_url = BaseUrl::from_text(&self.whatsapp_graph_url(simulator.as_deref()));
        effective.messenger.graph_url = BaseUrl::from_text(&self.messenger_graph_url(simulator.as_deref()));
        effective.telegram.api_url = BaseUrl::from_text(&self.telegram_api_url(simulator.as_deref()));
        effective.media.store = self.media_place();
        effective.server.public_url = BaseUrl::from_text(&self.public_url(self.server.listen));
        effective
    }
}

/// The base of Meta's Graph API without version.
pub(super) fn graph_url(configured: Option<&BaseUrl>, simulator: Option<&str>) -> String {
    configured.map(BaseUrl::as_str).or(simulator).unwrap_or(META_GRAPH_URL).to_owned()
}

/// The minimum of plugin versions to keep.
const FEWEST_VERSIONS: u32 = 100;

impl Server {
    /// Base of media and callback URLs, without a slash at the end. It is decided at the start; before, it may be empty.
    pub fn public_base(&self) -> &str {
        self.public_url.as_ref().map_or("", BaseUrl::as_str)
    }
}

impl Limits {
    pub fn plugin_bytes(&self) -> usize {
        usize::try_from(self.plugin_bytes).unwrap_or(usize::MAX)
    }

    /// The longest wait of a message for its provider; `None`: without a limit.
    pub fn expires_after(&self, kind: InboxKind) -> Option<Duration> {
        match kind {
            InboxKind::Sms => Some(self.sms_expires_after),
            InboxKind::WhatsappLite => Some(self.lite_expires_after),
            InboxKind::WhatsappCloud | InboxKind::Messenger | InboxKind::Telegram | InboxKind::Web => None,
        }
    }

    pub fn plugin_versions_kept(&self) -> u32 {
        self.plugin_versions_kept.max(FEWEST_VERSIONS)
    }

    pub fn live_unread_bytes_per_client(&self) -> usize {
        usize::try_from(self.live_unread_bytes_per_client).unwrap_or(usize::MAX)
    }

    pub fn session_times(&self) -> SessionTimes {
        SessionTimes::new(self.session_idle, self.session_life)
    }
}
