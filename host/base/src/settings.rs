//! Settings of the operator (`docs/operations.md`).

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use channels::{email::SmtpRelay, media_store::MediaStore};
use domain::sms_products::StopWords;

/// Settings of the operator (`docs/operations.md`).
#[derive(Debug, Clone)]
pub struct Settings {
    /// Base of media addresses, without a slash at the end.
    pub public_url: String,
    /// `whatsapp_cloud.app_secret`. If it is empty, callbacks are refused.
    pub app_secret: String,
    /// `whatsapp_cloud.verify_token`.
    pub verify_token: String,
    /// `messenger.app_secret`. If it is empty, callbacks of pages without a secret of their own are refused.
    pub messenger_app_secret: String,
    /// `messenger.verify_token`.
    pub messenger_verify_token: String,
    /// Most recipients over all messages of one request.
    pub max_recipients: usize,
    /// Time to wait for a status of a message in doubt.
    pub unknown_after: Duration,
    /// Time for which an SMS waits for an SMSC before it fails.
    pub sms_expires_after: Duration,
    /// Time for which a message of a Lite number waits for its connection or its time of day before it fails.
    pub lite_expires_after: Duration,
    /// Failures older than this do not fall back to SMS.
    pub fallback_max_age: Duration,
    /// Lifetime of a conversation that is not closed.
    pub conversation_lifetime: Duration,
    /// Time for which a customer waits for an agent before the chat counts as missed.
    pub missed_after: Duration,
    /// Most chats of an agent without a limit of its own.
    pub agent_chats: u32,
    /// Largest file of a customer, in bytes.
    pub media_max_bytes: u64,
    /// Validity of a media address.
    pub media_url_lifetime: Duration,
    /// The store for files of customers.
    pub media_kept: MediaKept,
    /// Source address of SMS if no other is configured.
    pub sms_default_source: String,
    /// Words that stop SMS.
    pub stop_words: StopWords,
    /// E-mail to SMS.
    pub email: EmailSettings,
    /// Delays between webhook attempts.
    pub webhook_retry_schedule: Vec<Duration>,
    /// Most webhook requests in flight per endpoint.
    pub webhook_in_flight: usize,
    /// Allows loopback and private addresses as targets for all clients.
    pub allow_private_targets: bool,
    /// Limits for uploads of plugins.
    pub plugins: PluginSettings,
    /// Limits for the key-value stores of plugins.
    pub key_values: KeyValueQuota,
    pub live: LiveSettings,
    pub retention: Retention,
}

impl Default for Settings {
    /// The defaults of the configuration, without a public address and provider secrets.
    fn default() -> Self {
        Self {
            public_url: String::new(),
            app_secret: String::new(),
            verify_token: String::new(),
            messenger_app_secret: String::new(),
            messenger_verify_token: String::new(),
            max_recipients: 1000,
            unknown_after: Duration::from_secs(60),
            sms_expires_after: Duration::from_secs(48 * 3600),
            lite_expires_after: Duration::from_secs(48 * 3600),
            fallback_max_age: Duration::from_secs(3600),
            conversation_lifetime: Duration::from_secs(30 * 24 * 3600),
            missed_after: Duration::from_secs(600),
            agent_chats: 20,
            media_max_bytes: 100 << 20,
            media_url_lifetime: Duration::from_secs(7 * 24 * 3600),
            media_kept: MediaKept::default(),
            sms_default_source: "PATCHBAY".to_owned(),
            stop_words: StopWords::default(),
            email: EmailSettings::default(),
            webhook_retry_schedule: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
                .map(Duration::from_secs)
                .to_vec(),
            webhook_in_flight: 32,
            allow_private_targets: false,
            plugins: PluginSettings::default(),
            key_values: KeyValueQuota::default(),
            live: LiveSettings::default(),
            retention: Retention::default(),
        }
    }
}

