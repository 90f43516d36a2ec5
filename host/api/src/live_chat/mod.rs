//! Live chat (SPEC 4.2): chats, messages and assignments. These are handlers only; the rules are in `chat::desk`.

mod chat_bodies;
mod chats;
mod media;
mod message_bodies;
mod messages;
mod original;
mod v1;

use chat::desk::{Acting, DeskError};
use chrono::{DateTime, SecondsFormat, Utc};
use utoipa_axum::router::OpenApiRouter;

use crate::{
    auth::Allowed,
    error::{ApiError, ErrorKind},
    state::ApiState,
};

pub(crate) use chat_bodies::ChatParticipantResponse;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    let routes = OpenApiRouter::new().merge(chats::routes()).merge(messages::routes()).merge(original::routes());
    routes.merge(media::routes()).merge(v1::routes())
}

/// The caller, in the type of the use cases.
pub(crate) fn acting<P>(allowed: &Allowed<P>) -> Acting {
    let caller = &allowed.caller;
    Acting { client: caller.client, user: caller.user, role: caller.role, sight: caller.sight }
}

/// Turns a refusal into an answer.
pub(crate) fn refused(error: DeskError) -> ApiError {
    match error {
        DeskError::NotFound => ApiError::not_found(),
        DeskError::Faults(faults) => ApiError::faults(faults),
        DeskError::Conflict(said) => ApiError::new(ErrorKind::Conflict, said),
        DeskError::Forbidden(said) => ApiError::new(ErrorKind::Forbidden, said),
        DeskError::Failed(error) => error.into(),
    }
}

/// Formats a time for clients.
pub(crate) fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
