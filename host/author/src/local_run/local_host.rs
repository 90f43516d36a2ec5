//! One component in this process, under the limits of a server except that of the wall clock.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ids::ClientId;
use parking_lot::Mutex;
use plugin_host::{
    CallLimits, Compiler, ComponentRefusal, ComponentSource, HostConfig, HostError, HttpFault, HttpRequest,
    HttpResponse, OutgoingHttp, PluginHost, PluginRef, World, built_in_name,
    config_schema::{self, CompiledSchema},
};
use uuid::Uuid;

use super::web::LocalWeb;
use crate::cache_folder::cache_folder;

#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    #[error("{0}")]
    Host(#[from] HostError),
    #[error("{} cannot be used as a plugin:\n  - {}", file.display(), problems.join("\n  - "))]
    Refused { file: PathBuf, problems: Vec<String> },
    #[error("{} cannot be read: {source}", file.display())]
    Unreadable {
        file: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// Time for a call. A busy machine must not fail a test, so the processor time decides before.
const PATIENCE: Duration = Duration::from_secs(60);

/// The client for loading components. Each conversation has a client of its own.
pub(super) const LOADING_CLIENT: ClientId = ClientId(Uuid::nil());

pub(crate) struct LocalHost {
    pub(crate) host: Arc<PluginHost>,
    components: Arc<Components>,
    webs: Arc<WebPerConversation>,
    versions: Mutex<HashMap<String, u32>>,
    clients: AtomicU64,
}

#[derive(Debug, Clone)]
pub(crate) struct LoadedProgram {
    pub(crate) plugin: PluginRef,
    pub(crate) world: World,
    pub(crate) size: u64,
    /// The schema of its configuration, if it exports one.
    pub(crate) config_schema: Option<Arc<CompiledSchema>>,
    /// The name of the built-in plugin that it is.
    pub(crate) built_in: Option<&'static str>,
}

/// Bytes of loaded components, by hash.
#[derive(Default)]
struct Components(Mutex<HashMap<String, Vec<u8>>>);

#[async_trait]
impl ComponentSource for Components {
    async fn bytes(
        &self,
        _client: ClientId,
        sha256: &str,
    ) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.lock().get(sha256).cloned())
    }
}

/// The HTTP access of each conversation, by its client.
#[derive(Default)]
struct WebPerConversation(Mutex<HashMap<Uuid, Arc<dyn LocalWeb>>>);

#[async_trait]
impl OutgoingHttp for WebPerConversation {
    async fn send(&self, client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let web = self.0.lock().get(&client.0).cloned();
        match web {
            Some(web) => web.send(client, request).await,
            None => Err(HttpFault::Failed("there is no web here".to_owned())),
        }
    }
}

impl LocalHost {
    /// Starts the host. Compiled code is kept on disk.
    pub(crate) async fn start() -> Result<Self, LocalError> {
        let (components, webs) = (Arc::new(Components::default()), Arc::new(WebPerConversation::default()));
        let config = HostConfig {
            built_ins: false,
            compiler: Compiler::InProcess,
            alone: true,
            limits: CallLimits { calls: 8, wall_clock: PATIENCE, ..CallLimits::default() },
            components: Some(Arc::clone(&components) as Arc<dyn ComponentSource>),
            http: Some(Arc::clone(&webs) as Arc<dyn OutgoingHttp>),
            ..HostConfig::new(cache_folder())
        };
        let host = PluginHost::start(config).await?;
        Ok(Self { host, components, webs, versions: Mutex::default(), clients: AtomicU64::new(0) })
    }

    pub(crate) async fn load(&self, name: &str, file: &std::path::Path) -> Result<LoadedProgram, LocalError> {
        let unreadable = |source| LocalError::Unreadable { file: file.to_owned(), source };
        let bytes = tokio::fs::read(file).await.map_err(unreadable)?;
        let refused = |problems| LocalError::Refused { file: file.to_owned(), problems };
        let examined = self.host.examine(LOADING_CLIENT, name, bytes.clone()).await.map_err(|refusal| {
            refused(match refusal {
                ComponentRefusal::Problems(problems) => problems,
                other => vec![other.to_string()],
            })
        })?;
        let compile = |text: &str| config_schema::parse(text).and_then(CompiledSchema::new).map(Arc::new);
        let config_schema = examined.config_schema.as_deref().map(compile).transpose();
        let config_schema = config_schema.map_err(|problem| refused(vec![problem]))?;
        let built_in = built_in_name(&bytes);
        self.components.0.lock().insert(examined.sha256.clone(), bytes);
        // The same bytes are the same version, as on a server.
        let mut versions = self.versions.lock();
        let next = u32::try_from(versions.len()).unwrap_or(u32::MAX).saturating_add(1);
        let version = *versions.entry(examined.sha256.clone()).or_insert(next);
        Ok(LoadedProgram {
            plugin: PluginRef::uploaded(name, version, examined.sha256),
            world: examined.world,
            size: examined.size,
            config_schema,
            built_in,
        })
    }

    /// Sends a started request. Returns its end, and the time after which the plugin hears of it.
    pub(crate) async fn send_started(
        &self,
        client: ClientId,
        request: HttpRequest,
    ) -> (Result<HttpResponse, HttpFault>, TimeDelta) {
        let web = self.webs.0.lock().get(&client.0).cloned();
        let after = web.map_or(TimeDelta::zero(), |web| web.delay(&request));
        let deadline = TimeDelta::from_std(request.timeout).unwrap_or_default();
        let ended = self.host.send_started(client, request).await;
        if after > deadline { (Err(HttpFault::TimedOut), deadline) } else { (ended, after) }
    }

    /// A new client, because limits, the circuit breaker and the HTTP access are per client.
    pub(crate) fn client(&self, web: Arc<dyn LocalWeb>) -> ClientId {
        let id = Uuid::from_u64_pair(0, self.clients.fetch_add(1, Ordering::Relaxed) + 1);
        self.webs.0.lock().insert(id, web);
        ClientId(id)
    }
}
