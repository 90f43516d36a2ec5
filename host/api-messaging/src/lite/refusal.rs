use api_core::error::{ApiError, ErrorKind};
use inbound::lite::CommandError;

pub(super) fn api_error(error: CommandError) -> ApiError {
    match error {
        CommandError::NotFound => ApiError::not_found(),
        CommandError::NotLite(_) => ApiError::fault("id", error.to_string()),
        CommandError::Banned(_) | CommandError::NoDevices => ApiError::new(ErrorKind::Conflict, error.to_string()),
        CommandError::Failed(cause) => cause.into(),
    }
}
