//! Receipts in text form (PROVIDERS C.3). Vendors differ: keys may be in any case and order, or absent.

use super::text::{OctetCoding, gsm_text, unpack};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SmsState {
    Scheduled,
    Enroute,
    Delivered,
    Expired,
    Deleted,
    Undeliverable,
    Accepted,
    Unknown,
    Rejected,
    Skipped,
}

/// States with their numbers and their text in receipts.
const STATES: [(SmsState, u8, &str); 10] = [
    (SmsState::Scheduled, 0, "SCHEDLD"),
    (SmsState::Enroute, 1, "ENROUTE"),
    (SmsState::Delivered, 2, "DELIVRD"),
    (SmsState::Expired, 3, "EXPIRED"),
    (SmsState::Deleted, 4, "DELETED"),
    (SmsState::Undeliverable, 5, "UNDELIV"),
    (SmsState::Accepted, 6, "ACCEPTD"),
    (SmsState::Unknown, 7, "UNKNOWN"),
    (SmsState::Rejected, 8, "REJECTD"),
    (SmsState::Skipped, 9, "SKIPPED"),
];

/// Beginnings of vendors' names of states that are not final, such as buffered, queued, pending, submitted, sent and routed.
const UNDER_WAY: [&str; 16] = [
    "BUFFE", "BUFFR", "QUEUE", "ENQUE", "PENDI", "WAITI", "RETRY", "SUBMI", "TRANS", "PROCE", "SENT", "ROUTE", "FORWA",
    "DISPA", "RELAY", "SENDI",
];
/// Beginnings of vendors' names of failures.
const FAILURES: [&str; 11] =
    ["FAIL", "NACK", "NAK", "ERR", "REFUS", "BLOCK", "BARRE", "CANCE", "INVAL", "DENIE", "DROPP"];

impl SmsState {
    /// True if no further report of the part follows.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Scheduled | Self::Enroute | Self::Accepted)
    }

    pub fn is_delivered(self) -> bool {
        self == Self::Delivered
    }

    pub fn stat(self) -> &'static str {
        STATES.iter().find(|(state, ..)| *state == self).map_or("UNKNOWN", |(.., text)| text)
    }

    /// From the `message_state` parameter.
    pub(super) fn from_number(number: u8) -> Self {
        STATES.iter().find(|(_, value, _)| *value == number).map_or(Self::Unknown, |(state, ..)| *state)
    }

    /// Vendors differ after the first five letters, and some give the number. `None` for a word that is not known.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        if let Ok(number) = text.parse() {
            return Some(Self::from_number(number));
        }
        let text = text.to_ascii_uppercase();
        let begins_with = |beginnings: &[&str]| beginnings.iter().any(|beginning| text.starts_with(beginning));
        if begins_with(&UNDER_WAY) {
            return Some(Self::Enroute);
        }
        if begins_with(&FAILURES) {
            return Some(Self::Unknown);
        }
        let start = text.get(..5)?;
        STATES.iter().find(|(.., known)| known.starts_with(start)).map(|(state, ..)| *state)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ReceiptText {
    pub id: Option<String>,
    pub state: Option<SmsState>,
    /// True if the word for the state is not known. The state is then unknown, too.
    pub is_unclear: bool,
    pub error: Option<String>,
}

/// SMSCs write it in ASCII or in the coding that they name. The reading with a message id and a state is used.
pub(super) fn read(coding: OctetCoding, octets: &[u8]) -> (String, ReceiptText) {
    let readings =
        [in_ascii(octets), coding.decode(octets), OctetCoding::ucs2().decode(octets), in_ascii(&unpack(octets, 0))];
    let mut parsed = readings.map(|text| {
        let parsed = parse(&text);
        (text, parsed)
    });
    let whole = parsed.iter().position(|(_, parsed)| parsed.id.is_some() && parsed.state.is_some());
    // An unreadable text is shown in its coding.
    let chosen = parsed.get_mut(whole.unwrap_or(1));
    chosen.map(std::mem::take).unwrap_or_default()
}

