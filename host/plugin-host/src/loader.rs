//! From bytes to something that can be called: check, compile, link.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker};

use plugin_bindings::chatbot::{Chatbot, ChatbotPre};
use plugin_bindings::sms_fallback::{SmsFallback, SmsFallbackPre};
use plugin_bindings::webhook_shaper::{WebhookShaper, WebhookShaperPre};

use crate::World;
use crate::cache::Cache;
use crate::check;
use crate::guest::Guest;

/// A component that is linked and type-checked; instances of it start in microseconds.
pub(crate) enum Linked {
    Chatbot(ChatbotPre<Guest>),
    SmsFallback(SmsFallbackPre<Guest>),
    WebhookShaper(WebhookShaperPre<Guest>),
}

impl Linked {
    pub(crate) fn world(&self) -> World {
        match self {
            Self::Chatbot(_) => World::Chatbot,
            Self::SmsFallback(_) => World::SmsFallback,
            Self::WebhookShaper(_) => World::WebhookShaper,
        }
    }
}

/// A component ready to be called.
pub(crate) struct Program {
    pub(crate) linked: Linked,
    pub(crate) sha256: String,
    pub(crate) size: u64,
    pub(crate) imports: Vec<String>,
}

/// Loads components for one engine.
pub(crate) struct Loader {
    engine: Engine,
    cache: Cache,
    most_bytes: usize,
}

impl Loader {
    pub(crate) fn new(engine: Engine, cache: Cache, most_bytes: usize) -> Self {
        Self { engine, cache, most_bytes }
    }

    /// Checks, compiles and links on a thread that may block.
    ///
    /// # Errors
    /// What is wrong, in words for the author of the component.
    pub(crate) async fn load(self: &Arc<Self>, bytes: Vec<u8>) -> Result<Program, Vec<String>> {
        let loader = Arc::clone(self);
        let loaded = tokio::task::spawn_blocking(move || loader.load_blocking(&bytes)).await;
        // Bytes of a stranger may make the compiler panic.
        loaded.unwrap_or_else(|fault| Err(vec![format!("the compiler failed on this component: {fault}")]))
    }

    fn load_blocking(&self, bytes: &[u8]) -> Result<Program, Vec<String>> {
        if bytes.len() > self.most_bytes {
            return Err(vec![format!("the file has {} bytes; {} are allowed", bytes.len(), self.most_bytes)]);
        }
        check::header(bytes).map_err(|problem| vec![problem])?;
        let sha256 = hex::encode(Sha256::digest(bytes));
        let component =
            self.cache.compile(&self.engine, &sha256, bytes).map_err(|fault| vec![check::invalid(&fault)])?;
        let surface = check::Surface::of(&self.engine, &component);
        let world = surface.judge()?;
        let linked = link(&self.engine, world, &component).map_err(|fault| vec![check::mismatch(world, &fault)])?;
        Ok(Program { linked, sha256, size: bytes.len() as u64, imports: surface.imports })
    }
}

/// Links a component against what its world grants, and checks the types of its exports.
pub(crate) fn link(engine: &Engine, world: World, component: &Component) -> wasmtime::Result<Linked> {
    let mut linker: Linker<Guest> = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    match world {
        World::Chatbot => Chatbot::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::SmsFallback => SmsFallback::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
        World::WebhookShaper => WebhookShaper::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?,
    }
    let pre: InstancePre<Guest> = linker.instantiate_pre(component)?;
    Ok(match world {
        World::Chatbot => Linked::Chatbot(ChatbotPre::new(pre)?),
        World::SmsFallback => Linked::SmsFallback(SmsFallbackPre::new(pre)?),
        World::WebhookShaper => Linked::WebhookShaper(WebhookShaperPre::new(pre)?),
    })
}
