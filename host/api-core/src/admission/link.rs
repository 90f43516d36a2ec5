//! The connection of a request, as its listener knows it.

use std::{fmt, sync::Arc};

use axum::http::Extensions;
use base::Pace;

/// Ends the HTTP/2 stream of a request, or the HTTP/1 connection, and has the processor time of its peer. The listener
/// puts it into the extensions of requests.
#[derive(Clone, Default)]
pub struct PeerLink {
    cut: Option<Arc<dyn Fn() + Send + Sync>>,
    pace: Option<Arc<Pace>>,
    received: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl PeerLink {
    /// The link of the request with these extensions.
    pub(super) fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// `cut` ends the stream or connection of the request. It is called at most once, and must not block.
    pub fn new(cut: impl Fn() + Send + Sync + 'static) -> Self {
        Self { cut: Some(Arc::new(cut)), ..Self::default() }
    }

    /// The same for a peer whose processor time is bounded.
    #[must_use]
    pub fn with_pace(self, pace: Option<Arc<Pace>>) -> Self {
        Self { pace, ..self }
    }

    /// `received` is called after each frame of a WebSocket. Until then the listener counts its bytes.
    #[must_use]
    pub fn with_received(self, received: impl Fn() + Send + Sync + 'static) -> Self {
        Self { received: Some(Arc::new(received)), ..self }
    }

    pub(super) fn note_received(&self) {
        if let Some(received) = &self.received {
            received();
        }
    }

    pub(crate) fn pace(&self) -> Option<Arc<Pace>> {
        self.pace.clone()
    }

    pub(super) fn cut(&self) {
        if let Some(cut) = &self.cut {
            cut();
        }
    }
}

impl fmt::Debug for PeerLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PeerLink").field(&self.cut.is_some()).finish()
    }
}
