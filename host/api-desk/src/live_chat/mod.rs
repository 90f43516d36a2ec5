//! Live chat (SPEC 4.2): chats, messages and assignments. These are handlers only; the rules are in `chat::desk`.

mod canned_replies;
mod chat_bodies;
mod chats;
mod customer;
pub(crate) mod desk;
mod media;
mod message_bodies;
mod messages;
mod notes;
mod original_message;
mod template;
mod v1;
mod viewers;

use api_core::state::ApiState;
use utoipa_axum::router::OpenApiRouter;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    let routes = OpenApiRouter::new()
        .merge(chats::routes())
        .merge(messages::routes())
        .merge(template::routes())
        .merge(original_message::routes());
    let routes = routes
        .merge(notes::routes())
        .merge(viewers::routes())
        .merge(canned_replies::routes())
        .merge(customer::routes());
    routes.merge(media::routes()).merge(v1::routes())
}
