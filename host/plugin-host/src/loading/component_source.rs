//! The source of uploaded components.

use std::error::Error;

use async_trait::async_trait;
use domain::ids::ClientId;

/// Stores the components of clients. The host asks it for a component that is neither loaded nor in the disk cache.
#[async_trait]
pub trait ComponentSource: Send + Sync {
    /// The bytes of an uploaded component by SHA-256 in hexadecimal; `None` if the client has not uploaded it.
    async fn bytes(&self, client: ClientId, sha256: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>>;
}
