//! Runs the initialisation of a component at the build, and stores the state after it in the component (ADR 0074).
//!
//! A program must not read anything while it starts that differs between calls: every call would see the value of the
//! build.

mod instance_reader;
mod refusal;
mod start_state;

use std::{sync::Arc, thread, time::Duration};

use tokio::time::timeout;
use wasmtime::{
    Engine, Store,
    component::{Component, Linker, types::ComponentItem},
};
use wasmtime_wizer::Wizer;

use crate::{calling::limits::CallLimits, engine};
use instance_reader::InstanceReader;
pub use refusal::SnapshotRefusal;
use start_state::{StartReads, StartState};

const TICK: Duration = Duration::from_millis(100);

/// Returns the component with the state after its initialisation. Blocks.
///
/// `guarded` is the same component with traps in place of functions that draw random numbers without an import. It is the
/// one that runs. The initialisation has the memory of a call, and the time that compiling has.
pub fn snapshot(component: &[u8], guarded: &[u8], limits: &CallLimits) -> Result<Vec<u8>, SnapshotRefusal> {
    // A thread of its own, because the caller may be a task of a runtime.
    let taken = thread::scope(|scope| scope.spawn(|| take_in_runtime(component, guarded, limits)).join());
    taken.unwrap_or_else(|_| Err(SnapshotRefusal::Form("the state could not be read".to_owned())))
}

fn take_in_runtime(component: &[u8], guarded: &[u8], limits: &CallLimits) -> Result<Vec<u8>, SnapshotRefusal> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.map_err(|fault| SnapshotRefusal::Form(fault.to_string()))?.block_on(take(component, guarded, limits))
}

async fn take(component: &[u8], guarded: &[u8], limits: &CallLimits) -> Result<Vec<u8>, SnapshotRefusal> {
    let wizer = Wizer::new();
    let (context, _) = wizer.instrument_component(component)?;
    let (_, instrumented) = wizer.instrument_component(guarded)?;
    let engine = engine::on_demand()?;
    engine::tick(&engine, TICK).map_err(|fault| SnapshotRefusal::Form(fault.to_string()))?;
    let program = Component::new(&engine, &instrumented)?;
    let mut linker: Linker<StartState> = Linker::new(&engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    refuse_imports(&mut linker, &engine, &program)?;

    let reads = Arc::new(StartReads::default());
    let mut store = Store::new(&engine, StartState::new(component, limits, &reads));
    store.limiter(|state| &mut state.limits);
    let ticks = limits.compile_cpu.as_millis() / TICK.as_millis();
    store.set_epoch_deadline(u64::try_from(ticks).unwrap_or(u64::MAX));
    let started = timeout(limits.compile_cpu, linker.instantiate_async(&mut store, &program)).await;
    let printed = store.data().output.text().text;
    let instance = match started {
        Ok(Ok(instance)) => instance,
        Ok(Err(fault)) => return Err(SnapshotRefusal::of_trap(&fault, &printed, limits.compile_cpu)),
        Err(_) => return Err(SnapshotRefusal::TooLong(limits.compile_cpu)),
    };
    reads.judge()?;
    if !printed.is_empty() {
        return Err(SnapshotRefusal::Output(printed));
    }
    let mut reader = InstanceReader { store: &mut store, instance, fault: None };
    let taken = wizer.snapshot_component(&context, &mut reader).await?;
    reader.fault.map_or(Ok(taken), |fault| Err(fault.into()))
}

/// Links the functions of all interfaces except those of WASI. They end the initialisation.
fn refuse_imports(linker: &mut Linker<StartState>, engine: &Engine, program: &Component) -> wasmtime::Result<()> {
    for (name, item) in program.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(interface) = item.ty else { continue };
        if name.starts_with("wasi:") {
            continue;
        }
        let mut instance = linker.instance(name)?;
        for (function, item) in interface.exports(engine) {
            let ComponentItem::ComponentFunc(_) = item.ty else { continue };
            let refusal = SnapshotRefusal::Import(format!("{name}#{function}"));
            instance.func_new(function, move |_, _, _, _| Err(wasmtime::Error::new(refusal.clone())))?;
        }
    }
    Ok(())
}
