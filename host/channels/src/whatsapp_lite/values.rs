//! What a device in our own process must remember from one connection to the next: the keys of its pairing, and of everybody
//! whom it writes to (ADR 0037). Where that is kept is not this crate's matter.

use async_trait::async_trait;

use super::LiteNumber;

/// The device of a number, in the process that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceHolder {
    /// Which number.
    pub number: LiteNumber,
    /// Names the process, as [`super::LiteDevice::start`] was told.
    pub holder: String,
}

/// A value to be kept, or the key of one to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueChange {
    /// What kind of thing it is.
    pub space: &'static str,
    /// Which one.
    pub key: String,
    /// `None` forgets it.
    pub value: Option<Vec<u8>>,
    /// When it was written, or expires, in seconds since 1970; for kinds that are tidied up by age.
    pub moment: Option<i64>,
}

/// Why something was neither kept nor found.
#[derive(Debug, thiserror::Error)]
pub enum ValuesFailed {
    /// The device lives in another process by now: nothing is written.
    #[error("the device of this number is held by another process")]
    NotHeld,
    /// The store.
    #[error("what the device must remember cannot be reached: {0}")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Keeps values under keys, in spaces of one kind each. Whatever a call writes is on disk when it returns, all of it or
/// nothing; calls that write fail unless the device is held as `holding` says.
#[async_trait]
pub trait DeviceValues: Send + Sync + 'static {
    /// Values of some keys; what is not there is left out.
    async fn get(
        &self,
        number: &LiteNumber,
        space: &str,
        keys: &[String],
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed>;

    /// Everything in a space whose key begins with `prefix`, by key.
    async fn starting(
        &self,
        number: &LiteNumber,
        space: &str,
        prefix: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, ValuesFailed>;

    /// Keeps and forgets values; of several changes of one key, the last one counts.
    async fn write(&self, holding: &DeviceHolder, changes: Vec<ValueChange>) -> Result<(), ValuesFailed>;

    /// Forgets a value and answers it: of two who ask for it, one gets it.
    async fn take(&self, holding: &DeviceHolder, space: &str, key: &str) -> Result<Option<Vec<u8>>, ValuesFailed>;

    /// Forgets everything in a space whose key begins with `prefix`.
    async fn forget_starting(&self, holding: &DeviceHolder, space: &str, prefix: &str) -> Result<u64, ValuesFailed>;

    /// Forgets what has a moment before `moment`.
    async fn forget_before(&self, holding: &DeviceHolder, space: &str, moment: i64) -> Result<u64, ValuesFailed>;

    /// Forgets everything of a number: it is paired no more.
    async fn forget(&self, number: &LiteNumber) -> Result<(), ValuesFailed>;
}
