//! Components that were built for the track before the newest: their imports under the names of that track, and calls
//! of their exports. To a component, types of the same structure are the same type, so only the types that differ have
//! types of their own (`plugin_bindings::track_0_1`).

use plugin_bindings::chatbot::patchbay::plugin::{config, http, kv, log};
use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, ComponentNamedList, InstancePre, Lift, Linker, Lower};

use crate::World;
use crate::calling::guest::GuestState;

const PACKAGE: &str = "patchbay:plugin";
/// The last release of the track. Components of its earlier releases fit it.
const VERSION: &str = "0.1.1";

pub(crate) struct OlderComponent {
    world: World,
    pre: InstancePre<GuestState>,
    function: ComponentExportIndex,
    schema: Option<ComponentExportIndex>,
}

impl OlderComponent {
    /// `export` and `configuration` are the full names of the interfaces that it exports.
    pub(crate) fn new(
        world: World,
        pre: InstancePre<GuestState>,
        export: &str,
        configuration: Option<&str>,
    ) -> wasmtime::Result<Self> {
        let function = function(pre.component(), export, world.exported_function())?;
        let schema = configuration.map(|name| function_of_schema(pre.component(), name)).transpose()?;
        Ok(Self { world, pre, function, schema })
    }

    pub(crate) fn world(&self) -> World {
        self.world
    }

    pub(crate) fn instance_pre(&self) -> &InstancePre<GuestState> {
        &self.pre
    }

    /// Starts an instance and calls the function of its world.
    pub(crate) async fn ask<Asked, Answer>(
        &self,
        store: &mut Store<GuestState>,
        asked: Asked,
    ) -> wasmtime::Result<Answer>
    where
        Asked: ComponentNamedList + Lower + Send + Sync,
        Answer: Lift + Send + Sync + 'static,
    {
        self.call(store, &self.function, asked).await
    }

    /// Starts an instance and reads the schema of its configuration; `None` if it exports none.
    pub(crate) async fn schema(&self, store: &mut Store<GuestState>) -> Option<wasmtime::Result<String>> {
        Some(self.call(store, self.schema.as_ref()?, ()).await)
    }

    async fn call<Asked, Answer>(
        &self,
        store: &mut Store<GuestState>,
        function: &ComponentExportIndex,
        asked: Asked,
    ) -> wasmtime::Result<Answer>
    where
        Asked: ComponentNamedList + Lower + Send + Sync,
        Answer: Lift + Send + Sync + 'static,
    {
        let instance = self.pre.instantiate_async(&mut *store).await?;
        let function = instance.get_typed_func::<Asked, (Answer,)>(&mut *store, function)?;
        let (answer,) = function.call_async(&mut *store, asked).await?;
        Ok(answer)
    }
}

fn function_of_schema(component: &Component, configuration: &str) -> wasmtime::Result<ComponentExportIndex> {
    function(component, configuration, "schema")
}

fn function(component: &Component, interface: &str, name: &str) -> wasmtime::Result<ComponentExportIndex> {
    let lacks = || wasmtime::Error::msg(format!("export `{interface}` lacks the function `{name}`"));
    let instance = component.get_export_index(None, interface).ok_or_else(lacks)?;
    component.get_export_index(Some(&instance), name).ok_or_else(lacks)
}

/// Links the interfaces that a world of the track before may import.
pub(crate) fn add_to_linker(linker: &mut Linker<GuestState>, world: World) -> wasmtime::Result<()> {
    for interface in world.granted_interfaces() {
        match *interface {
            "log" => add_log(linker)?,
            "config" => add_config(linker)?,
            "kv" => add_key_values(linker)?,
            "http" => add_http(linker)?,
            // This interface has only types.
            other => {
                linker.instance(&format!("{PACKAGE}/{other}@{VERSION}"))?;
            }
        }
    }
    Ok(())
}

fn add_log(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&format!("{PACKAGE}/log@{VERSION}"))?;
    interface.func_wrap_async("write", |mut store, (level, message): (log::Level, String)| {
        Box::new(async move { log::Host::write(store.data_mut(), level, message).await })
    })
}

fn add_config(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&format!("{PACKAGE}/config@{VERSION}"))?;
    interface.func_wrap_async("get", |mut store, (): ()| {
        Box::new(async move { Ok((config::Host::get(store.data_mut()).await?,)) })
    })
}

fn add_key_values(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&format!("{PACKAGE}/kv@{VERSION}"))?;
    interface.func_wrap_async("get", |mut store, (scope, key): (kv::Scope, String)| {
        Box::new(async move { Ok((kv::Host::get(store.data_mut(), scope, key).await?,)) })
    })?;
    interface.func_wrap_async("set", |mut store, (scope, key, value): (kv::Scope, String, Vec<u8>)| {
        Box::new(async move { Ok((kv::Host::set(store.data_mut(), scope, key, value).await?,)) })
    })?;
    interface.func_wrap_async("delete", |mut store, (scope, key): (kv::Scope, String)| {
        Box::new(async move { Ok((kv::Host::delete(store.data_mut(), scope, key).await?,)) })
    })
}

fn add_http(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&format!("{PACKAGE}/http@{VERSION}"))?;
    interface.func_wrap_async("send", |mut store, (request,): (http::Request,)| {
        Box::new(async move { Ok((http::Host::send(store.data_mut(), request).await?,)) })
    })
}
