//! Turns bytes into a callable program: finds or compiles the code, checks and links it.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;

use plugin_bindings::chatbot::{Chatbot, ChatbotPre};
use plugin_bindings::configurable::ConfigurablePre;
use plugin_bindings::router::{Router, RouterPre};
use plugin_bindings::sms_fallback::{SmsFallback, SmsFallbackPre};
use plugin_bindings::sms_router::{SmsRouter, SmsRouterPre};
use plugin_bindings::webhook_shaper::{WebhookShaper, WebhookShaperPre};

use super::cache::Cache;
use super::older::{self, Older};
use crate::World;
use crate::calling::guest::Guest;
use crate::check;
use crate::compile::{CompileScheduler, Fault, Purpose};

/// A component that is linked and type-checked. Its instances start in microseconds.
pub(crate) enum Linked {
    Chatbot(ChatbotPre<Guest>),
    SmsFallback(SmsFallbackPre<Guest>),
    WebhookShaper(WebhookShaperPre<Guest>),
    Router(RouterPre<Guest>),
    SmsRouter(SmsRouterPre<Guest>),
    /// Of any world, built for the track before.
    Older(Older),
}

impl Linked {
    pub(crate) fn world(&self) -> World {
        match self {
            Self::Chatbot(_) => World::Chatbot,
            Self::SmsFallback(_) => World::SmsFallback,
            Self::WebhookShaper(_) => World::WebhookShaper,
            Self::Router(_) => World::Router,
            Self::SmsRouter(_) => World::SmsRouter,
            Self::Older(older) => older.world(),
        }
    }

    /// The linked component, independent of its world.
    pub(crate) fn instance_pre(&self) -> &InstancePre<Guest> {
        match self {
            Self::Chatbot(pre) => pre.instance_pre(),
            Self::SmsFallback(pre) => pre.instance_pre(),
            Self::WebhookShaper(pre) => pre.instance_pre(),
            Self::Router(pre) => pre.instance_pre(),
            Self::SmsRouter(pre) => pre.instance_pre(),
            Self::Older(older) => older.instance_pre(),
        }
    }
}

pub(crate) struct Program {
    pub(crate) linked: Linked,
    pub(crate) sha256: String,
    pub(crate) size: u64,
    pub(crate) imports: Vec<String>,
    pub(crate) api_version: String,
    /// Whether it exports the schema of its configuration.
    pub(crate) configurable: bool,
}

/// A program under the name and version that traces show.
#[derive(Clone)]
pub(crate) struct LoadedPlugin {
    pub(crate) name: String,
    pub(crate) version: u64,
    pub(crate) program: Arc<Program>,
    /// Part of Patchbay itself, so its calls are known to be short.
    pub(crate) ships: bool,
}

pub(crate) struct Loader {
    engine: Engine,
    cache: Arc<Cache>,
    scheduler: CompileScheduler,
    most_bytes: usize,
}

impl Loader {
    pub(crate) fn new(engine: Engine, cache: Arc<Cache>, scheduler: CompileScheduler, most_bytes: usize) -> Self {
        Self { engine, cache, scheduler, most_bytes }
    }

    pub(crate) fn scheduler(&self) -> &CompileScheduler {
        &self.scheduler
    }

    pub(crate) async fn load(self: &Arc<Self>, bytes: Vec<u8>, purpose: Purpose) -> Result<Program, Fault> {
        if bytes.len() > self.most_bytes {
            return Err(Fault::Problems(vec![check::too_large(bytes.len(), self.most_bytes)]));
        }
        check::header(&bytes).map_err(|problem| Fault::Problems(vec![problem]))?;
        let bytes = Arc::new(bytes);
        let hashed = Arc::clone(&bytes);
        let sha256 = blocking(move || Ok(hex::encode(Sha256::digest(hashed.as_slice())))).await?;
        let size = bytes.len() as u64;
        if let Some(program) = self.compiled(&sha256, size, purpose).await? {
            return Ok(program);
        }
        match self.scheduler.compile(&sha256, bytes, purpose).await? {
            Some(component) => {
                let engine = self.engine.clone();
                blocking(move || finish(&engine, &component, sha256, size, purpose)).await
            }
            None => {
                let lost = || Fault::Host("the compiled code went away at once; is there room on the disk?".into());
                self.compiled(&sha256, size, purpose).await?.ok_or_else(lost)
            }
        }
    }

    /// The program of a component whose code is in the cache. `size` is the size of the component.
    async fn compiled(self: &Arc<Self>, sha256: &str, size: u64, purpose: Purpose) -> Result<Option<Program>, Fault> {
        let (loader, sha256) = (Arc::clone(self), sha256.to_owned());
        blocking(move || match loader.cache.load(&loader.engine, &sha256) {
            Some(component) => finish(&loader.engine, &component, sha256, size, purpose).map(Some),
            None => Ok(None),
        })
        .await
    }
}

/// Runs work that reads files or computes for milliseconds.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Fault> + Send + 'static) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|fault| Err(Fault::Host(fault.to_string())))
}

fn finish(
    engine: &Engine,
    component: &Component,
    sha256: String,
    size: u64,
    purpose: Purpose,
) -> Result<Program, Fault> {
    let surface = check::Surface::of(engine, component);
    let world = surface.judge().map_err(Fault::Problems)?;
    let configurable = surface.is_configurable();
    let mismatch = |fault| Fault::Problems(vec![check::mismatch(world, &fault)]);
    let linked = link(engine, world, &surface, component).map_err(mismatch)?;
    if purpose == Purpose::BuiltIn {
        check::remember_type(world, engine, component);
    } else if !matches!(linked, Linked::Older(_))
        && let Some(problem) = check::other_type(world, engine, component)
    {
        return Err(Fault::Problems(vec![problem]));
    }
    let api_version = surface.api_version().unwrap_or_default().to_owned();
    Ok(Program { linked, sha256, size, imports: surface.imports(), api_version, configurable })
}

/// Links a component with the interfaces that its world grants, and checks the types of its exports.
pub(crate) fn link(
    engine: &Engine,
    world: World,
    surface: &check::Surface,
    component: &Component,
) -> wasmtime::Result<Linked> {
    let mut linker: Linker<Guest> = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    // Timers follow the clock of the guest, not that of the host.
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?;
    linker.allow_shadowing(false);
    match world {
        World::Chatbot => Chatbot::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::SmsFallback => SmsFallback::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::WebhookShaper => WebhookShaper::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::Router => Router::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::SmsRouter => SmsRouter::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
    }
    older::add_to_linker(&mut linker, world)?;
    let pre: InstancePre<Guest> = linker.instantiate_pre(component)?;
    if let Some(export) = surface.older_export() {
        return Older::new(world, pre, export, surface.configuration_export()).map(Linked::Older);
    }
    if surface.is_configurable() {
        ConfigurablePre::new(pre.clone())?;
    }
    Ok(match world {
        World::Chatbot => Linked::Chatbot(ChatbotPre::new(pre)?),
        World::SmsFallback => Linked::SmsFallback(SmsFallbackPre::new(pre)?),
        World::WebhookShaper => Linked::WebhookShaper(WebhookShaperPre::new(pre)?),
        World::Router => Linked::Router(RouterPre::new(pre)?),
        World::SmsRouter => Linked::SmsRouter(SmsRouterPre::new(pre)?),
    })
}
