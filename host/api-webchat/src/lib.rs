//! Web chat (`docs/web-chat.md`, CONTRACT 4): the sites of a client, and the calls of widgets: the widget itself, sessions,
//! files, and the socket. Widgets need no key: the site decides which pages may call, and a token names the visitor.

mod buckets;
mod connection;
mod files;
mod frames;
mod limits;
mod page_access;
mod read_probe;
mod session;
mod sites;
mod socket;
mod socket_end;
mod state;
mod visitor_view;
mod widget;
mod widgets;

use std::sync::Arc;

use api_core::state::ApiState;
use utoipa_axum::router::OpenApiRouter;

pub use limits::WebChatLimits;
pub use sites::{script as site_script, script_url as site_script_url};
use state::WidgetState;
pub use widgets::WebChat;

pub fn routes(state: &ApiState, web_chat: Arc<WebChat>) -> OpenApiRouter<ApiState> {
    let widgets = widget::routes().merge(session::routes()).merge(files::routes()).merge(socket::routes());
    widgets.with_state(WidgetState { api: state.clone(), web_chat }).merge(sites::routes())
}
