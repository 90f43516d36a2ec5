//! The imports of components for the tracks before the newest. To a component, types of the same structure are the same,
//! so only the others are defined again (`plugin_bindings::track_0_1`, `track_0_2`).

use plugin_bindings::patchbay::plugin::{config, http, kv, log};
use wasmtime::component::{Linker, LinkerInstance};

use crate::World;
use crate::calling::guest::GuestState;

const PACKAGE: &str = "patchbay:plugin";
/// The last release of each track. Components of its earlier releases fit it.
const FIRST: &str = "0.1.1";
const SECOND: &str = "0.2.1";

/// Links the interfaces that a world of the tracks before may import.
pub(crate) fn add_to_linker(linker: &mut Linker<GuestState>, world: World) -> wasmtime::Result<()> {
    for version in [FIRST, SECOND] {
        for interface in world.row().grants {
            let mut instance = linker.instance(&format!("{PACKAGE}/{interface}@{version}"))?;
            match *interface {
                "log" => add_log(&mut instance)?,
                "config" => add_config(&mut instance)?,
                "kv" => add_key_values(&mut instance, version)?,
                "http" => add_http(&mut instance)?,
                // `types` has no functions, and the tracks before have no other interface to import.
                _ => {}
            }
        }
    }
    Ok(())
}

fn add_log(interface: &mut LinkerInstance<'_, GuestState>) -> wasmtime::Result<()> {
    interface.func_wrap_async("write", |mut store, (level, message): (log::Level, String)| {
        Box::new(async move { log::Host::write(store.data_mut(), level, message).await })
    })
}

fn add_config(interface: &mut LinkerInstance<'_, GuestState>) -> wasmtime::Result<()> {
    interface.func_wrap_async("get", |mut store, (): ()| {
        Box::new(async move { Ok((config::Host::get(store.data_mut()).await?,)) })
    })
}

fn add_key_values(interface: &mut LinkerInstance<'_, GuestState>, version: &str) -> wasmtime::Result<()> {
    interface.func_wrap_async("get", |mut store, (scope, key): (kv::Scope, String)| {
        Box::new(async move { Ok((kv::Host::get(store.data_mut(), scope, key).await?,)) })
    })?;
    interface.func_wrap_async("set", |mut store, (scope, key, value): (kv::Scope, String, Vec<u8>)| {
        Box::new(async move { Ok((kv::Host::set(store.data_mut(), scope, key, value).await?,)) })
    })?;
    interface.func_wrap_async("delete", |mut store, (scope, key): (kv::Scope, String)| {
        Box::new(async move { Ok((kv::Host::delete(store.data_mut(), scope, key).await?,)) })
    })?;
    if version == FIRST {
        return Ok(());
    }
    interface.func_wrap_async(
        "set-expiring",
        |mut store, (scope, key, value, seconds): (kv::Scope, String, Vec<u8>, u32)| {
            Box::new(async move { Ok((kv::Host::set_expiring(store.data_mut(), scope, key, value, seconds).await?,)) })
        },
    )?;
    interface.func_wrap_async(
        "list-keys",
        |mut store, (scope, prefix, after, most): (kv::Scope, String, Option<String>, u32)| {
            Box::new(async move { Ok((kv::Host::list_keys(store.data_mut(), scope, prefix, after, most).await?,)) })
        },
    )
}

fn add_http(interface: &mut LinkerInstance<'_, GuestState>) -> wasmtime::Result<()> {
    interface.func_wrap_async("send", |mut store, (request,): (http::Request,)| {
        Box::new(async move { Ok((http::Host::send(store.data_mut(), request).await?,)) })
    })
}
