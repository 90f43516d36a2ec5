//! Replaces personal data: each number, name and address by the same invented one everywhere. A JSON number is replaced
//! only if a text or a field of a person has its digits, too: others are counts, moments and ids.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use plugin_host::{
    HostCall, HttpAnswer, KvAnswer,
    chatbot::{EventKind, HttpFinished, HttpOutcome},
    json::WorldQuestion,
};
use regex_lite::{Captures, Regex};
use serde_json::{Map, Number, Value, json};

use super::{call_result::ReadCall, moments};

const GIVEN_NAMES: [&str; 6] = ["Lerato", "Sipho", "Naledi", "Thabo", "Zanele", "Kagiso"];
/// Digits of the shortest number that may identify a person.
const SHORTEST_NUMBER: usize = 7;
/// Names of fields whose texts identify a person, in lower case and without separators.
const PERSONAL: [&str; 24] = [
    "firstname",
    "lastname",
    "fullname",
    "surname",
    "username",
    "displayname",
    "phone",
    "phonenumber",
    "mobile",
    "msisdn",
    "email",
    "mail",
    "address",
    "street",
    "city",
    "postcode",
    "postalcode",
    "zip",
    "birthdate",
    "dateofbirth",
    "idnumber",
    "user_id",
    "iban",
    "account",
];
/// Names of fields that hold a person, whose `name` is personal.
const PERSONS: [&str; 7] = ["customer", "contact", "person", "user", "recipient", "sender", "profile"];

pub(super) struct Replacements {
    /// Longest first, so that a full name is replaced before its parts.
    words: Vec<(String, String)>,
    mail: Option<Regex>,
    /// Finds UUIDs, too, so that no digits within them count as a number.
    number: Option<Regex>,
    invented_numbers: BTreeMap<String, String>,
    invented_mails: BTreeMap<String, String>,
    recorded_at: DateTime<Utc>,
}

