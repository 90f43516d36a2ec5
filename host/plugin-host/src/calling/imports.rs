//! The host functions that plugins import: `log`, `kv`, `config`, `http`. Others are in `conversation.rs` and
//! `files.rs`.

use plugin_bindings::patchbay::plugin::{config, http, kv, log, types};

use super::{
    guest::GuestState,
    key_values::{KeysWanted, WrittenValue},
    outgoing_http,
    stop::Stop,
};

impl types::Host for GuestState {}

impl log::Host for GuestState {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        self.count_host_call()?;
        self.keep_log(level, message);
        Ok(())
    }
}

impl config::Host for GuestState {
    async fn get(&mut self) -> wasmtime::Result<String> {
        self.count_host_call()?;
        Ok(self.config.clone())
    }
}

impl GuestState {
    /// Writes a key. `written` is the value (`None` deletes it) and the seconds after which it expires.
    fn write(
        &mut self,
        scope: kv::Scope,
        key: String,
        written: WrittenValue,
    ) -> wasmtime::Result<Result<(), kv::Error>> {
        let result = self.key_values.write(scope, key, written, &self.limits);
        self.count_held()?;
        Ok(result)
    }
}

impl kv::Host for GuestState {
    async fn get(&mut self, scope: kv::Scope, key: String) -> wasmtime::Result<Result<Option<Vec<u8>>, kv::Error>> {
        self.count_host_call()?;
        let held = self.key_values.held_bytes();
        let read =
            self.key_values.get(scope, key).await.map_err(|fault| wasmtime::Error::new(Stop::KeyValues(fault)))?;
        self.count_held()?;
        self.count_recorded(self.key_values.held_bytes() - held)?;
        Ok(read)
    }

    async fn set(&mut self, scope: kv::Scope, key: String, value: Vec<u8>) -> wasmtime::Result<Result<(), kv::Error>> {
        self.count_host_call()?;
        self.write(scope, key, (Some(value), None))
    }

    async fn set_expiring(
        &mut self,
        scope: kv::Scope,
        key: String,
        value: Vec<u8>,
        after_seconds: u32,
    ) -> wasmtime::Result<Result<(), kv::Error>> {
        self.count_host_call()?;
        self.write(scope, key, (Some(value), Some(after_seconds)))
    }

    async fn delete(&mut self, scope: kv::Scope, key: String) -> wasmtime::Result<Result<(), kv::Error>> {
        self.count_host_call()?;
        self.write(scope, key, (None, None))
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
        let listed = self.key_values.list(scope, wanted).await;
        let listed = listed.map_err(|fault| wasmtime::Error::new(Stop::KeyValues(fault)))?;
        self.count_recorded(listed.iter().flatten().map(String::len).sum())?;
        Ok(listed)
    }
}

impl http::Host for GuestState {
    async fn send(&mut self, request: http::Request) -> wasmtime::Result<Result<http::Response, http::Error>> {
        self.count_request(&request)?;
        let headers = |headers: &[(String, String)]| outgoing_http::size(headers).1;
        let sent = self.outgoing.send(request, &self.limits).await;
        let response_bytes = sent.as_ref().map_or(0, |response| headers(&response.headers) + response.body.len());
        self.count_recorded(response_bytes)?;
        Ok(sent)
    }

    async fn start(&mut self, request: http::Request) -> wasmtime::Result<Result<String, http::Error>> {
        self.count_request(&request)?;
        Ok(self.outgoing.start(request, &self.limits))
    }
}

impl GuestState {
    /// Counts a request toward the limits of host calls and recordings.
    fn count_request(&mut self, request: &http::Request) -> wasmtime::Result<()> {
        self.count_host_call()?;
        let body = request.body.as_ref().map_or(0, Vec::len);
        self.count_recorded(request.url.len() + outgoing_http::size(&request.headers).1 + body)
    }
}
