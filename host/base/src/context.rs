//! The shared resources of all use cases. The program builds them once.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use channels::{
    carrier::Carriers,
    email::SmtpRelay,
    http::GuardedClient,
    media_store::{LocalMediaStore, MediaStore},
    openid::OpenidProvider,
    whatsapp_cloud::CloudApi,
};
use chrono::{DateTime, Utc};
use domain::{
    clock::{Clock, IdSource},
    event::NewEvent,
    ids::{ClientId, NodeId},
};
use plugin_host::PluginHost;
use settings::Settings;
use storage::{Db, PgConnection, Queue};
use uuid::Uuid;

use crate::{
    Result, SkippedComparisons, database_media::DatabaseMediaStore, lanes::Wakeups, media_move::MovedMediaStore,
    readiness::WriteHealth, rights::Rights, secrets::Sealer, sending_figures::SendingFigures,
};

/// A reader of events outside the crate `events` (ADR 0056).
#[async_trait]
pub trait EventReader: Send + Sync + 'static {
    /// Handles events in the transaction of their cause. Returns the lanes to wake after the commit.
    async fn take(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        events: &[NewEvent],
    ) -> Result<Vec<(Queue, Uuid)>>;
}

/// The shared resources of all use cases. A clone shares them. The fields never change, only their own inner state
/// does.
#[derive(Clone)]
pub struct Context {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<IdSource>,
    /// This process, as the owner of leases.
    pub node: NodeId,
    pub plugins: Arc<PluginHost>,
    pub cloud: CloudApi,
    /// For addresses that clients chose.
    pub http: GuardedClient,
    pub media: Arc<dyn MediaStore>,
    pub scratch: PathBuf,
    pub sealer: Sealer,
    pub settings: Arc<Settings>,
    /// The relay for mails to clients. Without it, no mails are written.
    pub relay: Option<SmtpRelay>,
    /// The login provider of the operator. `None`: people log in with passwords only.
    pub openid: Option<OpenidProvider>,
    pub wake: Wakeups,
    pub carriers: Carriers,
    pub skipped: SkippedComparisons,
    pub readers: Arc<[Arc<dyn EventReader>]>,
    pub writes: Arc<WriteHealth>,
    pub rights: Rights,
    pub sending: SendingFigures,
}

impl Context {
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn mint<Id: From<Uuid>>(&self) -> Id {
        Id::from(self.ids.mint(self.clock.now()))
    }

    /// The same context for requests: each statement is limited to `Timing::request`, because a caller waits.
    pub fn for_requests(&self) -> Self {
        Self { db: self.db.for_requests(), ..self.clone() }
    }

    /// The same context with a few database connections of its own, so that its work does not queue behind other work.
    pub fn with_own_pool(&self) -> Self {
        Self { db: self.db.second_pool(), ..self.clone() }
    }
}

#[derive(Clone, Default)]
pub enum MediaLocation {
    /// In a local folder. Suitable for an installation on one machine.
    #[default]
    InFolder,
    InSharedFolder(PathBuf),
    InDatabase,
    Elsewhere(Arc<dyn MediaStore>),
}

impl fmt::Debug for MediaLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InFolder => f.write_str("InFolder"),
            Self::InSharedFolder(folder) => f.debug_tuple("InSharedFolder").field(folder).finish(),
            Self::InDatabase => f.write_str("InDatabase"),
            Self::Elsewhere(_) => f.write_str("Elsewhere"),
        }
    }
}

/// The store for files of customers. `folder` is the local folder for downloads, and for all files if `kept` names no other
/// place.
pub fn media_store(kept: &MediaLocation, db: &Db, folder: &Path) -> Arc<dyn MediaStore> {
    let folder = LocalMediaStore::new(folder);
    let in_database = |folder| Arc::new(DatabaseMediaStore::new(db.for_requests(), folder));
    match kept {
        MediaLocation::InFolder => Arc::new(folder),
        MediaLocation::InDatabase => in_database(folder),
        MediaLocation::InSharedFolder(shared) => {
            let shared = Arc::new(LocalMediaStore::new(shared.clone()));
            Arc::new(MovedMediaStore::new(shared, in_database(folder)))
        }
        MediaLocation::Elsewhere(store) => Arc::new(MovedMediaStore::new(Arc::clone(store), in_database(folder))),
    }
}

pub struct ContextBuilder {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub ids: IdSource,
    pub sealer: Sealer,
    pub plugins: Arc<PluginHost>,
    pub cloud: CloudApi,
    pub carriers: Carriers,
    pub http: GuardedClient,
    /// Local folder for downloads, and for all files of customers if the settings name no other place. It must exist.
    pub media_folder: PathBuf,
    pub media_kept: MediaLocation,
    pub relay: Option<SmtpRelay>,
    pub openid: Option<OpenidProvider>,
    pub readers: Vec<Arc<dyn EventReader>>,
    pub settings: Settings,
}

impl ContextBuilder {
    pub fn build(self, wake: Wakeups) -> Context {
        let media = media_store(&self.media_kept, &self.db, &self.media_folder);
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
            settings: Arc::new(self.settings),
            relay: self.relay,
            openid: self.openid,
            wake,
            carriers: self.carriers,
            skipped: SkippedComparisons::default(),
            readers: self.readers.into(),
            writes: Arc::default(),
            rights: Rights::default(),
            sending: SendingFigures::default(),
        }
    }
}
