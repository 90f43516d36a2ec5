//! The form before a chat: the questions of a site and the answers of a visitor.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, Visitor},
};

use crate::body::FieldFault;

const MOST_FIELDS: usize = 10;
const MOST_OPTIONS: usize = 20;
/// Longest label or option, in characters.
const LABEL_MAX: usize = 200;
/// Longest answer, in characters.
const ANSWER_MAX: usize = 500;
const CONSENTS: &str = "yes";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreChatForm {
    /// The fields in the order of display.
    pub fields: Vec<FormField>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormField {
    /// The name of the field in answers. The fields `name` and `email` identify the visitor.
    pub key: String,
    pub label: String,
    #[serde(rename = "type", default)]
    pub kind: FormFieldKind,
    #[serde(default)]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FormFieldKind {
    #[default]
    Text,
    Email,
    Phone,
    Choice,
    Consent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormAnswer {
    Text(String),
    Ticked(bool),
}

impl From<&str> for FormAnswer {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for FormAnswer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OfAnswer)
    }
}

struct OfAnswer;

impl Visitor<'_> for OfAnswer {
    type Value = FormAnswer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bool<E: Error>(self, ticked: bool) -> Result<FormAnswer, E> {
        Ok(FormAnswer::Ticked(ticked))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FormAnswer, E> {
        Ok(text.into())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormAnswers {
    pub name: Option<String>,
    /// Labels and answers in the order of the form.
    pub lines: Vec<(String, String)>,
}

impl FormAnswers {
    /// The answers as a chat message, one per line.
    pub fn as_text(&self) -> String {
        let lines = self.lines.iter().map(|(label, answer)| format!("{label}: {answer}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl PreChatForm {
    pub fn faults(&self, field: &str) -> Vec<FieldFault> {
        let mut faults = Vec::new();
        if self.fields.is_empty() || self.fields.len() > MOST_FIELDS {
            let said = format!("must have 1 to {MOST_FIELDS} fields; null takes the form away");
            faults.push(FieldFault::new(format!("{field}.fields"), said));
        }
        let mut keys = BTreeSet::new();
        for (at, asked) in self.fields.iter().enumerate().take(MOST_FIELDS) {
            let mut fault = |name: &str, said: String| {
                faults.push(FieldFault::new(format!("{field}.fields[{at}].{name}"), said));
            };
            let plain = asked.key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !plain || !(1..=40).contains(&asked.key.len()) {
                fault("key", "must be 1 to 40 letters, digits and `_`".to_owned());
            } else if !keys.insert(asked.key.as_str()) {
                fault("key", format!("`{}` is there twice", asked.key));
            }
            if !is_label(&asked.label) {
                fault("label", format!("must be 1 to {LABEL_MAX} characters"));
            }
            let choices = asked.options.len();
            match asked.kind {
                FormFieldKind::Choice if !(1..=MOST_OPTIONS).contains(&choices) => {
                    fault("options", format!("a CHOICE needs 1 to {MOST_OPTIONS} options"));
                }
                FormFieldKind::Choice if !asked.options.iter().all(|option| is_label(option)) => {
                    fault("options", format!("each must be 1 to {LABEL_MAX} characters"));
                }
                FormFieldKind::Choice => {}
                _ if choices > 0 => fault("options", "only a CHOICE has options".to_owned()),
                _ => {}
            }
        }
        faults
    }

    pub fn is_required(&self) -> bool {
        self.fields.iter().any(|field| field.required)
    }

    /// Reads answers. An answer to an unknown field is a fault.
    pub fn read(&self, answers: &BTreeMap<String, FormAnswer>) -> Result<FormAnswers, Vec<FieldFault>> {
        let mut faults = Vec::new();
        let mut read = FormAnswers { name: None, lines: Vec::new() };
        for key in answers.keys().filter(|key| !self.fields.iter().any(|field| field.key == **key)) {
            faults.push(FieldFault::new(format!("answers.{key}"), "is not asked"));
        }
        for field in &self.fields {
            let at = || format!("answers.{}", field.key);
            let answer = match answers.get(&field.key) {
                Some(FormAnswer::Text(answer)) => Some(answer.trim()),
                Some(FormAnswer::Ticked(ticked)) if field.kind == FormFieldKind::Consent => ticked.then_some(CONSENTS),
                Some(FormAnswer::Ticked(ticked)) => {
                    faults.push(FieldFault::new(at(), format!("expected a string, got {ticked}")));
                    continue;
                }
                None => None,
            };
            match answer.filter(|answer| !answer.is_empty()) {
                None if field.required => faults.push(FieldFault::required(at())),
                None => {}
                Some(answer) => match field.judge(answer) {
                    Err(said) => faults.push(FieldFault::new(at(), said)),
                    Ok(()) => {
                        if field.key == "name" {
                            read.name = Some(answer.to_owned());
                        }
                        read.lines.push((field.label.clone(), answer.to_owned()));
                    }
                },
            }
        }
        if faults.is_empty() && read.lines.is_empty() {
            faults.push(FieldFault::new("answers", "must have an answer"));
        }
        if faults.is_empty() { Ok(read) } else { Err(faults) }
    }
}

impl FormField {
    fn judge(&self, answer: &str) -> Result<(), String> {
        if answer.chars().count() > ANSWER_MAX || answer.chars().any(char::is_control) {
            return Err(format!("must be one line of at most {ANSWER_MAX} characters"));
        }
        let fits = match self.kind {
            FormFieldKind::Text => true,
            FormFieldKind::Email => answer.split_once('@').is_some_and(|(local, host)| {
                !local.is_empty() && host.contains('.') && !answer.contains(char::is_whitespace)
            }),
            FormFieldKind::Phone => {
                let digits = answer.bytes().filter(u8::is_ascii_digit).count();
                let plain = answer.chars().all(|c| c.is_ascii_digit() || " +-()./".contains(c));
                plain && (6..=15).contains(&digits)
            }
            FormFieldKind::Choice => self.options.iter().any(|option| option == answer),
            FormFieldKind::Consent => answer == CONSENTS,
        };
        let wanted = match self.kind {
            FormFieldKind::Text => "",
            FormFieldKind::Email => "must be an e-mail address",
            FormFieldKind::Phone => "must be a phone number",
            FormFieldKind::Choice => "must be one of the options",
            FormFieldKind::Consent => "must be `yes`, or true",
        };
        if fits { Ok(()) } else { Err(wanted.to_owned()) }
    }
}

fn is_label(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LABEL_MAX && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: serde_json::Value) -> PreChatForm {
        serde_json::from_value(serde_json::json!({ "fields": fields })).unwrap()
    }

    fn usual() -> PreChatForm {
        form(serde_json::json!([
            { "key": "name", "label": "Your name", "required": true },
            { "key": "email", "label": "E-mail", "type": "EMAIL" },
            { "key": "phone", "label": "Phone", "type": "PHONE" },
            { "key": "about", "label": "About", "type": "CHOICE", "options": ["Sales", "Support"] },
            { "key": "terms", "label": "I agree", "type": "CONSENT" },
        ]))
    }

    fn answers(pairs: &[(&str, &str)]) -> BTreeMap<String, FormAnswer> {
        pairs.iter().map(|(key, answer)| ((*key).to_owned(), FormAnswer::from(*answer))).collect()
    }

    #[test]
    fn a_check_box_accepts_true_and_yes_and_other_questions_refuse_true() {
        let consent =
            form(serde_json::json!([{ "key": "terms", "label": "I agree", "type": "CONSENT", "required": true }]));
        let read = |json: &str| consent.read(&serde_json::from_str(json).unwrap());
        assert_eq!(read(r#"{"terms":true}"#).unwrap().as_text(), "I agree: yes");
        assert_eq!(read(r#"{"terms":true}"#), read(r#"{"terms":"yes"}"#));
        for not_ticked in [r#"{"terms":false}"#, r#"{"terms":""}"#, "{}"] {
            assert_eq!(read(not_ticked).unwrap_err(), [FieldFault::required("answers.terms")], "{not_ticked}");
        }
        let name = usual().read(&serde_json::from_str(r#"{"name":true}"#).unwrap()).unwrap_err();
        assert_eq!(name, [FieldFault::new("answers.name", "expected a string, got true")]);
        assert!(serde_json::from_str::<FormAnswer>("1").is_err());
    }

    #[test]
    fn answers_become_one_message_and_the_name_is_the_visitors() {
        let read = usual().read(&answers(&[("about", "Sales"), ("name", " Ann "), ("terms", "yes")])).unwrap();
        assert_eq!(read.name.as_deref(), Some("Ann"));
        assert_eq!(read.as_text(), "Your name: Ann\nAbout: Sales\nI agree: yes");
    }

    #[test]
    fn every_wrong_answer_is_named() {
        let given = answers(&[
            ("email", "nobody"),
            ("phone", "call me"),
            ("about", "Gossip"),
            ("terms", "no"),
            ("secret", "x"),
        ]);
        let faults = usual().read(&given).unwrap_err();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            ["answers.secret", "answers.name", "answers.email", "answers.phone", "answers.about", "answers.terms"]
        );
        let long = answers(&[("name", &"x".repeat(501))]);
        assert_eq!(usual().read(&long).unwrap_err().len(), 1);
    }

    #[test]
    fn a_wrong_form_is_refused_field_by_field() {
        assert!(usual().faults("form").is_empty());
        let odd = form(serde_json::json!([
            { "key": "a b", "label": "x" },
            { "key": "x", "label": "" },
            { "key": "x", "label": "again", "options": ["a"] },
            { "key": "c", "label": "choose", "type": "CHOICE" },
        ]));
        let fields: Vec<String> = odd.faults("form").into_iter().map(|fault| fault.field).collect();
        assert_eq!(
            fields,
            [
                "form.fields[0].key",
                "form.fields[1].label",
                "form.fields[2].key",
                "form.fields[2].options",
                "form.fields[3].options"
            ]
        );
        assert_eq!(form(serde_json::json!([])).faults("form").len(), 1);
    }
}
