//! What every use case needs, put together once by the program.

use std::{sync::Arc, time::Duration};

use channels::{http::GuardedClient, media_store::MediaStore, smpp::SmppGateway, whatsapp_cloud::CloudApi};
use chrono::{DateTime, Utc};
use domain::{
    clock::{Clock, IdSource},
    ids::NodeId,
};
use plugin_host::PluginHost;
use storage::PgPool;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::{
    dispatch::Pacing,
    lanes::Wakeups,
    plugin_calls::{Quota, SkippedComparisons},
    plugins::{PluginSettings, Uploads},
    secrets::Sealer,
};

/// The surroundings of every use case. Shared; nothing in it changes except through its own parts.
pub struct Context {
    /// The database.
    pub db: PgPool,
    /// The business clock.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: IdSource,
    /// This process, as the owner of leases.
    pub node: NodeId,
    /// Runs components.
    pub plugins: Arc<PluginHost>,
    /// WhatsApp Cloud.
    pub cloud: CloudApi,
    /// For addresses that clients chose.
    pub http: GuardedClient,
    /// Set once the SMSC binds are started; empty when no SMSC is configured.
    pub smpp: OnceCell<SmppGateway>,
    /// Files of customers.
    pub media: Arc<dyn MediaStore>,
    /// Folder on the media store's file system where downloads are put together.
    pub scratch: std::path::PathBuf,
    /// Opens and seals secrets.
    pub sealer: Sealer,
    /// Settings of the operator.
    pub settings: Settings,
    /// Hints to the runner.
    pub wake: Wakeups,
    /// How fast each business number may send.
    pub pacing: Pacing,
    /// Comparisons with shadows of plugins that there was no room for.
    pub skipped: SkippedComparisons,
    /// Whose turn it is to upload a plugin.
    pub uploads: Uploads,
}

impl Context {
    /// The present moment of the business clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A new id for something that happens now.
    pub fn mint<Id: From<Uuid>>(&self) -> Id {
        Id::from(self.ids.mint(self.clock.now()))
    }
}

/// What the operator decided (`docs/operations.md`).
#[derive(Debug, Clone)]
pub struct Settings {
    /// Base of media addresses, without a slash at the end.
    pub public_url: String,
    /// `whatsapp_cloud.app_secret`; callbacks are refused while it is empty.
    pub app_secret: String,
    /// `whatsapp_cloud.verify_token`.
    pub verify_token: String,
    /// Recipients over all messages of one request.
    pub max_recipients: usize,
    /// Messages per second and business number.
    pub cloud_rate_per_second: u32,
    /// Provider calls in flight per business number.
    pub cloud_in_flight: usize,
    /// How long to wait for a status after an answer that never came.
    pub unknown_after: Duration,
    /// Failures older than this do not fall back to SMS.
    pub fallback_max_age: Duration,
    /// Largest file taken from a customer, in bytes.
    pub media_max_bytes: u64,
    /// How long a media address stays valid.
    pub media_url_lifetime: Duration,
    /// Source address of SMS when nothing else names one.
    pub sms_default_source: String,
    /// Delays between webhook attempts.
    pub webhook_retry_schedule: Vec<Duration>,
    /// Webhook requests in flight per endpoint.
    pub webhook_in_flight: usize,
    /// Loopback and private addresses are fine as targets of every client.
    pub allow_private_targets: bool,
    /// What clients may upload.
    pub plugins: PluginSettings,
    /// What the key-value stores of plugins may hold.
    pub key_values: Quota,
    /// Retention of the growing tables.
    pub retention: Retention,
}

/// How long rows are kept, in days.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Outbound messages, legs, chat messages.
    pub messages_days: u32,
    /// Delivery receipts.
    pub receipts_days: u32,
    /// Webhook deliveries and attempts.
    pub webhooks_days: u32,
    /// Plugin invocations, what happened to plugins, and where shadows differed.
    pub invocations_days: u32,
    /// Recorded plugin calls.
    pub recordings_days: u32,
    /// Fingerprints of provider callbacks, and callbacks that were given up.
    pub callbacks_days: u32,
    /// Files of customers.
    pub media_days: u32,
}
