//! Turns bytes into a callable program: finds or compiles the code, checks and links it.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::{Engine, component::Component};

use super::{
    cache::Cache,
    link::{LinkedComponent, link},
};
use crate::{
    check::{self, component_interface::ApiTrack, faults},
    compile::{CompileFault, CompilePurpose, CompileScheduler},
};

pub(crate) struct Program {
    pub(crate) linked: LinkedComponent,
    pub(crate) sha256: String,
    pub(crate) size: u64,
    pub(crate) imports: Vec<String>,
    pub(crate) api_version: String,
    /// Whether it exports the schema of its configuration.
    pub(crate) configurable: bool,
}

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

    pub(crate) async fn load(
        self: &Arc<Self>,
        bytes: Vec<u8>,
        purpose: CompilePurpose,
    ) -> Result<Program, CompileFault> {
        // The limit is the operator's, for the plugins of others: a small one must not prevent the start.
        if purpose != CompilePurpose::BuiltIn && bytes.len() > self.most_bytes {
            return Err(CompileFault::Problems(vec![faults::too_large(bytes.len(), self.most_bytes)]));
        }
        faults::header(&bytes).map_err(|problem| CompileFault::Problems(vec![problem]))?;
        let bytes = Arc::new(bytes);
        let hashed = Arc::clone(&bytes);
        let sha256 = blocking(move || Ok(hex::encode(Sha256::digest(hashed.as_slice())))).await?;
        let size = bytes.len() as u64;
        if let Some(program) = self.compile(&sha256, size, purpose).await? {
            return Ok(program);
        }
        match self.scheduler.compile(&sha256, bytes, purpose).await? {
            Some(component) => {
                let engine = self.engine.clone();
                blocking(move || finish(&engine, &component, sha256, size, purpose)).await
            }
            None => {
                let lost =
                    || CompileFault::Host("the compiled code went away at once; is there room on the disk?".into());
                self.compile(&sha256, size, purpose).await?.ok_or_else(lost)
            }
        }
    }

    /// The program of a component whose code is in the cache. `size` is the size of the component.
    async fn compile(
        self: &Arc<Self>,
        sha256: &str,
        size: u64,
        purpose: CompilePurpose,
    ) -> Result<Option<Program>, CompileFault> {
        let (loader, sha256) = (Arc::clone(self), sha256.to_owned());
        blocking(move || match loader.cache.load(&loader.engine, &sha256) {
            Some(component) => finish(&loader.engine, &component, sha256, size, purpose).map(Some),
            None => Ok(None),
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CompileFault> + Send + 'static,
) -> Result<T, CompileFault> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|fault| Err(CompileFault::Host(fault.to_string())))
}

fn finish(
    engine: &Engine,
    component: &Component,
    sha256: String,
    size: u64,
    purpose: CompilePurpose,
) -> Result<Program, CompileFault> {
    let surface = check::ComponentInterface::of(engine, component);
    let world = surface.judge().map_err(CompileFault::Problems)?;
    let configurable = surface.is_configurable();
    let mismatch = |fault| CompileFault::Problems(vec![faults::mismatch(world, &fault)]);
    let linked = link(engine, world, &surface, component).map_err(mismatch)?;
    if purpose == CompilePurpose::BuiltIn {
        check::remember_type(world, engine, component);
    } else if linked.track() == ApiTrack::Newest
        && let Some(problem) = check::other_type(world, engine, component)
    {
        return Err(CompileFault::Problems(vec![problem]));
    }
    let api_version = surface.api_version().unwrap_or_default().to_owned();
    Ok(Program { linked, sha256, size, imports: surface.imports(), api_version, configurable })
}
