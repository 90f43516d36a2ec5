//! Failures of recorded calls.

use crate::{CallError, ExceededLimit};

/// The failure of a call in words that are the same at each repetition, so without times.
pub(crate) fn failure(error: &CallError) -> String {
    match error {
        CallError::TimedOut { .. } => "the plugin did not answer in time".into(),
        // An error that asks for a retry differs from the same error without a retry.
        refused @ CallError::Refused { error, .. } if error.retry => format!("{refused} (worth a retry)"),
        other => other.to_string(),
    }
}

/// Whether the host stopped the call for lack of time, which a recording does not determine.
pub(crate) fn stopped_for_time(error: &CallError) -> bool {
    matches!(error, CallError::TimedOut { .. } | CallError::LimitExceeded { which: ExceededLimit::Cpu, .. })
}
