//! Masks phone numbers and names of customers (SPEC 4.7, `popia-compliance`) by the names of fields. Texts of messages
//! stay.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::{invisible_characters::is_blank, phone, search};

/// Digits at the end of a number that stay visible. They suffice to tell two customers apart on a screen.
pub const SHOWN_DIGITS: usize = 3;
const SHORTEST_NUMBER: usize = 7;
/// Replaces the rest of a name and hides its length.
const HIDDEN: &str = "***";

/// Fields with the phone number of a customer, at any depth.
const NUMBERS: [&str; 6] =
    ["phoneNumber", "recipient", "recipientNumber", "customerNumber", "customerMsisdn", "customerPhoneNumber"];
/// Fields with the name of a customer, at any depth.
const NAMES: [&str; 5] = ["fullName", "username", "profileName", "customerName", "customerUsername"];
/// Fields with a provider's text, which may contain the customer's number.
const WORDS: [&str; 1] = ["errorCodeString"];
/// Fields with a provider's message id, at any depth.
const IDS: [&str; 4] = ["whatsAppMessageId", "quotedExternalMessageId", "reactionTo", "providerId"];
/// Prefix of the ids of WhatsApp Cloud. The rest contains the customer's number in base64.
const CLOUD_ID: &str = "wamid.";
/// Fields that only objects about a customer have. The `name` in such an object is the customer's.
const OF_A_CUSTOMER: [&str; 5] =
    ["phoneNumber", "customerUserId", "conversationClosed", "chatBotConversation", "missedConversation"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum CustomerVisibility {
    #[default]
    Whole,
    /// Only the end of a number and the first letter of a name are visible.
    Masked,
}

impl CustomerVisibility {
    pub fn number(self, number: &str) -> String {
        match self {
            Self::Whole => number.to_owned(),
            Self::Masked => mask_number(number),
        }
    }

    pub fn name(self, name: &str) -> String {
        match self {
            Self::Whole => name.to_owned(),
            Self::Masked => mask_name(name),
        }
    }

    pub fn json(self, value: &mut Value) {
        if self == Self::Masked {
            mask(value);
        }
    }
}

/// The search of a user who sees masked customers: only visible parts, so that it does not reveal hidden ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaskedSearch {
    /// The first letter of a name, folded.
    Initial(String),
    /// Consecutive digits among the last [`SHOWN_DIGITS`] of a number.
    Ending(String),
    Nothing,
}

impl MaskedSearch {
    /// `None` if the text is empty, so everything matches. A masked value (`T***`, `********001`) is a valid search.
    pub fn parse(text: &str) -> Option<Self> {
        search::SearchText::parse(text)?;
        let plain: String = text.nfkc().filter(|one| *one != '*' && !is_blank(*one)).collect();
        let digits: String = plain.chars().filter(char::is_ascii_digit).collect();
        if phone::as_searched(&plain).is_some() {
            return Some(if digits.len() <= SHOWN_DIGITS { Self::Ending(digits) } else { Self::Nothing });
        }
        let mut letters = plain.chars();
        Some(match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_alphabetic() => Self::Initial(search::fold(&plain)),
            _ => Self::Nothing,
        })
    }
}

/// `27820000001` becomes `********001`. A text that is not a number, such as a user id, stays.
fn mask_number(number: &str) -> String {
    let digits = number.strip_prefix('+').unwrap_or(number);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return number.to_owned();
    }
    let hidden = number.len().saturating_sub(SHOWN_DIGITS);
    // A short number would be visible as a whole.
    let shown = if digits.len() > SHOWN_DIGITS { number.get(hidden..).unwrap_or_default() } else { "" };
    format!("{}{shown}", "*".repeat(number.len() - shown.len()))
}

/// `Thandi Mokoena` becomes `T***`. A name that is a number is masked like a number.
fn mask_name(name: &str) -> String {
    let masked = mask_number(name.trim());
    if masked != name.trim() {
        return masked;
    }
    let first = name.trim().chars().next();
    first
        .map(|letter| if letter.is_alphabetic() { format!("{letter}{HIDDEN}") } else { HIDDEN.to_owned() })
        .unwrap_or_default()
}

/// `wamid.HBgLMjc4...` becomes `wamid.***`. Other ids contain no number.
fn mask_id(id: &str) -> String {
    if id.starts_with(CLOUD_ID) { format!("{CLOUD_ID}{HIDDEN}") } else { id.to_owned() }
}

/// `no room for 27820000001` becomes `no room for ********001`. Codes and years have fewer digits than phone numbers.
fn mask_numbers_within(words: &str) -> String {
    let characters: Vec<char> = words.chars().collect();
    let runs = characters.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
    let runs = runs.map(|run| run.iter().collect::<String>());
    runs.map(|run| if run.len() < SHORTEST_NUMBER { run } else { mask_number(&run) }).collect()
}

