//! The keys that a device in our own process needs at the next connection (ADR 0037).

use async_trait::async_trait;

use super::LiteNumber;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceHolder {
    pub number: LiteNumber,
    pub holder: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueChange {
    pub space: &'static str,
    pub key: String,
    pub value: Option<Vec<u8>>,
    /// When it was written or expires, in seconds since 1970; for kinds that are removed by age.
    pub moment: Option<i64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ValuesFailed {
    /// Another process holds the device now: nothing is written.
    #[error("the device of this number is held by another process")]
    NotHeld,
    #[error("the stored values of the device cannot be read or written: {0}")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A call that writes is on disk, whole or not at all, when it returns, and fails unless `holding` holds the device.
#[async_trait]
pub trait DeviceValues: Send + Sync + 'static {
    /// Missing keys are left out.
    async fn get(
        &self,
        number: &LiteNumber,
        space: &str,
        keys: &[String],
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed>;

    async fn starting(
        &self,
        number: &LiteNumber,
        space: &str,
        prefix: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed>;

    async fn write(&self, holding: &DeviceHolder, changes: Vec<ValueChange>) -> Result<(), ValuesFailed>;

    /// Removes a value and returns it: of two calls, one gets it.
    async fn take(&self, holding: &DeviceHolder, space: &str, key: &str) -> Result<Option<Vec<u8>>, ValuesFailed>;

    async fn forget_starting(&self, holding: &DeviceHolder, space: &str, prefix: &str) -> Result<u64, ValuesFailed>;

    async fn forget_before(&self, holding: &DeviceHolder, space: &str, moment: i64) -> Result<u64, ValuesFailed>;

    async fn forget(&self, number: &LiteNumber) -> Result<(), ValuesFailed>;
}
