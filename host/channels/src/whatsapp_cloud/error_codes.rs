//! The meaning of each Graph error code (PROVIDERS A.11): one table for synchronous answers and failed statuses.

/// The reaction to a code in the answer to a send. A failed *status* is never sent again, with any code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeAction {
    Reject,
    /// Probably not on WhatsApp: fails, and a fallback may follow (PROVIDERS A.12).
    NotOnWhatsApp,
    /// The message cannot go to a user id: it fails, and goes to the customer's phone number if one is known.
    NeedsNumber,
    /// Passing trouble at Meta: send again later, a few times.
    Retry,
    /// Too fast for the number, the account or the app: send again later and slow the number down.
    SlowDown,
    /// Too fast for this recipient: 4^n seconds for the pair, others continue.
    PairLimited,
    /// The token or the registration is unusable: this message fails and the operator must act.
    StopAccount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeEntry {
    pub code: i64,
    pub meaning: &'static str,
    pub action: CodeAction,
    pub refresh_templates: bool,
    pub alert: bool,
}

const fn row(code: i64, action: CodeAction, meaning: &'static str) -> CodeEntry {
    CodeEntry { code, meaning, action, refresh_templates: false, alert: matches!(action, CodeAction::StopAccount) }
}

const fn alerting(code: i64, action: CodeAction, meaning: &'static str) -> CodeEntry {
    CodeEntry { code, meaning, action, refresh_templates: false, alert: true }
}

/// Our catalogue of templates is older than the provider's: the linter passed a send that the provider refuses.
const fn stale_template(code: i64, meaning: &'static str) -> CodeEntry {
    CodeEntry { code, meaning, action: CodeAction::Reject, refresh_templates: true, alert: false }
}

use CodeAction::{NeedsNumber, NotOnWhatsApp, PairLimited, Reject, Retry, SlowDown, StopAccount};

/// The table, in the order of PROVIDERS A.11. Codes 200 to 299 are permissions and handled by [`entry`].
const TABLE: &[CodeEntry] = &[
    row(0, StopAccount, "the access token is not accepted"),
    row(190, StopAccount, "the access token has expired or was revoked"),
    alerting(3, Reject, "the app lacks a capability or permission"),
    alerting(10, Reject, "permission not granted or removed"),
    alerting(131_005, Reject, "permission not granted or removed"),
    row(4, SlowDown, "the app has made too many calls"),
    row(80_007, SlowDown, "the WhatsApp business account has made too many calls"),
    row(1, Retry, "unknown error at Meta"),
    row(2, Retry, "Meta is temporarily unavailable"),
    row(131_000, Retry, "something went wrong at Meta"),
    row(131_016, Retry, "the service is temporarily unavailable"),
    row(135_000, Retry, "generic user error at Meta"),
    row(33, Reject, "the phone-number id does not exist or was deleted"),
    row(100, Reject, "a parameter is not accepted"),
    alerting(368, Reject, "temporarily blocked for policy violations"),
    alerting(131_031, Reject, "the business account is locked"),
    row(130_429, SlowDown, "the throughput of the number is exceeded"),
    row(131_056, PairLimited, "too many messages to this recipient"),
    row(131_048, Reject, "stopped as spam"),
    row(131_064, Reject, "template classification limit reached"),
    row(131_057, SlowDown, "the number is being maintained"),
    row(131_008, Reject, "a required parameter is missing"),
    row(131_009, Reject, "a parameter value is not valid"),
    row(131_021, Reject, "sender and recipient are the same"),
    row(131_026, NotOnWhatsApp, "undeliverable, perhaps not on WhatsApp"),
    row(131_030, Reject, "the recipient is not on the allow-list of this test number"),
    alerting(131_037, Reject, "the display name is not approved"),
    alerting(131_045, Reject, "the number is not registered correctly"),
    alerting(131_042, Reject, "payment problem"),
    row(131_047, Reject, "outside the 24-hour window"),
    row(131_049, Reject, "not delivered to keep the ecosystem healthy (marketing cap per user)"),
    row(131_050, Reject, "the user opted out of marketing messages"),
    row(131_051, Reject, "message type not supported"),
    row(131_052, Reject, "the media could not be downloaded"),
    row(131_053, Reject, "the media could not be uploaded"),
    row(131_062, NeedsNumber, "this message cannot go to a business-scoped user id"),
    row(131_063, Reject, "marketing messages are disabled on the Cloud API"),
    row(130_472, Reject, "the user is part of an experiment"),
    row(130_497, Reject, "restricted in the recipient's country"),
    stale_template(132_000, "the number of template parameters does not match"),
    stale_template(132_001, "the template does not exist or is not approved in this language"),
    stale_template(132_005, "the template with its parameters is too long"),
    row(132_007, Reject, "the template violates a policy"),
    stale_template(132_008, "a template parameter has the wrong format"),
    stale_template(132_012, "a template parameter has the wrong format"),
    stale_template(132_015, "the template is paused"),
    stale_template(132_016, "the template is disabled"),
    stale_template(132_018, "the template parameters are not valid"),
    row(132_068, Reject, "the flow is blocked"),
    row(132_069, Reject, "the flow is throttled"),
    alerting(133_004, Reject, "the server of the number is unavailable"),
    row(133_010, StopAccount, "the number is not registered"),
    alerting(133_016, Reject, "too many registrations of the number"),
    row(137_000, Reject, "the identity key of the recipient has changed"),
];

