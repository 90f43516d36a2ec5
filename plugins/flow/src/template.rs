//! Fills placeholders.

use std::collections::BTreeMap;

use flow_model::{CONTACT, FlowText, Piece, SECRET, pieces};
use patchbay_plugin_sdk::chatbot::{Channel, Session};
use serde_json::Value;

use crate::{contact, day, state::State};

/// Attribute with the language of the customer.
const LANGUAGE: &str = "language";

/// The values of placeholders.
pub struct Values<'a> {
    pub session: &'a Session,
    pub state: &'a State,
    /// Empty where a text must not have secrets.
    pub secrets: &'a BTreeMap<String, String>,
}

impl Values<'_> {
    /// The value of a fact of the conversation, of an attribute, or of an attribute of the contact.
    pub fn find(&self, name: &str) -> Option<String> {
        let customer = &self.session.customer;
        match name {
            "name" => customer.name.clone(),
            "phone" => customer.phone.clone(),
            "channel" => Some(channel(self.session).to_owned()),
            "date" => Some(day::text(day::today(self.session))),
            "time" => {
                let time = self.session.local_time;
                Some(format!("{:02}:{:02}", time.hour, time.minute))
            }
            name => match (name.strip_prefix(SECRET), name.strip_prefix(CONTACT)) {
                (Some(secret), _) => self.secrets.get(secret).cloned(),
                (None, Some(attribute)) => self.of_contact(attribute),
                (None, None) => self.state.values.get(name).cloned(),
            },
        }
    }

    /// The value of an attribute of the contact, with the changes of this call.
    fn of_contact(&self, name: &str) -> Option<String> {
        let value = match self.state.contact.get(name) {
            Some(changed) => changed.as_ref(),
            None => self.session.attribute(name),
        };
        value.map(contact::text)
    }

    pub fn fill(&self, template: &str) -> String {
        self.fill_with(template, |value, into| into.push_str(value))
    }

    /// Fills a part of an address.
    pub fn fill_url(&self, template: &str) -> String {
        self.fill_with(template, percent_encode)
    }

    fn fill_with(&self, template: &str, write: fn(&str, &mut String)) -> String {
        let mut text = String::with_capacity(template.len());
        for piece in pieces(template) {
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Name(name) => match self.find(name).filter(|value| !value.is_empty()) {
                    Some(value) => write(&value, &mut text),
                    // `Hello {name}!` without a name is `Hello!`.
                    None => text.truncate(text.trim_end_matches(' ').len()),
                },
            }
        }
        text
    }

    /// Fills every text within a JSON value.
    pub fn fill_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_json(item)).collect(),
            Value::Object(members) => {
                Value::Object(members.iter().map(|(name, item)| (name.clone(), self.fill_json(item))).collect())
            }
            other => other.clone(),
        }
    }

    /// A text in the language of the customer, with at most this number of characters.
    pub fn show(&self, text: &FlowText, languages: &[String], longest: usize) -> String {
        let language = self.state.values.get(LANGUAGE).or_else(|| languages.first()).map_or("", String::as_str);
        let known = languages.iter().any(|code| code == language);
        let language = if known { language } else { languages.first().map_or("", String::as_str) };
        cut(self.fill(text.in_language(language)).trim(), longest)
    }
}

pub fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

pub fn channel(session: &Session) -> &'static str {
    match session.channel {
        Channel::Sms => "sms",
        Channel::Telegram => "telegram",
        Channel::Whatsapp => "whatsapp",
        Channel::Web => "web",
        Channel::Messenger => "messenger",
        Channel::Other => "other",
    }
}

fn percent_encode(value: &str, into: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push('%');
            into.extend([byte >> 4, byte & 15].into_iter().filter_map(|half| DIGITS.get(usize::from(half))));
        }
    }
}
