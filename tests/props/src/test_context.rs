//! The context of use cases, without any peer.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use base::{Context, ContextBuilder, EventReader, MediaLocation, lanes::Wakeups, secrets::Sealer};
use channels::{
    carrier::Carriers,
    http::{GuardedClient, GuardedSettings},
    whatsapp_cloud::{CloudApi, CloudSettings},
};
use domain::clock::{Clock, IdSource};
use plugin_host::{HostConfig, PluginHost};
use settings::Settings;
use storage::Db;

/// Stages of this program so far. Their ids are alike, so each keeps the files of customers apart from those of the others.
static STAGES: AtomicUsize = AtomicUsize::new(0);

/// The parts that a stage decides.
pub struct Surroundings {
    /// For files of customers.
    pub folder: PathBuf,
    /// How the plugin host starts; [`Surroundings::plugins`] makes the usual one.
    pub plugins: HostConfig,
    /// Ways out.
    pub carriers: Carriers,
    /// Readers of events outside the crate `events`.
    pub readers: Vec<Arc<dyn EventReader>>,
    /// Settings of the use cases.
    pub settings: Settings,
}

impl Surroundings {
    /// In this folder, with the built-in plugins, no carrier and the default settings.
    ///
    /// # Panics
    ///
    /// When this program is not in the target directory of cargo.
    pub fn new(folder: PathBuf) -> Self {
        let plugins = HostConfig::new(compiled_plugins());
        Self { folder, plugins, carriers: Carriers::default(), readers: Vec::new(), settings: Settings::default() }
    }

    /// The context of use cases on this database and this clock. Its ids and keys are the same in every run.
    ///
    /// # Panics
    ///
    /// When the plugin host does not start.
    pub async fn build(self, db: Db, clock: Arc<dyn Clock>) -> Context {
        self.build_waking(db, clock, Wakeups::channel().0).await
    }

    /// The same, with a runner that is told of new work.
    ///
    /// # Panics
    ///
    /// When the plugin host does not start.
    pub async fn build_waking(self, db: Db, clock: Arc<dyn Clock>, wake: Wakeups) -> Context {
        // Nothing listens at port 9, so calls to Meta get no answer.
        let nowhere = CloudSettings { graph_url: "http://127.0.0.1:9".to_owned(), ..CloudSettings::default() };
        ContextBuilder {
            db,
            clock,
            ids: IdSource::new([3; 32]),
            sealer: Sealer::new([9; 32]),
            plugins: PluginHost::start(self.plugins).await.unwrap(),
            carriers: self.carriers,
            cloud: CloudApi::new(nowhere).unwrap(),
            http: GuardedClient::new(GuardedSettings::default()).unwrap(),
            media_folder: self.folder.join("media").join(STAGES.fetch_add(1, Ordering::Relaxed).to_string()),
            media_kept: MediaLocation::default(),
            relay: None,
            openid: None,
            readers: self.readers,
            settings: self.settings,
        }
        .build(wake)
    }
}

/// The folder of compiled components of all test programs, also of those that start the program (`harness`).
fn compiled_plugins() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("compiled-plugins-of-tests")
}
