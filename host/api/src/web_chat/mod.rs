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
mod socket_end;
mod unread;
mod widget;
pub(crate) mod widgets;

use utoipa_axum::router::OpenApiRouter;

use crate::state::ApiState;
pub use limits::WebChatLimits;
pub use widgets::WebChat;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(widget::routes()).merge(session::routes()).merge(files::routes()).merge(socket::routes())
}
