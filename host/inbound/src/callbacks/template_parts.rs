//! Finds the changed parts of a template. The callback has the new parts (PROVIDERS 0.5), which are compared with the
//! catalogue.

use domain::{
    event::{TemplateChange, TemplateChanged, TemplateElement},
    ids::ClientId,
};
use serde_json::Value;
use storage::{PgConnection, inboxes::templates};

use base::Result;

/// One change for each part that differs. If no part differs (the catalogue was fetched in between), or if the template
/// is not in the catalogue: one for each part in the callback.
pub(super) async fn changes(
    db: &mut PgConnection,
    client: ClientId,
    account: &str,
    value: &Value,
) -> Result<Vec<TemplateChanged>> {
    let text = |name: &str| value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let Some(name) = text("message_template_name") else { return Ok(Vec::new()) };
    let id = value.get("message_template_id").and_then(|id| id.as_u64().map(|id| id.to_string()));
    let known = match &id {
        Some(id) => templates::by_ids(db, client, &[(account.to_owned(), id.clone())]).await?,
        None => Vec::new(),
    };
    let now = Parts::from_callback(value);
    let different =
        known.first().map(|row| now.unlike(&Parts::from_catalogue(&row.record.components.0))).unwrap_or_default();
    let elements = if different.is_empty() { now.unlike(&Parts::default()) } else { different };
    let language = text("message_template_language");
    let changed = |element| TemplateChanged {
        id: id.clone(),
        name: name.clone(),
        language: language.clone(),
        change: TemplateChange::Components { element },
    };
    Ok(elements.into_iter().map(changed).collect())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Parts {
    header: Option<String>,
    body: Option<String>,
    footer: Option<String>,
    buttons: Vec<(String, String)>,
}

impl Parts {
    fn from_callback(value: &Value) -> Self {
        let text = |name: &str| value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            header: text("message_template_title"),
            body: text("message_template_element"),
            footer: text("message_template_footer"),
            buttons: buttons(
                value.get("message_template_buttons"),
                "message_template_button_type",
                "message_template_button_text",
            ),
        }
    }

    fn from_catalogue(components: &Value) -> Self {
        let part = |kind: &str| {
            let all = components.as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter()
                .find(|part| part.get("type").and_then(Value::as_str).is_some_and(|of| of.eq_ignore_ascii_case(kind)))
        };
        // A header with a file has no text, and callbacks do not mention it.
        let text = |kind: &str| part(kind)?.get("text")?.as_str().map(str::to_owned);
        Self {
            header: text("HEADER"),
            body: text("BODY"),
            footer: text("FOOTER"),
            buttons: buttons(part("BUTTONS").and_then(|part| part.get("buttons")), "type", "text"),
        }
    }

    fn unlike(&self, other: &Self) -> Vec<TemplateElement> {
        let differs = [
            (TemplateElement::Header, self.header != other.header),
            (TemplateElement::Body, self.body != other.body),
            (TemplateElement::Footer, self.footer != other.footer),
            (TemplateElement::Buttons, self.buttons != other.buttons),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(element, _)| element).collect()
    }
}

fn buttons(list: Option<&Value>, kind: &str, text: &str) -> Vec<(String, String)> {
    let word = |button: &Value, name: &str| button.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|button| (word(button, kind).to_ascii_uppercase(), word(button, text))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn from_catalogue() -> Parts {
        Parts::from_catalogue(&json!([
            { "type": "HEADER", "format": "TEXT", "text": "Order" },
            { "type": "BODY", "text": "Hello {{1}}" },
            { "type": "BUTTONS", "buttons": [{ "type": "QUICK_REPLY", "text": "Track" }] },
        ]))
    }

    fn from_callback(changes: &Value) -> Vec<TemplateElement> {
        let mut value = json!({
            "message_template_title": "Order",
            "message_template_element": "Hello {{1}}",
            "message_template_buttons": [
                { "message_template_button_type": "QUICK_REPLY", "message_template_button_text": "Track" },
            ],
        });
        value.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        Parts::from_callback(&value).unlike(&from_catalogue())
    }

    #[test]
    fn each_changed_part_is_named() {
        assert_eq!(from_callback(&json!({})), []);
        assert_eq!(from_callback(&json!({ "message_template_element": "Hi {{1}}" })), [TemplateElement::Body]);
        assert_eq!(from_callback(&json!({ "message_template_title": null })), [TemplateElement::Header]);
        let both = json!({ "message_template_footer": "Bye", "message_template_buttons": [] });
        assert_eq!(from_callback(&both), [TemplateElement::Footer, TemplateElement::Buttons]);
    }

    #[test]
    fn a_header_that_is_a_file_is_no_text_that_was_taken_away() {
        let parts =
            Parts::from_catalogue(&json!([{ "type": "header", "format": "IMAGE" }, { "type": "BODY", "text": "a" }]));
        assert_eq!(
            Parts::from_callback(&json!({ "message_template_element": "b" })).unlike(&parts),
            [TemplateElement::Body]
        );
    }
}
