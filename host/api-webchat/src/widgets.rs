//! The state that the widgets of a process share.

use std::sync::Arc;

use base::Context;
use inbound::web_chat::VisitorPresence;

use super::limits::{SocketLimits, WebChatLimits};

/// The state that the widgets of this process share.
pub struct WebChat {
    pub(super) presence: Arc<VisitorPresence>,
    pub(super) limits: SocketLimits,
}

impl WebChat {
    /// Starts the watch over visitors, within a runtime.
    pub fn start(ctx: &Arc<Context>, limits: WebChatLimits) -> Arc<Self> {
        Arc::new(Self { presence: VisitorPresence::start(Arc::clone(ctx)), limits: SocketLimits::new(limits) })
    }
}
