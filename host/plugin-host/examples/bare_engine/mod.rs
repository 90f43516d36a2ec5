//! Components without our host: bare wasmtime with a pool and a fresh store for each call. The baseline of the
//! examples.

use plugin_bindings::patchbay::plugin::{config, conversation, files, http, kv, log, types};
use plugin_host::LogLevel;
use wasmtime::component::{Linker, ResourceTable};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store, StoreLimits,
    StoreLimitsBuilder,
};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An engine with an instance pool and the same settings as the host.
pub fn engine() -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(100)
        .max_core_instances_per_component(60)
        .max_memories_per_component(20)
        .max_tables_per_component(20)
        .max_component_instance_size(8 << 20)
        .max_core_instance_size(8 << 20)
        .table_elements(50_000)
        .max_memory_size(128 << 20)
        .linear_memory_keep_resident(1 << 20)
        .table_keep_resident(64 << 10)
        .pagemap_scan(Enabled::Auto);
    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config.epoch_interruption(true);
    Engine::new(&config)
}

pub fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    Ok(linker)
}

pub fn store(engine: &Engine) -> Store<State> {
    let limits = StoreLimitsBuilder::new().memory_size(96 << 20).build();
    let mut store = Store::new(engine, State { wasi: WasiCtx::builder().build(), table: ResourceTable::new(), limits });
    store.limiter(|state| &mut state.limits);
    store.set_epoch_deadline(1_000);
    store
}

pub struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    limits: StoreLimits,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl types::Host for State {}

impl log::Host for State {
    async fn write(&mut self, _level: LogLevel, _message: String) -> wasmtime::Result<()> {
        Ok(())
    }
}

impl config::Host for State {
    async fn get(&mut self) -> wasmtime::Result<String> {
        Ok("{}".into())
    }
}

impl kv::Host for State {
    async fn get(&mut self, _scope: kv::Scope, _key: String) -> wasmtime::Result<Result<Option<Vec<u8>>, kv::Error>> {
        Ok(Ok(None))
    }

    async fn set(&mut self, _: kv::Scope, _key: String, _value: Vec<u8>) -> wasmtime::Result<Result<(), kv::Error>> {
        Ok(Ok(()))
    }

    async fn set_expiring(
        &mut self,
        _: kv::Scope,
        _key: String,
        _value: Vec<u8>,
        _after_seconds: u32,
    ) -> wasmtime::Result<Result<(), kv::Error>> {
        Ok(Ok(()))
    }

    async fn list_keys(
        &mut self,
        _: kv::Scope,
        _prefix: String,
        _after: Option<String>,
        _most: u32,
    ) -> wasmtime::Result<Result<Vec<String>, kv::Error>> {
        Ok(Ok(Vec::new()))
    }

    async fn delete(&mut self, _scope: kv::Scope, _key: String) -> wasmtime::Result<Result<(), kv::Error>> {
        Ok(Ok(()))
    }
}

impl http::Host for State {
    async fn send(&mut self, _request: http::Request) -> wasmtime::Result<Result<http::Response, http::Error>> {
        Ok(Err(http::Error::Failed("there is no network here".into())))
    }

    async fn start(&mut self, _request: http::Request) -> wasmtime::Result<Result<String, http::Error>> {
        Ok(Err(http::Error::Failed("there is no network here".into())))
    }
}

impl files::Host for State {
    async fn read(
        &mut self,
        _message_id: String,
        _offset: u64,
        _most: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, files::Error>> {
        Ok(Err(files::Error::NotFound))
    }

    async fn write(&mut self, _name: String, _bytes: Vec<u8>) -> wasmtime::Result<Result<String, files::Error>> {
        Ok(Err(files::Error::Other("nothing is stored here".into())))
    }
}

impl conversation::Host for State {
    async fn tags(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn history(&mut self, _most: u32) -> wasmtime::Result<Vec<conversation::PastMessage>> {
        Ok(Vec::new())
    }

    async fn timers(&mut self) -> wasmtime::Result<Vec<conversation::RunningTimer>> {
        Ok(Vec::new())
    }
}

pub fn percentile(sorted: &[std::time::Duration], percent: usize) -> f64 {
    let at = sorted.len().saturating_sub(1) * percent / 100;
    sorted.get(at).map_or(0.0, |took| (took.as_secs_f64() * 1e7).round() / 10.0)
}