/// Storage and delivery of live events (ADR 0027).
#[derive(Debug, Clone, Copy)]
pub struct LiveSettings {
    /// Time after the last connection for which events are kept for a client that comes back.
    pub resume_for: Duration,
    /// Most connections of one client to this process.
    pub connections_per_client: usize,
    /// Validity of a ticket.
    pub ticket_lifetime: Duration,
    /// Most events in memory for all connections of a client. A connection that falls further behind is closed and must
    /// resume.
    pub events_held: usize,
    /// Most unread bytes of events of all connections of a client to this process.
    pub unread_bytes_per_client: usize,
    /// Longest time for one write to a connection.
    pub write_timeout: Duration,
    /// Interval of heartbeats. Each one checks the connection and reports its position.
    pub heartbeat: Duration,
}

impl Default for LiveSettings {
    fn default() -> Self {
        Self {
            resume_for: Duration::from_secs(3600),
            connections_per_client: 1000,
            ticket_lifetime: Duration::from_secs(30),
            events_held: 4096,
            unread_bytes_per_client: 16 * 1024 * 1024,
            write_timeout: Duration::from_secs(10),
            heartbeat: Duration::from_secs(20),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct EmailSettings {
    /// The relay for mails to clients. Without it, no mails are written.
    pub relay: Option<SmtpRelay>,
}

/// The store for files of customers (`media.store`).
#[derive(Clone, Default)]
pub enum MediaKept {
    /// In a local folder. Suitable for an installation on one machine.
    #[default]
    InFolder,
    /// In a folder that all nodes share.
    InSharedFolder(PathBuf),
    InDatabase,
    /// In a store of another kind that all nodes share.
    Elsewhere(Arc<dyn MediaStore>),
}

impl fmt::Debug for MediaKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InFolder => f.write_str("InFolder"),
            Self::InSharedFolder(folder) => f.debug_tuple("InSharedFolder").field(folder).finish(),
            Self::InDatabase => f.write_str("InDatabase"),
            Self::Elsewhere(_) => f.write_str("Elsewhere"),
        }
    }
}

/// Retention of rows, in days.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Outgoing messages, legs, chat messages.
    pub messages_days: u32,
    /// Delivery receipts.
    pub receipts_days: u32,
    /// Webhook deliveries and attempts.
    pub webhooks_days: u32,
    /// Plugin invocations, plugin events and differences of shadows.
    pub invocations_days: u32,
    /// Recorded plugin calls.
    pub recordings_days: u32,
    /// Fingerprints of provider callbacks, and callbacks that could not be processed.
    pub callbacks_days: u32,
    /// Files of customers.
    pub media_days: u32,
    /// Live events.
    pub live_events_days: u32,
    /// The log of requests.
    pub request_log_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            messages_days: 365,
            receipts_days: 90,
            webhooks_days: 30,
            invocations_days: 30,
            recordings_days: 14,
            callbacks_days: 14,
            media_days: 365,
            live_events_days: 1,
            request_log_days: 7,
        }
    }
}

/// Limits for uploads of plugins.
#[derive(Debug, Clone, Copy)]
pub struct PluginSettings {
    /// Most bytes of one component.
    pub upload_bytes: usize,
    /// Most bytes of all components of one client.
    pub bytes_per_client: u64,
    /// Most plugin names of one client.
    pub names_per_client: u64,
    /// Versions kept per name, in addition to those in force and those for a rollback.
    pub versions_kept: u32,
    /// Most bytes of one recording of an activation.
    pub recording_bytes: u64,
}

impl Default for PluginSettings {
    fn default() -> Self {
        Self {
            upload_bytes: 32 << 20,
            bytes_per_client: 1 << 30,
            names_per_client: 500,
            versions_kept: 200,
            recording_bytes: 64 << 20,
        }
    }
}

/// Limits for the key-value stores of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyValueQuota {
    /// Most bytes of all stores of one client: keys, values, and 64 for each key.
    pub bytes_per_client: u64,
    /// Most keys of one plugin in the store of one participant.
    pub keys_per_participant: u32,
}

impl Default for KeyValueQuota {
    fn default() -> Self {
        Self { bytes_per_client: 64 << 20, keys_per_participant: 256 }
    }
}
