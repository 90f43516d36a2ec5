//! The context of every use case. The program makes it once.

use std::{path::PathBuf, sync::Arc};

use channels::{
    carrier::Carriers,
    http::GuardedClient,
    media_store::{LocalMediaStore, MediaStore},
    whatsapp_cloud::CloudApi,
};
use chrono::{DateTime, Utc};
use domain::{
    clock::{Clock, IdSource},
    ids::NodeId,
};
use plugin_host::PluginHost;
use storage::PgPool;
use uuid::Uuid;

use crate::{
    MediaKept, Settings, SkippedComparisons, database_media::DatabaseMediaStore, lanes::Wakeups,
    moved_media::MovedMediaStore, readiness::Writes, rights::Rights, secrets::Sealer,
};

/// The surroundings of every use case. Shared; nothing in it changes except through its own parts.
#[derive(Clone)]
pub struct Context {
    /// The database.
    pub db: PgPool,
    /// The business clock.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: Arc<IdSource>,
    /// This process, as the owner of leases.
    pub node: NodeId,
    /// Runs components.
    pub plugins: Arc<PluginHost>,
    /// WhatsApp Cloud.
    pub cloud: CloudApi,
    /// For addresses that clients chose.
    pub http: GuardedClient,
    /// Files of customers.
    pub media: Arc<dyn MediaStore>,
    /// Folder of this machine where downloads are put together.
    pub scratch: PathBuf,
    /// Opens and seals secrets.
    pub sealer: Sealer,
    /// Settings of the operator.
    pub settings: Settings,
    /// Hints to the runner.
    pub wake: Wakeups,
    /// The carriers that send messages.
    pub carriers: Carriers,
    /// Comparisons with shadows of plugins that there was no room for.
    pub skipped: SkippedComparisons,
    /// Tells if sends can be stored.
    pub writes: Arc<Writes>,
    /// Notices of rights that may have ended.
    pub rights: Rights,
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

    /// The same for requests, whose callers wait: a statement may take at most `Timing::request`.
    pub fn for_requests(&self) -> Self {
        Self { db: self.db.for_requests(), ..self.clone() }
    }

    /// The same with a few database connections of its own, so that its work does not queue behind other work.
    pub fn beside(&self) -> Self {
        Self { db: self.db.beside(), ..self.clone() }
    }
}

/// The parts of a [`Context`] that have no default.
pub struct ContextBuilder {
    /// The database.
    pub db: PgPool,
    /// The business clock.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: IdSource,
    /// Opens and seals secrets.
    pub sealer: Sealer,
    /// Runs components.
    pub plugins: Arc<PluginHost>,
    /// WhatsApp Cloud.
    pub cloud: CloudApi,
    /// The carriers that send messages, by kind of inbox.
    pub carriers: Carriers,
    /// For addresses that clients chose.
    pub http: GuardedClient,
    /// Folder of this machine for files of customers: for downloads, and unless the settings say otherwise for all. Must exist.
    pub media_folder: PathBuf,
    /// Settings of the operator.
    pub settings: Settings,
}

impl ContextBuilder {
    /// Puts the rest around it. Hints to the runner go to `wake`.
    pub fn build(self, wake: Wakeups) -> Context {
        let folder = LocalMediaStore::new(self.media_folder.clone());
        let in_database = |folder| Arc::new(DatabaseMediaStore::new(self.db.for_requests(), folder));
        let media: Arc<dyn MediaStore> = match &self.settings.media_kept {
            MediaKept::InFolder => Arc::new(folder),
            MediaKept::InDatabase => in_database(folder),
            MediaKept::InSharedFolder(shared) => {
                let shared = Arc::new(LocalMediaStore::new(shared.clone()));
                Arc::new(MovedMediaStore::new(shared, in_database(folder)))
            }
            MediaKept::Elsewhere(store) => Arc::new(MovedMediaStore::new(Arc::clone(store), in_database(folder))),
        };
        Context {
            node: NodeId(self.ids.mint(self.clock.now())),
            db: self.db,
            clock: self.clock,
            ids: Arc::new(self.ids),
            plugins: self.plugins,
            cloud: self.cloud,
            http: self.http,
            scratch: self.media_folder.join("scratch"),
            media,
            sealer: self.sealer,
            settings: self.settings,
            wake,
            carriers: self.carriers,
            skipped: SkippedComparisons::default(),
            writes: Arc::default(),
            rights: Rights::default(),
        }
    }
}
