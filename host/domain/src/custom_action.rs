//! Actions of a chatbot that the interface has no case for: the JSON text of its action `custom` (`wit/README.md`, rule 3).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{body, send::RequestComponent, send::read_link};

#[derive(Debug, Clone, PartialEq)]
pub enum CustomAction {
    /// `reply-template`: a template with the components of a send request (SPEC 2.3), so that it can be a carousel.
    ReplyTemplate(ComposedTemplate),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComposedTemplate {
    pub name: String,
    /// The provider's id of it.
    pub id: String,
    /// Its values, as in a send request.
    #[serde(default, deserialize_with = "body::few_objects")]
    pub components: Option<Vec<RequestComponent>>,
}

const REPLY_TEMPLATE: &str = "reply-template";

/// Reads a `custom` action. `None`: this version does not know it. The error is the fault of a known action.
pub fn read(text: &str) -> Option<Result<CustomAction, String>> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) else { return None };
    match fields.remove("action")? {
        Value::String(name) if name == REPLY_TEMPLATE => Some(reply_template(&Value::Object(fields))),
        _ => None,
    }
}

fn reply_template(fields: &Value) -> Result<CustomAction, String> {
    let said = |field: &str, wrong: &str| format!("the action `custom` ({REPLY_TEMPLATE}): `{field}` {wrong}");
    let read = body::parse::<ComposedTemplate>(fields.to_string().as_bytes());
    let wanted = read.map_err(|fault| said(&fault.field, &fault.message))?;
    let components = wanted.components.iter().flatten();
    let of_cards = components.clone().flat_map(|component| component.cards.iter().flatten());
    let nested = of_cards.flat_map(|card| card.components.iter().flatten());
    let mut urls = components.chain(nested).filter_map(|component| component.url.as_deref());
    match urls.find_map(|url| read_link(url).err()) {
        Some(wrong) => Err(said("url", wrong)),
        None => Ok(CustomAction::ReplyTemplate(wanted)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carousel(url: &str) -> String {
        format!(
            r#"{{"action":"reply-template","name":"summer","id":"7","components":[{{"type":"carousel","cards":[
                {{"components":[{{"type":"header","format":"IMAGE","url":"{url}"}}]}}]}}]}}"#
        )
    }

    #[test]
    fn a_template_with_cards_is_read() {
        let Some(Ok(CustomAction::ReplyTemplate(read))) = read(&carousel("https://shop.example/a.jpg")) else {
            panic!("a template")
        };
        assert_eq!((read.name.as_str(), read.id.as_str()), ("summer", "7"));
        assert_eq!(read.components.unwrap()[0].cards.as_ref().unwrap().len(), 1);
    }

    #[test]
    fn the_fault_of_a_known_action_is_named() {
        let wrong = |text: &str| read(text).unwrap().unwrap_err();
        assert!(wrong(r#"{"action":"reply-template","id":"7"}"#).contains("name"));
        assert!(wrong(r#"{"action":"reply-template","name":"a","id":"7","card":1}"#).contains("card"));
        assert!(
            wrong(r#"{"action":"reply-template","name":"a","id":"7","components":[{"type":"picture"}]}"#)
                .contains("type")
        );
        assert!(wrong(&carousel("javascript:alert(1)")).contains("url"));
    }

    #[test]
    fn an_unknown_action_is_none() {
        for text in [r#"{"action":"reply-hologram"}"#, r#"{"name":"a"}"#, r#"{"action":7}"#, "[]", "7", "{"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
