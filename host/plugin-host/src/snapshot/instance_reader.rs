//! Reads the state of an instance through the functions that Wizer adds to it.

use wasmtime::{
    Store,
    component::{Instance, Lift, WasmList},
};
use wasmtime_wizer::ComponentInstanceState;

use super::start_state::StartState;

pub(super) struct InstanceReader<'a> {
    pub(super) store: &'a mut Store<StartState>,
    pub(super) instance: Instance,
    /// The first fault. The state is then incomplete.
    pub(super) fault: Option<wasmtime::Error>,
}

impl InstanceReader<'_> {
    async fn read<R: Lift + Send + Sync + 'static>(&mut self, interface: &str, name: &str) -> Option<R> {
        let read = self.try_read(interface, name).await;
        read.map_err(|fault| self.fault.get_or_insert(fault)).ok()
    }

    async fn try_read<R: Lift + Send + Sync + 'static>(&mut self, interface: &str, name: &str) -> wasmtime::Result<R> {
        let missing = || wasmtime::Error::msg(format!("{interface} has no {name}"));
        let interface = self.instance.get_export_index(&mut *self.store, None, interface).ok_or_else(missing)?;
        let function = self.instance.get_export_index(&mut *self.store, Some(&interface), name).ok_or_else(missing)?;
        let function = self.instance.get_typed_func::<(), (R,)>(&mut *self.store, function)?;
        function.call_async(&mut *self.store, ()).await.map(|(value,)| value)
    }
}

impl ComponentInstanceState for InstanceReader<'_> {
    async fn call_func_ret_list_u8(&mut self, instance: &str, func: &str, contents: impl FnOnce(&[u8]) + Send) {
        if let Some(list) = self.read::<WasmList<u8>>(instance, func).await {
            contents(list.as_le_slice(&*self.store));
        }
    }

    async fn call_func_ret_s32(&mut self, instance: &str, func: &str) -> i32 {
        self.read(instance, func).await.unwrap_or_default()
    }

    async fn call_func_ret_s64(&mut self, instance: &str, func: &str) -> i64 {
        self.read(instance, func).await.unwrap_or_default()
    }

    async fn call_func_ret_f32(&mut self, instance: &str, func: &str) -> u32 {
        self.read(instance, func).await.map(f32::to_bits).unwrap_or_default()
    }

    async fn call_func_ret_f64(&mut self, instance: &str, func: &str) -> u64 {
        self.read(instance, func).await.map(f64::to_bits).unwrap_or_default()
    }
}