impl Replacements {
    pub(super) fn of(calls: &[ReadCall<'_>]) -> Self {
        let mut found = Self {
            words: vec![],
            // Both patterns are constant. If one were wrong, its kind of data would be found by its fields only.
            mail: Regex::new(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}").ok(),
            number: Regex::new(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9]{7,}").ok(),
            invented_numbers: BTreeMap::new(),
            invented_mails: BTreeMap::new(),
            recorded_at: calls.first().map(|call| call.recording.now).unwrap_or_default(),
        };
        for value in calls.iter().flat_map(places) {
            found.search("", &value);
        }
        found.words.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        found
    }

    /// A value without personal data. Names of fields stay.
    pub(super) fn apply(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.apply_text(text)),
            Value::Number(number) => Value::Number(self.apply_number(number)),
            Value::Array(items) => items.iter().map(|item| self.apply(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), self.apply(value)));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    fn apply_text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some(mail) = &self.mail {
            let known = |found: &Captures<'_>| {
                let found = found.get(0).map(|found| found.as_str()).unwrap_or_default();
                self.invented_mails.get(found).cloned().unwrap_or_else(|| "person@example.org".to_owned())
            };
            text = mail.replace_all(&text, known).into_owned();
        }
        for (word, invented) in &self.words {
            text = replace_word(&text, word, invented);
        }
        if let Some(number) = &self.number {
            let known = |found: &Captures<'_>| {
                let digits = found.get(0).map(|found| found.as_str()).unwrap_or_default();
                self.invented_numbers.get(digits).cloned().unwrap_or_else(|| digits.to_owned())
            };
            text = number.replace_all(&text, known).into_owned();
        }
        text
    }

    fn apply_number(&self, number: &Number) -> Number {
        let invented = self.invented_numbers.get(&number.to_string());
        invented.and_then(|digits| digits.parse::<u64>().ok()).map_or_else(|| number.clone(), Number::from)
    }

    fn search(&mut self, field: &str, value: &Value) {
        let plain: String = field.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        match value {
            Value::String(text) => {
                if PERSONAL.contains(&plain.as_str()) {
                    self.invent_text(text);
                }
                self.search_text(text);
            }
            Value::Number(number) if PERSONAL.contains(&plain.as_str()) => self.invent_number(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.search(field, item)),
            Value::Object(fields) => {
                let is_person = PERSONS.contains(&plain.as_str());
                // An attribute of a contact, such as `{"name": "surname", "value": ..}`.
                let own_name = fields.get("name").and_then(Value::as_str).unwrap_or(field);
                for (name, value) in fields {
                    match value {
                        value if name == "value" => self.search(own_name, value),
                        Value::String(text) if is_person && name == "name" => self.invent_text(text),
                        value => self.search(name, value),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn search_text(&mut self, text: &str) {
        // JSON in a text, such as the payload of a custom event or the state of a bot.
        if text.starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            self.search("", &value);
            return;
        }
        let mails: Vec<String> = match &self.mail {
            Some(mail) => mail.find_iter(text).map(|found| found.as_str().to_owned()).collect(),
            None => vec![],
        };
        for mail in mails {
            let count = self.invented_mails.len() + 1;
            self.invented_mails.entry(mail).or_insert_with(|| format!("person{count}@example.org"));
        }
        let numbers: Vec<String> = match &self.number {
            Some(number) => number.find_iter(text).map(|found| found.as_str().to_owned()).collect(),
            None => vec![],
        };
        numbers.iter().for_each(|digits| self.invent_number(digits));
    }

    fn invent_number(&mut self, digits: &str) {
        if digits.len() < SHORTEST_NUMBER || !digits.chars().all(|digit| digit.is_ascii_digit()) {
            return;
        }
        let is_moment = |number| moments::is_milliseconds(number, self.recorded_at);
        if digits.parse::<u64>().is_ok_and(is_moment) {
            return;
        }
        let count = self.invented_numbers.len() + 1;
        let rest = digits.len().saturating_sub(2);
        self.invented_numbers.entry(digits.to_owned()).or_insert_with(|| format!("27{count:0rest$}"));
    }

    /// Invents a value for a personal text: words for words, so that a bot that uses the first name finds one.
    fn invent_text(&mut self, text: &str) {
        let text = text.trim();
        let is_number = text.chars().any(|letter| letter.is_ascii_digit());
        if text.is_empty()
            || text.contains('@')
            || is_number && text.chars().filter(char::is_ascii_digit).count() >= SHORTEST_NUMBER
        {
            // Addresses of mail and numbers are found in every text.
            return;
        }
        if self.words.iter().any(|(known, _)| known == text) {
            return;
        }
        let mut invented = vec![];
        for word in text.split_whitespace() {
            let known = self.words.iter().find(|(known, _)| known == word).map(|(_, invented)| invented.clone());
            let replacement = known.unwrap_or_else(|| {
                let count = self.words.len();
                let name = GIVEN_NAMES.get(count % GIVEN_NAMES.len()).copied().unwrap_or("Lerato");
                let name = match count / GIVEN_NAMES.len() {
                    0 => name.to_owned(),
                    round => format!("{name}{round}"),
                };
                self.words.push((word.to_owned(), name.clone()));
                name
            });
            invented.push(replacement);
        }
        let whole = invented.join(" ");
        if !self.words.iter().any(|(known, _)| known == text) {
            self.words.push((text.to_owned(), whole));
        }
    }
}

/// The parts of a call that may hold personal data.
fn places(call: &ReadCall<'_>) -> Vec<Value> {
    let mut places = vec![call.question.to_json()];
    places.extend(call.answer.as_ref().map(|answer| answer.to_json().1));
    if let WorldQuestion::Chatbot { event, .. } = &call.question
        && let EventKind::HttpFinished(HttpFinished { outcome: HttpOutcome::Response(reply), .. }) = &event.kind
    {
        places.push(of_bytes(&reply.body));
    }
    for host_call in &call.recording.host_calls {
        match host_call {
            HostCall::Http { url, body, answer, .. } => {
                places.push(Value::String(url.clone()));
                places.extend(body.as_deref().map(of_bytes));
                if let HttpAnswer::Response(response) = answer {
                    places.push(of_bytes(&response.body));
                }
            }
            HostCall::KvGet { answer: KvAnswer::Value(value), .. } => places.push(of_bytes(value)),
            HostCall::Conversation { answer, .. } => places.extend(answer.as_ref().map(|answer| json!(answer))),
            // A test has no file of a recording.
            HostCall::KvGet { .. } | HostCall::KvList { .. } | HostCall::File { .. } => {}
        }
    }
    places
}

fn of_bytes(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned().into())
}

/// Replaces a word or phrase where no letter or digit touches it.
fn replace_word(text: &str, word: &str, invented: &str) -> String {
    let (mut done, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(word) {
        let (before, after) = (rest.get(..at).unwrap_or_default(), rest.get(at + word.len()..).unwrap_or_default());
        let touches = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let last = before.chars().next_back().or_else(|| done.chars().next_back());
        let is_whole = !touches(last) && !touches(after.chars().next());
        done.push_str(before);
        done.push_str(if is_whole { invented } else { word });
        rest = after;
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::replace_word;

    #[test]
    fn only_whole_words_are_replaced() {
        assert_eq!(replace_word("Ann, Annual Ann", "Ann", "Lerato"), "Lerato, Annual Lerato");
        assert_eq!(replace_word("JoAnn", "Ann", "Lerato"), "JoAnn");
        assert_eq!(replace_word("", "Ann", "Lerato"), "");
    }
}
