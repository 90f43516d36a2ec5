//! The start of a host: its engine, its built-in plugins, and the watched directory.

use std::sync::Arc;

use crate::{
    calling::host_calls::HttpWithTimeout,
    compile::{CompileFault, CompilePurpose, CompileScheduler},
    engine,
    error::HostError,
    fairness::{breaker::Breakers, call_limiter::CallLimiter, threads::CallThreads},
    host::PluginHost,
    host_config::HostConfig,
    loading::{
        built_in_components::BUILT_INS, cache::Cache, directory, loader::Loader, programs::Programs,
        registry::PluginRegistry,
    },
};

impl PluginHost {
    /// Starts the engine, loads built-in components and those in the directory, and watches it. A broken file in the
    /// directory does not stop the start.
    pub async fn start(config: HostConfig) -> Result<Arc<Self>, HostError> {
        let (engine, pooled) = engine::start(&config.limits).map_err(HostError::Engine)?;
        engine::tick(&engine, config.limits.epoch_tick).map_err(|fault| HostError::Engine(fault.into()))?;
        let cache = Cache::open(&config.cache_dir, &engine, config.cache_bytes)
            .map_err(|source| HostError::Cache { path: config.cache_dir.clone(), source })?;
        let (cache, limits) = (Arc::new(cache), Arc::new(config.limits));
        let scheduler =
            CompileScheduler::new(config.compiler, engine.clone(), pooled, Arc::clone(&cache), Arc::clone(&limits));
        let loader = Arc::new(Loader::new(engine.clone(), cache, scheduler, limits.component_bytes));
        let host = Arc::new(Self {
            programs: Programs::new(Arc::clone(&loader), config.components, limits.loaded_plugins),
            loader,
            call_limiter: CallLimiter::new(Arc::clone(&limits)),
            threads: CallThreads::start().map_err(|fault| HostError::Engine(fault.into()))?,
            breakers: Breakers::new(Arc::clone(&limits)),
            http: Arc::new(HttpWithTimeout(config.http)),
            secrets: config.secrets,
            registry: PluginRegistry::default(),
            built_ins: config.built_ins,
            alone: config.alone,
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
        let start = |(name, bytes): &(&'static str, &'static [u8])| {
            let (loader, bytes) = (Arc::clone(&self.loader), *bytes);
            (*name, tokio::spawn(async move { loader.load(bytes.to_vec(), CompilePurpose::BuiltIn).await }))
        };
        // All begin before the first is waited for.
        let loading: Vec<_> = BUILT_INS.iter().map(start).collect();
        for (name, loading) in loading {
            let loaded = loading.await.unwrap_or_else(|fault| Err(CompileFault::Host(fault.to_string())));
            let program = loaded.map_err(|fault| HostError::BuiltIn { name, problems: fault.to_string() })?;
            self.registry.add_built_in(name, program);
        }
        Ok(())
    }
}
