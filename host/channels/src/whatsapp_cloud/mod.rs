//! WhatsApp through Meta's Cloud API (PROVIDERS A and F): sends, the pace of a number, media, templates, and callbacks.

pub mod callback;
mod carrier;
mod catalogue;
mod cloud_send;
pub mod error_codes;
mod file_reference;
mod files;
mod graph;
mod media;
mod media_ids;
mod message_body;
mod number_node;
mod send;
mod send_failure;
mod template_body;

use std::{fmt, time::Duration};

use url::Url;

use crate::http::{ClientBuildError, OperatorClient, operator_client};
pub(crate) use callback::content_of;
pub use carrier::{CloudCarrier, CloudLimits};
pub use catalogue::CatalogueTemplate;
pub use cloud_send::CloudSend;
pub use graph::GraphError;
pub(crate) use graph::{ErrorAnswer, NoAnswer, answer};
pub use media::MediaNode;
pub(crate) use media::{fetch_file, is_of_meta};
pub use media_ids::MediaIds;
pub use number_node::NumberNode;
pub(crate) use send_failure::refused_without_a_code;

#[derive(Debug, Clone)]
pub struct CloudSettings {
    /// Scheme, host, port and an optional path, without the version (`whatsapp_cloud.graph_url`).
    pub graph_url: String,
    pub api_version: String,
    pub timeout: Duration,
}

impl Default for CloudSettings {
    fn default() -> Self {
        Self {
            graph_url: "https://graph.facebook.com".to_owned(),
            api_version: "v25.0".to_owned(),
            timeout: Duration::from_secs(30),
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct CloudNumber {
    /// Meta's id of the number: the path segment of its calls.
    pub phone_number_id: String,
    pub access_token: String,
}

impl fmt::Debug for CloudNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudNumber").field("phone_number_id", &self.phone_number_id).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CloudSetupError {
    #[error("whatsapp_cloud.graph_url `{0}` is not an http or https URL; give one like https://graph.facebook.com")]
    GraphUrl(String),
    #[error(transparent)]
    Client(#[from] ClientBuildError),
}

#[derive(Clone)]
pub struct CloudApi {
    client: OperatorClient,
    /// `https://host/v25.0`.
    base: Url,
    timeout: Duration,
}

impl CloudApi {
    pub fn new(settings: CloudSettings) -> Result<Self, CloudSetupError> {
        let unusable = || CloudSetupError::GraphUrl(settings.graph_url.clone());
        let mut base = Url::parse(&settings.graph_url).map_err(|_| unusable())?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(unusable());
        }
        base.path_segments_mut().map_err(|()| unusable())?.pop_if_empty().push(settings.api_version.trim_matches('/'));
        Ok(Self { client: operator_client(settings.timeout)?, base, timeout: settings.timeout })
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(crate) fn client(&self) -> &OperatorClient {
        &self.client
    }
}
