//! Web chat as widgets use it (`docs/web-chat.md`, CONTRACT 4): the widget itself, sessions, files, and the socket. It
//! needs no key: the site decides which pages may call, and a token names the visitor.

mod buckets;
mod door;
mod files;
mod frames;
mod limits;
mod line;
mod session;
mod shares;
mod shown;
mod socket;
mod unread;
mod widget;

use std::sync::Arc;

use base::Context;
use inbound::web_chat::Presence;
use utoipa_axum::router::OpenApiRouter;

use crate::state::ApiState;
use limits::Limits;
pub use limits::WebChatLimits;

/// The state that the widgets of this process share.
pub struct WebChat {
    presence: Arc<Presence>,
    limits: Limits,
}

impl WebChat {
    /// Starts the watch over visitors, within a runtime.
    pub fn start(ctx: &Arc<Context>, limits: WebChatLimits) -> Arc<Self> {
        Arc::new(Self { presence: Presence::start(Arc::clone(ctx)), limits: Limits::new(limits) })
    }
}

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(widget::routes()).merge(session::routes()).merge(files::routes()).merge(socket::routes())
}
