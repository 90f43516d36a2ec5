//! Answers to changes of users that are refused.

use api_core::error::{ApiError, ErrorKind};
use tenancy::accounts::{CreateError, users::UserError};

pub(crate) fn refused_creation(error: CreateError) -> ApiError {
    let field = match &error {
        CreateError::ReservedRef | CreateError::BadRef(_) => "clientRef",
        CreateError::RefTaken(_) | CreateError::EmailTaken(_) => {
            return ApiError::new(ErrorKind::Conflict, error.to_string());
        }
        CreateError::UnknownClient(_) => return ApiError::not_found(),
        CreateError::BadEmail(_) => "email",
        CreateError::BadName => "name",
        CreateError::BadTeam(_) | CreateError::UnknownTeam(_) => "team",
        CreateError::BadPassword => "password",
        CreateError::Failed(_) => "",
    };
    match error {
        CreateError::Failed(cause) => cause.into(),
        fault => ApiError::fault(field, fault.to_string()),
    }
}

pub(crate) fn api_error(error: UserError) -> ApiError {
    match error {
        UserError::Unknown => ApiError::not_found(),
        UserError::BadName(_) => ApiError::fault("name", error.to_string()),
        UserError::UnknownTeam => ApiError::fault("team", error.to_string()),
        UserError::BadChatLimit => ApiError::fault("chatLimit", error.to_string()),
        UserError::LastAdmin | UserError::OwnAccount | UserError::OwnPassword | UserError::Concurrent => {
            ApiError::new(ErrorKind::Conflict, error.to_string())
        }
        UserError::Failed(cause) => cause.into(),
    }
}
