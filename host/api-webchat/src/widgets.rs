//! The state that the widgets of a process share.

use std::sync::Arc;

use base::Context;
use inbound::web_chat::Presence;

use super::limits::{Limits, WebChatLimits};

/// The state that the widgets of this process share.
pub struct WebChat {
    pub(super) presence: Arc<Presence>,
    pub(super) limits: Limits,
}

impl WebChat {
    /// Starts the watch over visitors, within a runtime.
    pub fn start(ctx: &Arc<Context>, limits: WebChatLimits) -> Arc<Self> {
        Arc::new(Self { presence: Presence::start(Arc::clone(ctx)), limits: Limits::new(limits) })
    }
}