fn mask(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(fields) => mask_object(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mask_object(fields: &mut Map<String, Value>) {
    let of_a_customer = OF_A_CUSTOMER.iter().any(|field| fields.contains_key(*field));
    let direction = fields.get("direction").and_then(Value::as_str).unwrap_or_default();
    // The other of the two numbers belongs to the business.
    let numbers: &[&str] = match direction {
        "INCOMING" => &["sender", "senderMsisdn"],
        "OUTGOING" => &["receiver", "receiverMsisdn"],
        _ => &[],
    };
    for (field, value) in fields.iter_mut() {
        let field = field.as_str();
        match value {
            Value::String(text) if NUMBERS.contains(&field) || numbers.contains(&field) => *text = mask_number(text),
            Value::String(text) if NAMES.contains(&field) => *text = mask_name(text),
            Value::String(text) if WORDS.contains(&field) => *text = mask_numbers_within(text),
            Value::String(text) if of_a_customer && field == "name" => *text = mask_name(text),
            Value::String(text) if IDS.contains(&field) => *text = mask_id(text),
            other => mask(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_shows_its_last_three_digits() {
        for (number, shown) in [
            ("27820000001", "********001"),
            ("+27820000001", "*********001"),
            ("1234", "*234"),
            ("123", "***"),
            ("", ""),
            ("ZA.13491208655302741918", "ZA.13491208655302741918"),
        ] {
            assert_eq!(CustomerVisibility::Masked.number(number), shown);
            assert_eq!(CustomerVisibility::Whole.number(number), number);
        }
    }

    #[test]
    fn a_name_shows_its_first_letter_and_not_how_long_it_is() {
        for (name, shown) in [
            ("Thandi Mokoena", "T***"),
            ("नेहा", "न***"),
            ("  é", "é***"),
            ("", ""),
            ("27820000001", "********001"),
            ("@x", "***"),
        ] {
            assert_eq!(CustomerVisibility::Masked.name(name), shown, "{name}");
        }
        assert_eq!(CustomerVisibility::Whole.name("Thandi"), "Thandi");
    }

    #[test]
    fn an_answer_is_masked_at_any_depth() {
        let mut page = json!({ "content": [{
            "id": "1", "phoneNumber": "27820000001", "userId": "ZA.1", "parentUserId": "ZA.ENT.1",
            "username": "thandi", "name": "Thandi",
            "conversationClosed": false, "assignedTo": { "id": "2", "name": "Agent Smith" },
            "whatsAppNumber": "27110000001",
        }], "totalElements": 1 });
        CustomerVisibility::Masked.json(&mut page);
        assert_eq!(
            page,
            json!({ "content": [{
            "id": "1", "phoneNumber": "********001", "userId": "ZA.1", "parentUserId": "ZA.ENT.1",
            "username": "t***", "name": "T***",
            "conversationClosed": false, "assignedTo": { "id": "2", "name": "Agent Smith" },
            "whatsAppNumber": "27110000001",
        }], "totalElements": 1 })
        );
    }

    #[test]
    fn the_number_of_the_customer_in_a_message_is_masked_and_the_kind_of_sender_is_not() {
        let mut messages = json!([
            { "direction": "INCOMING", "sender": "27820000001", "receiver": "27110000001", "messageOwner": "CUSTOMER" },
            { "direction": "OUTGOING", "sender": "27110000001", "receiver": "27820000001", "messageOwner": "Agent" },
        ]);
        CustomerVisibility::Masked.json(&mut messages);
        assert_eq!(
            messages,
            json!([
                { "direction": "INCOMING", "sender": "********001", "receiver": "27110000001", "messageOwner": "CUSTOMER" },
                { "direction": "OUTGOING", "sender": "27110000001", "receiver": "********001", "messageOwner": "Agent" },
            ])
        );
    }

    #[test]
    fn an_id_that_spells_the_number_is_hidden_and_others_stay() {
        let mut messages = json!([
            { "whatsAppMessageId": "wamid.HBgLMjc4MjAwMDAwMDEVAgAS", "text": "wamid.HBgL" },
            { "quotedExternalMessageId": "wamid.HBgLMjc4", "reactionTo": "3EB0AA" },
            { "facebookMessageId": "m_1", "providerId": "wamid." },
        ]);
        CustomerVisibility::Masked.json(&mut messages);
        assert_eq!(
            messages,
            json!([
                { "whatsAppMessageId": "wamid.***", "text": "wamid.HBgL" },
                { "quotedExternalMessageId": "wamid.***", "reactionTo": "3EB0AA" },
                { "facebookMessageId": "m_1", "providerId": "wamid.***" },
            ])
        );
    }

    #[test]
    fn error_texts_of_a_provider_keep_their_codes_without_the_phone_number() {
        let mut failed =
            json!({ "errorCode": "131026", "errorCodeString": "131026: +27820000001 is not on it since 2026" });
        CustomerVisibility::Masked.json(&mut failed);
        let shown = "131026: +********001 is not on it since 2026";
        assert_eq!(failed, json!({ "errorCode": "131026", "errorCodeString": shown }));
    }

    #[test]
    fn a_search_finds_masked_customers_only_by_their_shown_characters() {
        let initial = |letter: &str| Some(MaskedSearch::Initial(letter.to_owned()));
        let ending = |digits: &str| Some(MaskedSearch::Ending(digits.to_owned()));
        for (text, sought) in [
            ("", None),
            ("  ", None),
            ("T", initial("t")),
            ("T***", initial("t")),
            ("e\u{301}", initial("e")),
            ("İ", initial("i")),
            ("ß", initial("ss")),
            ("न", initial("न")),
            ("1", ending("1")),
            ("001", ending("001")),
            ("********001", ending("001")),
            ("(00) 1", ending("001")),
        ] {
            assert_eq!(MaskedSearch::parse(text), sought, "{text}");
        }
        for text in ["Th", "T h", "0001", "+27 82", "27820000001", "0820", "***", "@", "1a", "ZA.1", "th***"] {
            assert_eq!(MaskedSearch::parse(text), Some(MaskedSearch::Nothing), "{text}");
        }
    }

    #[test]
    fn names_of_objects_other_than_customers_stay() {
        let mut plugin = json!({ "name": "default-chatbot", "team": { "name": "Sales" }, "text": "call 27820000001" });
        let before = plugin.clone();
        CustomerVisibility::Masked.json(&mut plugin);
        assert_eq!(plugin, before);
    }
}
