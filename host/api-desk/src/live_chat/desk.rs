//! The user who acts in live chat, and answers to refused actions.

use api_core::{
    auth::AuthorizedCaller,
    error::{ApiError, ErrorKind},
};
use chat::desk::{ActingUser, DeskError};

pub(crate) fn acting<P>(allowed: &AuthorizedCaller<P>) -> ActingUser {
    let caller = &allowed.caller;
    ActingUser { client: caller.client, user: caller.user, role: caller.role, sight: caller.sight }
}

pub(crate) fn api_error(error: DeskError) -> ApiError {
    match error {
        DeskError::NotFound => ApiError::not_found(),
        DeskError::Faults(faults) => ApiError::faults(faults),
        DeskError::Conflict(said) => ApiError::new(ErrorKind::Conflict, said),
        DeskError::Forbidden(said) => ApiError::new(ErrorKind::Forbidden, said),
        DeskError::Failed(error) => error.into(),
    }
}
