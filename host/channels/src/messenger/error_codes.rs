//! The meaning of each error of Messenger (PROVIDERS B).

use domain::{carriage::SendFailure, messenger::OUTSIDE_WINDOW};

use crate::whatsapp_cloud::{ErrorAnswer, refused_without_a_code};

/// No customer of the page has this id.
const NO_SUCH_CUSTOMER: i64 = 2_018_001;
/// Outside the 24-hour window, or seven days for people.
const WINDOW_CLOSED: i64 = 2_018_278;

pub(super) fn send_failure(error: ErrorAnswer) -> SendFailure {
    let ErrorAnswer { status, subcode, failure, wait } = error;
    let Some(failure) = failure else { return refused_without_a_code(status, wait) };
    match (failure.code, subcode) {
        (OUTSIDE_WINDOW, Some(WINDOW_CLOSED)) => SendFailure::Rejected(failure),
        // The customer does not take messages, or is not a customer of this page.
        (551, _) | (100, Some(NO_SUCH_CUSTOMER)) => SendFailure::Unreachable(failure),
        // Passing trouble at Meta.
        (1 | 2 | 1200, _) => SendFailure::Retry { failure, after: wait },
        // Too many calls of the app, the page, the account, the user.
        (4 | 17 | 32 | 613 | 80_006, _) => SendFailure::SlowDown { failure, after: wait },
        (190, _) => {
            tracing::error!(
                code = failure.code,
                "the access token of a page is not accepted; give it a valid one with `patchbay page renew-token`"
            );
            SendFailure::AccountStopped(failure)
        }
        (10 | 200..=299 | 368, _) => {
            tracing::error!(code = failure.code, subcode, "a page may not send: look at its permissions at Meta");
            SendFailure::Rejected(failure)
        }
        _ if status == 429 => SendFailure::SlowDown { failure, after: wait },
        _ => SendFailure::Rejected(failure),
    }
}

#[cfg(test)]
mod tests {
    use domain::inbound::ProviderFailure;

    use super::*;

    fn of(status: u16, code: i64, subcode: Option<i64>) -> SendFailure {
        let failure = Some(ProviderFailure { code, text: String::new() });
        send_failure(ErrorAnswer { status, subcode, failure, wait: None })
    }

    #[test]
    fn only_temporary_failures_are_sent_again() {
        for code in [1, 2, 1200] {
            assert!(matches!(of(500, code, None), SendFailure::Retry { .. }), "{code}");
        }
        for code in [4, 17, 32, 613, 80_006] {
            assert!(matches!(of(400, code, None), SendFailure::SlowDown { .. }), "{code}");
        }
        assert!(matches!(of(429, 77_777, None), SendFailure::SlowDown { .. }));
    }

    #[test]
    fn a_closed_window_and_a_bad_parameter_fail_the_message() {
        for (code, subcode) in [(10, Some(2_018_278)), (10, None), (100, None), (200, None), (230, None), (368, None)] {
            assert!(matches!(of(400, code, subcode), SendFailure::Rejected(_)), "{code}");
        }
    }

    #[test]
    fn an_unavailable_customer_is_not_reached() {
        assert!(matches!(of(400, 551, None), SendFailure::Unreachable(_)));
        assert!(matches!(of(400, 100, Some(2_018_001)), SendFailure::Unreachable(_)));
    }

    #[test]
    fn a_token_that_is_refused_stops_the_page() {
        assert!(matches!(of(401, 190, None), SendFailure::AccountStopped(_)));
    }
}