/// ASCII, with the septets of GSM 03.38 in place of the controls. They differ only in characters that no id has (`$` or `¤`).
fn in_ascii(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len());
    let mut rest = octets;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'\t' | b'\n' | b'\r' | 0x20..=0x7e, _) => text.push(char::from(*first)),
            (0x1b, [second, after @ ..]) => {
                rest = after;
                text.push_str(&gsm_text(&[0x1b, *second]));
            }
            (0x80.., _) => text.push(char::REPLACEMENT_CHARACTER),
            _ => text.push_str(&gsm_text(&[*first])),
        }
    }
    text
}

/// Reads a receipt. The quoted beginning of the message (`text:`) is not searched, because the sender wrote it.
pub(super) fn parse(text: &str) -> ReceiptText {
    let quoted = find_key(text, "text").map_or(text.len(), |(start, _)| start);
    let fields = text.get(..quoted).unwrap_or(text);
    let state = field(fields, "stat").map(SmsState::from_text);
    ReceiptText {
        id: field(fields, "id").map(str::to_owned),
        state: state.map(|state| state.unwrap_or(SmsState::Unknown)),
        is_unclear: state == Some(None),
        error: field(fields, "err").filter(|code| code.chars().any(|digit| digit != '0')).map(str::to_owned),
    }
}

/// The word after `key:`. A space may follow the colon, but the next key is not a value.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, after) = find_key(text, key)?;
    let rest = text.get(after..)?;
    let spaced = rest.starts_with(' ');
    let word = rest.split_whitespace().next()?;
    (!(spaced && word.contains(':'))).then_some(word)
}

/// The position of `key:` as a separate word in any case.
fn find_key(text: &str, key: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    let pattern = format!("{key}:");
    let found = lower.match_indices(&pattern).find(|(at, _)| {
        let before = lower.get(..*at).and_then(|front| front.chars().next_back());
        before.is_none_or(|letter| !letter.is_ascii_alphanumeric())
    });
    found.map(|(at, matched)| (at, at + matched.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, Option<SmsState>, Option<String>) {
        let ReceiptText { id, state, error, .. } = parse(text);
        (id, state, error)
    }

    #[test]
    fn the_common_form_is_read() {
        let text =
            "id:M1 sub:001 dlvrd:001 submit date:2611202140 done date:2611202141 stat:DELIVRD err:000 text:Hello";
        assert_eq!(read(text), (Some("M1".into()), Some(SmsState::Delivered), None));
    }

    #[test]
    fn keys_in_any_case_and_states_in_long_form_are_read() {
        let text = "ID:7 SUB:1 Submit Date:20261120214000 Stat:Undeliverable Err:0a1 Text:";
        assert_eq!(read(text), (Some("7".into()), Some(SmsState::Undeliverable), Some("0a1".into())));
        assert_eq!(parse("id:1 stat:DELIVERED").state, Some(SmsState::Delivered));
        assert_eq!(parse("id:1 stat:SCHEDULED").state, Some(SmsState::Scheduled));
        assert_eq!(parse("id:1 stat:2").state, Some(SmsState::Delivered));
    }

    #[test]
    fn missing_fields_are_missing() {
        assert_eq!(read("stat:EXPIRED"), (None, Some(SmsState::Expired), None));
        assert_eq!(read("hello there"), (None, None, None));
        assert_eq!(read(""), (None, None, None));
        assert_eq!(parse("id:1 stat: err:").state, None);
    }

    #[test]
    fn a_space_after_the_colon_is_forgiven() {
        assert_eq!(
            read("id: 55 stat: REJECTD err: 12"),
            (Some("55".into()), Some(SmsState::Rejected), Some("12".into()))
        );
        assert_eq!(parse("id: stat:DELIVRD").id, None);
    }

    #[test]
    fn the_senders_own_text_is_not_searched() {
        let text = "id:9 stat:EXPIRED err:001 text:id:8 stat:DELIVRD";
        assert_eq!(read(text), (Some("9".into()), Some(SmsState::Expired), Some("001".into())));
    }

    #[test]
    fn every_state_has_its_number_and_text() {
        for (state, number, text) in STATES {
            assert_eq!(SmsState::from_number(number), state);
            assert_eq!(SmsState::from_text(text), Some(state));
            assert_eq!(state.stat(), text);
        }
        assert_eq!(SmsState::from_number(200), SmsState::Unknown);
        assert!(!SmsState::Accepted.is_final() && SmsState::Rejected.is_final());
    }
}
