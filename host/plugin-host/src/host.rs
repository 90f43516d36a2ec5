//! The way in: starts everything, answers calls, lists plugins.

use std::path::PathBuf;
use std::sync::Arc;

use wasmtime::Engine;

use crate::built_in::BUILT_INS;
use crate::cache::Cache;
use crate::call::{Call, CallTrace, ChatbotOutcome};
use crate::error::{CallError, HostError};
use crate::gate::Gate;
use crate::key_values::{KeyValueSnapshot, KeyValues};
use crate::limits::Limits;
use crate::loader::{Loader, Program};
use crate::registry::{Loaded, PluginInfo, Registry, Source};
use crate::run::{Answered, run};
use crate::worlds::{DecideFallback, HandleEvent, Question, ShapeBody};
use crate::{World, chatbot, directory, engine, sample, sms_fallback, webhook_shaper};

/// What the host needs to start.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// Where compiled code is kept. Created if need be, and closed to other users.
    pub cache_dir: PathBuf,
    /// A directory of `*.wasm` files that is watched for changes.
    pub plugins_dir: Option<PathBuf>,
    /// Limits of calls.
    pub limits: Limits,
    /// Whether the components that ship with the program are loaded.
    pub built_ins: bool,
}

/// Runs plugins. Cheap to share; dropping the last reference stops watching.
pub struct PluginHost {
    engine: Engine,
    limits: Arc<Limits>,
    loader: Arc<Loader>,
    gate: Gate,
    registry: Registry,
    built_ins: bool,
}

impl PluginHost {
    /// Starts the engine, loads the built-in components and those in the directory, and begins to watch it. A broken
    /// file in the directory does not keep the host from starting.
    ///
    /// # Errors
    /// When the engine, the cache directory, the watched directory or a built-in component cannot be used.
    pub async fn start(config: HostConfig) -> Result<Arc<Self>, HostError> {
        let engine = engine::start(&config.limits).map_err(HostError::Engine)?;
        engine::tick(&engine, config.limits.epoch_tick).map_err(|fault| HostError::Engine(fault.into()))?;
        let cache = Cache::open(&config.cache_dir, &engine)
            .map_err(|source| HostError::Cache { path: config.cache_dir.clone(), source })?;
        let limits = Arc::new(config.limits);
        let host = Arc::new(Self {
            loader: Arc::new(Loader::new(engine.clone(), cache, limits.component_bytes)),
            gate: Gate::new(Arc::clone(&limits)),
            registry: Registry::default(),
            built_ins: config.built_ins,
            engine,
            limits,
        });
        if config.built_ins {
            host.load_built_ins().await?;
        }
        if let Some(path) = config.plugins_dir {
            directory::watch(&host, path).await?;
        }
        Ok(host)
    }

    async fn load_built_ins(&self) -> Result<(), HostError> {
        let loading = BUILT_INS.map(|(name, bytes)| {
            let loader = Arc::clone(&self.loader);
            (name, tokio::spawn(async move { loader.load(bytes.to_vec()).await }))
        });
        for (name, loading) in loading {
            let loaded = loading.await.unwrap_or_else(|fault| Err(vec![fault.to_string()]));
            let program = loaded.map_err(|problems| HostError::BuiltIn { name, problems: problems.join("; ") })?;
            self.registry.add_built_in(name, program);
        }
        Ok(())
    }

    /// Asks a chatbot what to do about an event. Nothing takes effect: the caller applies actions and writes.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn chatbot(
        &self,
        call: Call<'_>,
        event: &chatbot::Event,
        session: &chatbot::Session,
        key_values: Arc<dyn KeyValueSnapshot>,
    ) -> Result<ChatbotOutcome, CallError> {
        let question = HandleEvent { event, session };
        let Answered { answer, writes, trace } = self.ask(&call, KeyValues::new(key_values), &question).await?;
        Ok(ChatbotOutcome { actions: answer, writes, trace })
    }

    /// Asks whether a message is sent as an SMS.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn decide_fallback(
        &self,
        call: Call<'_>,
        undeliverable: &sms_fallback::Undeliverable,
    ) -> Result<(sms_fallback::Decision, CallTrace), CallError> {
        let answered = self.ask(&call, KeyValues::default(), &DecideFallback(undeliverable)).await?;
        Ok((answered.answer, answered.trace))
    }

    /// Asks for the body of a webhook; `None` when the event is not to be sent.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn shape(
        &self,
        call: Call<'_>,
        event: &webhook_shaper::WebhookEvent,
    ) -> Result<(Option<String>, CallTrace), CallError> {
        let answered = self.ask(&call, KeyValues::default(), &ShapeBody(event)).await?;
        Ok((answered.answer, answered.trace))
    }

    /// All plugins, by name, with those that are broken.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        self.registry.list()
    }

    /// One plugin.
    pub fn find(&self, name: &str) -> Option<PluginInfo> {
        self.registry.find(name)
    }

    /// Whether all built-in plugins are loaded and the directory has been read. True once `start` has returned.
    pub fn ready(&self) -> bool {
        !self.built_ins || BUILT_INS.iter().all(|(name, _)| self.registry.get(name).is_some())
    }

    async fn ask<Q: Question>(
        &self,
        call: &Call<'_>,
        key_values: KeyValues,
        question: &Q,
    ) -> Result<Answered<Q::Answer>, CallError> {
        let Some(plugin) = self.registry.get(call.plugin) else {
            return Err(CallError::NotFound { plugin: call.plugin.to_owned() });
        };
        let Ok(_place) = self.gate.enter(call.client).await else {
            return Err(CallError::TooBusy { plugin: call.plugin.to_owned() });
        };
        run(&self.engine, &self.limits, &plugin, call, key_values, question).await
    }

    pub(crate) fn loader(&self) -> &Arc<Loader> {
        &self.loader
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Puts a sample question of its world to a component, under the same limits as any call.
    pub(crate) async fn try_out(&self, name: &str, program: Program) -> Result<Program, String> {
        let plugin = Loaded { name: name.to_owned(), version: 0, source: Source::BuiltIn, program: Arc::new(program) };
        let tried = match plugin.program.linked.world() {
            World::Chatbot => {
                let (event, session) = sample::hello();
                self.trial(&plugin, &HandleEvent { event: &event, session: &session }).await
            }
            World::SmsFallback => self.trial(&plugin, &DecideFallback(&sample::undeliverable())).await,
            World::WebhookShaper => self.trial(&plugin, &ShapeBody(&sample::webhook_event())).await,
        };
        match tried {
            // An error that the plugin returns is an answer: it may lack its configuration here.
            Ok(()) | Err(CallError::Refused { .. }) => Arc::into_inner(plugin.program)
                .ok_or_else(|| "the trial call did not let go of the component".to_owned()),
            Err(error) => Err(format!("the trial call failed: {error}")),
        }
    }

    async fn trial<Q: Question>(&self, plugin: &Loaded, question: &Q) -> Result<(), CallError> {
        let call = sample::call(&plugin.name);
        run(&self.engine, &self.limits, plugin, &call, KeyValues::default(), question).await.map(drop)
    }
}
