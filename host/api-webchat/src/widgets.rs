use std::sync::Arc;

use base::Context;
use inbound::web_chat::VisitorPresence;

use super::limits::{SocketLimits, WebChatLimits};

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
