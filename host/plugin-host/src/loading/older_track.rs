//! The imports of components for the track before the newest. To a component, types of the same structure are the same,
//! so only the others are defined again (`plugin_bindings::track_0_1`).

use plugin_bindings::patchbay::plugin::{config, http, kv, log};
use wasmtime::component::Linker;

use crate::World;
use crate::calling::guest::GuestState;

const PACKAGE: &str = "patchbay:plugin";
/// The last release of the track. Components of its earlier releases fit it.
const VERSION: &str = "0.1.1";

/// Links the interfaces that a world of the track before may import.
pub(crate) fn add_to_linker(linker: &mut Linker<GuestState>, world: World) -> wasmtime::Result<()> {
    for interface in world.row().grants {
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
