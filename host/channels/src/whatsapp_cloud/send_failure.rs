use std::time::Duration;

use domain::carriage::SendFailure;

use super::{
    error_codes::{CodeAction, action_for},
    graph::{ErrorAnswer, status_failure},
};

pub(super) fn send_failure(error: ErrorAnswer) -> SendFailure {
    let ErrorAnswer { status, failure, wait, subcode: _ } = error;
    let Some(failure) = failure else {
        return refused_without_a_code(status, wait);
    };
    match action_for(failure.code) {
        CodeAction::NotOnWhatsApp => SendFailure::Unreachable(failure),
        CodeAction::Retry => SendFailure::Retry { failure, after: wait },
        CodeAction::SlowDown => SendFailure::SlowDown { failure, after: wait },
        CodeAction::PairLimited => SendFailure::RecipientLimited(failure),
        CodeAction::StopAccount => SendFailure::AccountStopped(failure),
        CodeAction::Reject if status == 429 => SendFailure::SlowDown { failure, after: wait },
        CodeAction::Reject | CodeAction::NeedsNumber => SendFailure::Rejected(failure),
    }
}

/// Another server answered: a gateway with 500, 502 or 504 may have passed the request on; 429 and 503 refuse it.
pub(crate) fn refused_without_a_code(status: u16, after: Option<Duration>) -> SendFailure {
    let failure = status_failure(status);
    match status {
        401 => SendFailure::AccountStopped(failure),
        429 | 503 => SendFailure::SlowDown { failure, after },
        400..=499 => SendFailure::Rejected(failure),
        _ => SendFailure::Unknown { reason: failure.text },
    }
}
