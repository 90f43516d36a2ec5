//! Links a component with the interfaces of its world, and calls its function, in any supported version of the
//! interface.

use plugin_bindings::{
    exports::patchbay::plugin::validation::Finding,
    patchbay::plugin::{config, conversation, files, http, kv, log, types},
};
use wasmtime::{
    Engine, Store,
    component::{
        Component, ComponentExportIndex, ComponentNamedList, HasSelf, InstancePre, Lift, Linker, Lower, TypedFunc,
    },
};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;

use super::older_track;
use crate::{
    World,
    calling::guest::GuestState,
    check::component_interface::{ApiTrack, ComponentInterface},
};

pub(crate) struct LinkedComponent {
    world: World,
    track: ApiTrack,
    pre: InstancePre<GuestState>,
    function: ComponentExportIndex,
    /// The function that returns the schema of its configuration.
    schema: Option<ComponentExportIndex>,
    /// The function that judges its configuration.
    validation: Option<ComponentExportIndex>,
}

impl LinkedComponent {
    pub(crate) fn world(&self) -> World {
        self.world
    }

    pub(crate) fn track(&self) -> ApiTrack {
        self.track
    }

    pub(crate) async fn ask<Parameters, Answer>(
        &self,
        store: &mut Store<GuestState>,
        parameters: Parameters,
    ) -> wasmtime::Result<Answer>
    where
        Parameters: ComponentNamedList + Lower + Send + Sync,
        Answer: Lift + Send + Sync + 'static,
    {
        let function = self.start(store, &self.function).await?;
        let (answer,) = function.call_async(store, parameters).await?;
        Ok(answer)
    }

    /// Starts an instance and calls its function for each of several parameters, until an error of the plugin.
    pub(crate) async fn ask_several<Parameters, Answer, Fault>(
        &self,
        store: &mut Store<GuestState>,
        parameters: impl ExactSizeIterator<Item = Parameters>,
    ) -> wasmtime::Result<Result<Vec<Answer>, Fault>>
    where
        Parameters: ComponentNamedList + Lower + Send + Sync,
        Result<Answer, Fault>: Lift + Send + Sync + 'static,
    {
        let function = self.start::<Parameters, Result<Answer, Fault>>(store, &self.function).await?;
        let mut answers = Vec::with_capacity(parameters.len());
        for parameters in parameters {
            match function.call_async(&mut *store, parameters).await? {
                (Ok(answer),) => answers.push(answer),
                (Err(fault),) => return Ok(Err(fault)),
            }
        }
        Ok(Ok(answers))
    }

    pub(crate) async fn schema(&self, store: &mut Store<GuestState>) -> Option<wasmtime::Result<String>> {
        let schema = self.schema.as_ref()?;
        let read = async {
            let function = self.start::<(), String>(store, schema).await?;
            let (schema,) = function.call_async(store, ()).await?;
            Ok(schema)
        };
        Some(read.await)
    }

    pub(crate) async fn validate(
        &self,
        store: &mut Store<GuestState>,
        config: &str,
    ) -> Option<wasmtime::Result<Vec<Finding>>> {
        let validation = self.validation.as_ref()?;
        let judge = async {
            let function = self.start::<(&str,), Vec<Finding>>(store, validation).await?;
            let (findings,) = function.call_async(store, (config,)).await?;
            Ok(findings)
        };
        Some(judge.await)
    }

    async fn start<Parameters, Answer>(
        &self,
        store: &mut Store<GuestState>,
        function: &ComponentExportIndex,
    ) -> wasmtime::Result<TypedFunc<Parameters, (Answer,)>>
    where
        Parameters: ComponentNamedList + Lower + Send + Sync,
        Answer: Lift + Send + Sync + 'static,
    {
        let instance = self.pre.instantiate_async(&mut *store).await?;
        instance.get_typed_func(store, function)
    }
}

/// Links a component with the interfaces that its world grants, and finds the functions that the host calls.
pub(crate) fn link(
    engine: &Engine,
    world: World,
    surface: &ComponentInterface,
    component: &Component,
) -> wasmtime::Result<LinkedComponent> {
    let mut linker: Linker<GuestState> = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    // Timers follow the clock of the guest, not that of the host.
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?;
    linker.allow_shadowing(false);
    add_to_linker(&mut linker, world)?;
    older_track::add_to_linker(&mut linker, world)?;
    let pre: InstancePre<GuestState> = linker.instantiate_pre(component)?;
    let export = surface.main_export().unwrap_or_default();
    let function = find_export(component, export, world.row().function)?;
    let schema = surface.configuration_export().map(|name| find_export(component, name, "schema")).transpose()?;
    let validation = surface.validation_export().map(|name| find_export(component, name, "validate")).transpose()?;
    Ok(LinkedComponent { world, track: surface.track(), pre, function, schema, validation })
}

/// Links the interfaces of the newest track that a world may import.
fn add_to_linker(linker: &mut Linker<GuestState>, world: World) -> wasmtime::Result<()> {
    for interface in world.row().grants {
        match *interface {
            "types" => types::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            "log" => log::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            "config" => config::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            "kv" => kv::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            "conversation" => conversation::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            "files" => files::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            "http" => http::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?,
            other => return Err(wasmtime::Error::msg(format!("the host has no interface `{other}`"))),
        }
    }
    Ok(())
}

fn find_export(component: &Component, interface: &str, name: &str) -> wasmtime::Result<ComponentExportIndex> {
    let lacks = || wasmtime::Error::msg(format!("export `{interface}` lacks the function `{name}`"));
    let instance = component.get_export_index(None, interface).ok_or_else(lacks)?;
    component.get_export_index(Some(&instance), name).ok_or_else(lacks)
}
