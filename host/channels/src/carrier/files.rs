//! Files of ours that a provider cannot download. Their bytes are sent with the message.

use async_trait::async_trait;

use crate::media_store::OpenMedia;

pub struct OurFile {
    pub content: OpenMedia,
    pub mime_type: String,
    pub filename: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileUnavailable {
    /// Not now: it is still being downloaded, or the store does not answer.
    #[error("the file cannot be read at the moment: {0}")]
    Yet(String),
    #[error("the file of the message {0}")]
    Ever(&'static str),
}

#[async_trait]
pub trait OurFiles: Send + Sync {
    /// `None` if the provider can download the file: it is not ours, or our addresses can be reached from outside.
    async fn open(&self, url: &str) -> Result<Option<OurFile>, FileUnavailable>;

    /// The media type of a file of ours, also if the provider can download it. `None` if it is not ours or not known.
    async fn media_type(&self, _url: &str) -> Option<String> {
        None
    }
}

#[async_trait]
impl OurFiles for () {
    async fn open(&self, _url: &str) -> Result<Option<OurFile>, FileUnavailable> {
        Ok(None)
    }
}
