//! The operator's decisions (`docs/operations.md`).

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use channels::{email::SmtpRelay, media_store::MediaStore};
use domain::sms_products::StopWords;

/// The operator's decisions (`docs/operations.md`).
#[derive(Debug, Clone)]
pub struct Settings {
    /// Base of media addresses, without a slash at the end.
    pub public_url: String,
    /// `whatsapp_cloud.app_secret`; callbacks are refused while it is empty.
    pub app_secret: String,
    /// `whatsapp_cloud.verify_token`.
    pub verify_token: String,
    /// `messenger.app_secret`; callbacks about pages are refused while it is empty, unless the page has its own.
    pub messenger_app_secret: String,
    /// `messenger.verify_token`.
    pub messenger_verify_token: String,
    /// Recipients over all messages of one request.
    pub max_recipients: usize,
    /// How long to wait for a status after an answer that never came.
    pub unknown_after: Duration,
    /// How long an SMS waits for an SMSC before it fails.
    pub sms_expires_after: Duration,
    /// How long a message of a Lite number waits for its connection, or its time of day, before it fails.
    pub lite_expires_after: Duration,
    /// Failures older than this do not fall back to SMS.
    pub fallback_max_age: Duration,
    /// How long a conversation lasts unless it is closed.
    pub conversation_lifetime: Duration,
    /// How long a customer waits for an agent's answer before the chat is missed.
    pub missed_after: Duration,
    /// Chats of an agent without a limit of its own.
    pub agent_chats: u32,
    /// Largest file taken from a customer, in bytes.
    pub media_max_bytes: u64,
    /// How long a media address stays valid.
    pub media_url_lifetime: Duration,
    /// Where files of customers are kept.
    pub media_kept: MediaKept,
    /// Source address of SMS when nothing else names one.
    pub sms_default_source: String,
    /// Words that stop SMS.
    pub stop_words: StopWords,
    /// E-mail to SMS.
    pub email: EmailSettings,
    /// Delays between webhook attempts.
    pub webhook_retry_schedule: Vec<Duration>,
    /// Webhook requests in flight per endpoint.
    pub webhook_in_flight: usize,
    /// Loopback and private addresses are fine as targets of every client.
    pub allow_private_targets: bool,
    /// Limits of uploads.
    pub plugins: PluginSettings,
    /// Limits of the key-value stores of plugins.
    pub key_values: KeyValueQuota,
    /// Live events of agents.
    pub live: LiveSettings,
    /// Retention of the growing tables.
    pub retention: Retention,
}

impl Default for Settings {
    /// The values without any setting of the operator, a public address and provider secrets.
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

/// How live events are kept and sent (ADR 0027).
#[derive(Debug, Clone, Copy)]
pub struct LiveSettings {
    /// Time after the last connection for which events are kept for a client that resumes.
    pub resume_for: Duration,
    /// Connections of one client to this process.
    pub connections_per_client: usize,
    /// How long a ticket is good.
    pub ticket_lifetime: Duration,
    /// Events in memory for all connections of a client. A connection that falls further behind is closed and must
    /// resume.
    pub events_held: usize,
    /// Bytes of events that all connections of a client to this process have been handed and not read yet.
    pub unread_bytes_per_client: usize,
    /// Longest time that the peer may take for a write.
    pub write_timeout: Duration,
    /// How often a connection is tried, and told where it stands.
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

/// E-mail to SMS.
#[derive(Debug, Clone, Default)]
pub struct EmailSettings {
    /// Where mails to clients go; without it none are written.
    pub relay: Option<SmtpRelay>,
}

/// Where files of customers are kept (`media.store`).
#[derive(Clone, Default)]
pub enum MediaKept {
    /// In the folder of this machine: for a service of one machine.
    #[default]
    InFolder,
    /// In a folder that all nodes have.
    InSharedFolder(PathBuf),
    /// In the database.
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

/// How long rows are kept, in days.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Outbound messages, legs, chat messages.
    pub messages_days: u32,
    /// Delivery receipts.
    pub receipts_days: u32,
    /// Webhook deliveries and attempts.
    pub webhooks_days: u32,
    /// Plugin invocations, plugin events and differences of shadows.
    pub invocations_days: u32,
    /// Recorded plugin calls.
    pub recordings_days: u32,
    /// Fingerprints of provider callbacks, and callbacks that were given up.
    pub callbacks_days: u32,
    /// Files of customers.
    pub media_days: u32,
    /// Live events.
    pub live_events_days: u32,
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
        }
    }
}

/// Limits of uploads by clients.
#[derive(Debug, Clone, Copy)]
pub struct PluginSettings {
    /// Bytes of one component.
    pub upload_bytes: usize,
    /// Bytes of all components of one client.
    pub bytes_per_client: u64,
    /// Names that one client can upload under.
    pub names_per_client: u64,
    /// Versions kept per name, in addition to those that are in force or that a rollback may need.
    pub versions_kept: u32,
    /// Bytes that one recording of an activation keeps.
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

/// Limits of the stores of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyValueQuota {
    /// Bytes of all stores of one client: keys, values, and 64 for each key.
    pub bytes_per_client: u64,
    /// Keys of one plugin in the store of one participant.
    pub keys_per_participant: u32,
}

impl Default for KeyValueQuota {
    fn default() -> Self {
        Self { bytes_per_client: 64 << 20, keys_per_participant: 256 }
    }
}
