//! Where the bytes of uploaded components come from.

use std::error::Error;

use async_trait::async_trait;
use domain::ids::ClientId;

/// Keeps the components that clients have uploaded. The host asks it for what is neither loaded nor in its disk cache.
#[async_trait]
pub trait ComponentSource: Send + Sync {
    /// The bytes of a component that this client has uploaded, by their hash in hexadecimal; `None` when it has not.
    ///
    /// # Errors
    /// When the bytes cannot be read now; the call that needed them may be made again.
    async fn bytes(&self, client: ClientId, sha256: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>>;
}
