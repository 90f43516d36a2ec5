//! The host functions that plugins import: `log`, `kv`, `config`, `http`.

use plugin_bindings::chatbot::patchbay::plugin::{config, http, kv, log, types};

use super::guest::{Guest, Stop};
use super::key_values::KeysWanted;

impl types::Host for Guest {}

impl log::Host for Guest {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        self.count_host_call()?;
        self.keep_log(level, message);
        Ok(())
    }
}

impl config::Host for Guest {
    async fn get(&mut self) -> wasmtime::Result<String> {
        self.count_host_call()?;
        Ok(self.config.clone())
    }
}

impl kv::Host for Guest {
    async fn get(&mut self, scope: kv::Scope, key: String) -> wasmtime::Result<Result<Option<Vec<u8>>, kv::Error>> {
        self.count_host_call()?;
        self.key_values.get(scope, key).await.map_err(|fault| wasmtime::Error::new(Stop::KeyValues(fault)))
    }

    async fn set(&mut self, scope: kv::Scope, key: String, value: Vec<u8>) -> wasmtime::Result<Result<(), kv::Error>> {
        self.count_host_call()?;
        Ok(self.key_values.write(scope, key, (Some(value), None), &self.limits))
    }

    async fn set_expiring(
        &mut self,
        scope: kv::Scope,
        key: String,
        value: Vec<u8>,
        after_seconds: u32,
    ) -> wasmtime::Result<Result<(), kv::Error>> {
        self.count_host_call()?;
        Ok(self.key_values.write(scope, key, (Some(value), Some(after_seconds)), &self.limits))
    }

    async fn delete(&mut self, scope: kv::Scope, key: String) -> wasmtime::Result<Result<(), kv::Error>> {
        self.count_host_call()?;
        Ok(self.key_values.write(scope, key, (None, None), &self.limits))
    }

    async fn list_keys(
        &mut self,
        scope: kv::Scope,
        prefix: String,
        after: Option<String>,
        most: u32,
    ) -> wasmtime::Result<Result<Vec<String>, kv::Error>> {
        self.count_host_call()?;
        let wanted = KeysWanted { prefix, after, most };
        self.key_values.list(scope, wanted).await.map_err(|fault| wasmtime::Error::new(Stop::KeyValues(fault)))
    }
}

impl http::Host for Guest {
    async fn send(&mut self, request: http::Request) -> wasmtime::Result<Result<http::Response, http::Error>> {
        self.count_host_call()?;
        Ok(self.outgoing.send(request, &self.limits).await)
    }
}
