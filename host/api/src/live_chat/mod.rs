//! Live chat (SPEC 4.2): chats, messages and assignments. These are handlers only; the rules are in `chat::desk`.

mod chat_bodies;
mod chats;
pub(crate) mod desk;
mod media;
mod message_bodies;
mod messages;
mod original;
mod v1;

use utoipa_axum::router::OpenApiRouter;

use crate::state::ApiState;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    let routes = OpenApiRouter::new().merge(chats::routes()).merge(messages::routes()).merge(original::routes());
    routes.merge(media::routes()).merge(v1::routes())
}
