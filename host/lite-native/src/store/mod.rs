//! The `Backend` traits of the library over [`DeviceValues`]. Key parts have a line break between them, which no id has.

mod app_sync;
mod device;
#[cfg(test)]
pub(super) mod memory_store;
mod protocol;
mod secrets;
mod signal;
#[cfg(test)]
mod tests;
mod tokens;

use std::sync::Arc;

use channels::whatsapp_lite::values::{DeviceHolder, DeviceValues, ValueChange, ValuesFailed};
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::Mutex;
use whatsapp_rust::wacore::store::error::{Result, StoreError};

pub(super) struct DeviceMemory {
    values: Arc<dyn DeviceValues>,
    holding: DeviceHolder,
    /// One task at a time reads a value in order to change it.
    turn: Mutex<()>,
}

impl DeviceMemory {
    pub(super) fn new(values: Arc<dyn DeviceValues>, holding: DeviceHolder) -> Self {
        Self { values, holding, turn: Mutex::new(()) }
    }

    async fn get(&self, space: &str, key: impl Into<String>) -> Result<Option<Vec<u8>>> {
        let found = self.values.get(&self.holding.number, space, &[key.into()]).await.map_err(store_error)?;
        Ok(found.into_iter().next().map(|(_, value)| value))
    }

    async fn get_all(&self, space: &str, keys: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.values.get(&self.holding.number, space, keys).await.map_err(store_error)
    }

    async fn starting(&self, space: &str, prefix: &str) -> Result<Vec<(String, Vec<u8>)>> {
        self.values.starting(&self.holding.number, space, prefix).await.map_err(store_error)
    }

    async fn write(&self, changes: Vec<ValueChange>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.values.write(&self.holding, changes).await.map_err(store_error)
    }

    async fn keep(&self, space: &'static str, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Result<()> {
        self.write(vec![set_value(space, key, value)]).await
    }

    async fn forget(&self, space: &'static str, key: impl Into<String>) -> Result<()> {
        self.write(vec![delete_value(space, key)]).await
    }

    async fn take(&self, space: &str, key: &str) -> Result<Option<Vec<u8>>> {
        self.values.take(&self.holding, space, key).await.map_err(store_error)
    }

    async fn forget_starting(&self, space: &str, prefix: &str) -> Result<()> {
        self.values.forget_starting(&self.holding, space, prefix).await.map_err(store_error).map(|_| ())
    }

    async fn forget_before(&self, space: &str, moment: i64) -> Result<u32> {
        let forgotten = self.values.forget_before(&self.holding, space, moment).await.map_err(store_error)?;
        Ok(u32::try_from(forgotten).unwrap_or(u32::MAX))
    }
}

fn store_error(failure: ValuesFailed) -> StoreError {
    match failure {
        ValuesFailed::NotHeld => StoreError::Validation(failure.to_string()),
        ValuesFailed::Store(source) => StoreError::Database(source),
    }
}

fn set_value(space: &'static str, key: impl Into<String>, value: impl Into<Vec<u8>>) -> ValueChange {
    ValueChange { space, key: key.into(), value: Some(value.into()), moment: None }
}

fn kept_since(space: &'static str, key: impl Into<String>, value: impl Into<Vec<u8>>, moment: i64) -> ValueChange {
    ValueChange { moment: Some(moment), ..set_value(space, key, value) }
}

fn delete_value(space: &'static str, key: impl Into<String>) -> ValueChange {
    ValueChange { space, key: key.into(), value: None, moment: None }
}

fn key_of(parts: &[&str]) -> String {
    parts.join("\n")
}

fn last_part(key: &str) -> &str {
    key.rsplit('\n').next().unwrap_or(key)
}

fn serialize(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| StoreError::Serialization(Box::new(error)))
}

fn read<T: DeserializeOwned>(value: &[u8]) -> Result<T> {
    serde_json::from_slice(value).map_err(|error| StoreError::Serialization(Box::new(error)))
}
