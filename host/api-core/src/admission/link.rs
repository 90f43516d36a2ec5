//! Cuts off an answer that its peer does not read.

use std::{fmt, sync::Arc};

/// Ends the HTTP/2 stream of a request, or the HTTP/1 connection. The listener puts it into the extensions of requests.
#[derive(Clone, Default)]
pub struct PeerLink(Option<Arc<dyn Fn() + Send + Sync>>);

impl PeerLink {
    /// `cut` ends the stream or connection of the request. It is called at most once, and must not block.
    pub fn new(cut: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(cut)))
    }

    pub(super) fn cut(&self) {
        if let Some(cut) = &self.0 {
            cut();
        }
    }
}

impl fmt::Debug for PeerLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PeerLink").field(&self.0.is_some()).finish()
    }
}