/// The permission codes without a row.
const PERMISSION: CodeEntry = alerting(200, Reject, "permission not granted or removed");

pub fn entry(code: i64) -> Option<&'static CodeEntry> {
    TABLE.iter().find(|row| row.code == code).or_else(|| (200..=299).contains(&code).then_some(&PERMISSION))
}

pub fn table() -> &'static [CodeEntry] {
    TABLE
}

/// The reaction to a synchronous answer with this code. An unknown code fails the message and is passed on.
pub fn action_for(code: i64) -> CodeAction {
    entry(code).map_or(CodeAction::Reject, |row| row.action)
}

/// True if a failed status with this code may mean that the number is not on WhatsApp (PROVIDERS A.12).
pub fn means_not_on_whatsapp(code: i64) -> bool {
    action_for(code) == CodeAction::NotOnWhatsApp
}

/// True if a send to a user id with this answer may be sent to the phone number.
pub fn needs_a_number(code: i64) -> bool {
    action_for(code) == CodeAction::NeedsNumber
}

pub fn refreshes_templates(code: i64) -> bool {
    entry(code).is_some_and(|row| row.refresh_templates)
}

pub fn alerts(code: i64) -> bool {
    entry(code).is_some_and(|row| row.alert)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_has_two_rows() {
        let mut codes: Vec<i64> = TABLE.iter().map(|row| row.code).collect();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }

    #[test]
    fn only_temporary_failures_are_sent_again() {
        let again: Vec<i64> = TABLE
            .iter()
            .filter(|row| matches!(row.action, Retry | SlowDown | PairLimited))
            .map(|row| row.code)
            .collect();
        assert_eq!(again, [4, 80_007, 1, 2, 131_000, 131_016, 135_000, 130_429, 131_056, 131_057]);
    }

    #[test]
    fn only_131026_can_mean_not_on_whatsapp() {
        let codes: Vec<i64> = (0..200_000).filter(|code| means_not_on_whatsapp(*code)).collect();
        assert_eq!(codes, [131_026]);
    }

    #[test]
    fn only_131062_asks_for_a_number() {
        let codes: Vec<i64> = (0..200_000).filter(|code| needs_a_number(*code)).collect();
        assert_eq!(codes, [131_062]);
    }

    #[test]
    fn template_codes_refresh_the_catalogue() {
        let codes: Vec<i64> = (0..200_000).filter(|code| refreshes_templates(*code)).collect();
        assert_eq!(codes, [132_000, 132_001, 132_005, 132_008, 132_012, 132_015, 132_016, 132_018]);
    }

    #[test]
    fn permission_codes_and_unknown_codes_fail_the_message() {
        assert_eq!(action_for(200), Reject);
        assert_eq!(action_for(299), Reject);
        assert!(alerts(250));
        assert_eq!(action_for(300), Reject);
        assert!(entry(300).is_none());
        assert_eq!(action_for(-7), Reject);
        assert_eq!(action_for(190), StopAccount);
    }
}
