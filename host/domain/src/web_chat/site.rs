//! A site: the origins of its pages, and the look and texts of the widget.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Color, PageOrigin, PreChatForm};
use crate::body::{self, FieldFault};

const MOST_ORIGINS: usize = 50;
/// Longest name, in characters.
const NAME_MAX: usize = 100;
/// Longest text, in characters.
const TEXT_MAX: usize = 500;

/// Texts of the widget that a site can replace. The widget has English defaults for all of them.
pub const TEXT_KEYS: [&str; 35] = [
    "launcher",
    "title",
    "greeting",
    "placeholder",
    "send",
    "attach",
    "close",
    "newMessages",
    "typing",
    "queued",
    "afterHours",
    "agentJoined",
    "bot",
    "agent",
    "you",
    "conversationClosed",
    "offline",
    "reconnecting",
    "sending",
    "failed",
    "retry",
    "rate",
    "rated",
    "formTitle",
    "formSubmit",
    "choose",
    "earlier",
    "fileTooLarge",
    "fileRefused",
    "tooFast",
    "location",
    "download",
    "delivered",
    "seen",
    "messages",
];

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteSettings {
    #[serde(default)]
    pub look: SiteAppearance,
    #[serde(default)]
    pub texts: SiteTexts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<PreChatForm>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SiteAppearance {
    /// Colour of the launcher, the head and the visitor's own messages.
    pub color: Color,
    /// Colour of text on `color`. `None`: black or white, the one with more contrast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<Color>,
    pub side: Side,
    pub scheme: Scheme,
    pub direction: TextDirection,
    /// BCP 47 tag of the language of the texts.
    pub language: String,
}

impl Default for SiteAppearance {
    fn default() -> Self {
        Self {
            color: Color::parse("#0a6c58").unwrap_or(Color::BLACK),
            text_color: None,
            side: Side::default(),
            scheme: Scheme::default(),
            direction: TextDirection::default(),
            language: "en".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Side {
    /// The end of lines: the right side if text runs from left to right.
    #[default]
    End,
    Start,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Scheme {
    /// The setting of the visitor's system.
    #[default]
    Auto,
    Light,
    Dark,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TextDirection {
    #[default]
    Auto,
    Ltr,
    Rtl,
}

/// Texts of the widget, by key ([`TEXT_KEYS`]).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteTexts(pub BTreeMap<String, String>);

/// The body of a request to create or update a site. In an update, an absent field stays unchanged.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteForm {
    pub name: Option<String>,
    #[serde(default, deserialize_with = "body::few_texts")]
    pub origins: Option<Vec<String>>,
    /// Name of the team that receives its chats. Null: no team.
    #[serde(default, deserialize_with = "read_nullable")]
    pub team: Option<Option<String>>,
    /// Replaces the whole look.
    #[serde(default, deserialize_with = "body::object")]
    pub look: Option<SiteAppearance>,
    /// Replaces all texts.
    pub texts: Option<SiteTexts>,
    /// Replaces the whole form. Null: no form.
    #[serde(default, deserialize_with = "read_nullable")]
    pub form: Option<Option<PreChatForm>>,
}

/// Distinguishes null from absent.
fn read_nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

impl SiteForm {
    /// The faults of the body. If `new` is true, a name and an origin are required.
    pub fn faults(&self, new: bool) -> Vec<FieldFault> {
        let mut faults = Vec::new();
        match self.name.as_deref().map(str::trim) {
            None if new => faults.push(FieldFault::required("name")),
            Some(name) if name.is_empty() || name.chars().count() > NAME_MAX || name.chars().any(char::is_control) => {
                faults.push(FieldFault::new("name", format!("must be 1 to {NAME_MAX} characters")));
            }
            _ => {}
        }
        match &self.origins {
            None if new => faults.push(FieldFault::required("origins")),
            Some(origins) if origins.is_empty() || origins.len() > MOST_ORIGINS => {
                faults.push(FieldFault::new("origins", format!("must be 1 to {MOST_ORIGINS} origins")));
            }
            Some(origins) => {
                let wrong = |(at, origin): (usize, &String)| {
                    let error = PageOrigin::parse(origin).err()?;
                    Some(FieldFault::new(format!("origins[{at}]"), error.to_string()))
                };
                faults.extend(origins.iter().enumerate().filter_map(wrong));
            }
            None => {}
        }
        faults.extend(self.look.iter().flat_map(SiteAppearance::faults));
        faults.extend(self.texts.iter().flat_map(SiteTexts::faults));
        faults.extend(self.form.iter().flatten().flat_map(|form| form.faults("form")));
        faults
    }

    pub fn read_origins(&self) -> Option<Vec<PageOrigin>> {
        let mut origins: Vec<PageOrigin> =
            self.origins.as_ref()?.iter().filter_map(|origin| PageOrigin::parse(origin).ok()).collect();
        origins.sort();
        origins.dedup();
        Some(origins)
    }

    pub fn apply(&self, settings: &mut SiteSettings) {
        if let Some(look) = &self.look {
            settings.look.clone_from(look);
        }
        if let Some(texts) = &self.texts {
            settings.texts.clone_from(texts);
        }
        if let Some(form) = &self.form {
            settings.form.clone_from(form);
        }
    }
}

impl SiteAppearance {
    pub fn text_on_color(&self) -> Color {
        self.text_color.unwrap_or_else(|| self.color.text_on())
    }

    fn faults(&self) -> Vec<FieldFault> {
        let mut faults = Vec::new();
        if self.text_color.is_some_and(|text| !text.is_readable_on(self.color)) {
            let said = "cannot be read on `color`: the contrast must be 4.5 to 1 or more (WCAG 2.2, 1.4.3)";
            faults.push(FieldFault::new("look.textColor", said));
        }
        let plain = self.language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !plain || !(2..=35).contains(&self.language.len()) {
            faults.push(FieldFault::new("look.language", "must be a language tag such as en or pt-BR"));
        }
        faults
    }
}

impl SiteTexts {
    /// The site's own text for a key of the widget. A blank one counts as none.
    pub fn own(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|text| !text.trim().is_empty())
    }

    fn faults(&self) -> Vec<FieldFault> {
        let judge = |(key, text): (&String, &String)| {
            let at = || format!("texts.{key}");
            if !TEXT_KEYS.contains(&key.as_str()) {
                return Some(FieldFault::new(at(), format!("is not a text of the widget: {}", TEXT_KEYS.join(", "))));
            }
            let long = text.chars().count() > TEXT_MAX;
            let odd = text.chars().any(|c| c.is_control() && c != '\n');
            (long || odd).then(|| FieldFault::new(at(), format!("must be at most {TEXT_MAX} characters")))
        };
        self.0.iter().filter_map(judge).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn form(body: Value) -> SiteForm {
        body::parse(body.to_string().as_bytes()).unwrap()
    }

    fn fields(body: Value, new: bool) -> Vec<String> {
        form(body).faults(new).into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn a_new_site_needs_a_name_and_an_origin_and_an_update_nothing() {
        assert_eq!(fields(json!({}), true), ["name", "origins"]);
        assert!(fields(json!({}), false).is_empty());
        assert!(fields(json!({ "name": "Shop", "origins": ["https://shop.example"] }), true).is_empty());
    }

    #[test]
    fn every_fault_is_named() {
        let faults = fields(
            json!({
                "name": " ",
                "origins": ["https://shop.example", "*"],
                "look": { "color": "#ffffff", "textColor": "#eeeeee", "language": "x" },
                "texts": { "title": "x".repeat(501), "script": "alert(1)" },
                "form": { "fields": [] },
            }),
            true,
        );
        assert_eq!(
            faults,
            ["name", "origins[1]", "look.textColor", "look.language", "texts.script", "texts.title", "form.fields"]
        );
        for body in
            [json!({ "colour": "#ffffff" }), json!({ "look": { "color": "red" } }), json!({ "look": { "x": 1 } })]
        {
            assert!(body::parse::<SiteForm>(body.to_string().as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn an_update_keeps_absent_fields_and_null_clears() {
        let mut settings = SiteSettings::default();
        form(json!({ "texts": { "title": "Hello" }, "form": { "fields": [{ "key": "name", "label": "Name" }] } }))
            .apply(&mut settings);
        form(json!({ "look": { "direction": "RTL" } })).apply(&mut settings);
        assert_eq!(settings.look.direction, TextDirection::Rtl);
        assert_eq!((settings.texts.0.len(), settings.form.is_some()), (1, true));
        form(json!({ "form": null })).apply(&mut settings);
        assert_eq!(settings.form, None);
    }

    #[test]
    fn text_on_a_colour_can_be_read_unless_the_site_says_otherwise() {
        let look = SiteAppearance { color: Color::WHITE, ..SiteAppearance::default() };
        assert_eq!(look.text_on_color(), Color::BLACK);
        assert_eq!(SiteAppearance::default().text_on_color(), Color::WHITE);
    }
}
