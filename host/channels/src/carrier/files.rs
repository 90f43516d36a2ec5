//! Files of ours that a provider cannot download. Their bytes are sent with the message.

use async_trait::async_trait;

use crate::media_store::OpenMedia;

/// A file of ours, open for reading.
pub struct OurFile {
    /// Its bytes.
    pub content: OpenMedia,
    /// MIME type.
    pub mime_type: String,
    /// File name if the message names none.
    pub filename: String,
}

/// A file of ours cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileUnavailable {
    /// Not now: it is still being downloaded, or the store does not answer.
    #[error("the file cannot be read at the moment: {0}")]
    Yet(String),
    /// Never again.
    #[error("the file of the message {0}")]
    Ever(&'static str),
}

/// The files of one client.
#[async_trait]
pub trait OurFiles: Send + Sync {
    /// Opens the file of an address. `None` if the provider can download it: it is not ours, or our addresses can be
    /// reached from outside.
    async fn open(&self, url: &str) -> Result<Option<OurFile>, FileUnavailable>;
}

/// For messages whose addresses can all be fetched.
#[async_trait]
impl OurFiles for () {
    async fn open(&self, _url: &str) -> Result<Option<OurFile>, FileUnavailable> {
        Ok(None)
    }
}
