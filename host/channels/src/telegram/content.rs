//! Converts contents and ids for Telegram. Telegram counts messages per chat, so our message id is `bot:chat:number`.

use std::borrow::Cow;

use domain::{
    content::{OutboundContent, ReplyList},
    lite::{offered, place_payload, words_of},
};
use serde_json::{Value, json};

use crate::carrier::UnsupportedContent;

/// Maximum characters of a text.
const TEXT_MAX: usize = 4096;

pub(super) fn message_id(bot: &str, chat: &str, number: i64) -> String {
    format!("{bot}:{chat}:{number}")
}

/// The number of a message in its chat; `None` if the id belongs to an event that is not a message.
pub(super) fn number_of(id: &str) -> Option<i64> {
    let mut parts = id.splitn(3, ':');
    let of_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (bot, _chat) = (parts.next().filter(|bot| of_digits(bot))?, parts.next()?);
    parts.next().filter(|_| !bot.is_empty())?.parse().ok()
}

/// Returns the content as Telegram sends it. An empty or too long text is refused. The text of an SMS is
/// not checked here.
pub(super) fn carriable_content(content: &OutboundContent) -> Result<Cow<'_, OutboundContent>, UnsupportedContent> {
    match content {
        OutboundContent::Sms(sms) => Ok(Cow::Owned(OutboundContent::Text { body: sms.text.clone() })),
        OutboundContent::Text { .. }
        | OutboundContent::Buttons(_)
        | OutboundContent::Template(_)
        | OutboundContent::List(_) => {
            let words =
                words(content).ok_or_else(|| UnsupportedContent { reason: "the message has no text".to_owned() })?;
            if words.chars().count() > TEXT_MAX {
                return Err(UnsupportedContent {
                    reason: format!("a text of Telegram has at most {TEXT_MAX} characters"),
                });
            }
            Ok(Cow::Borrowed(content))
        }
        OutboundContent::Media(_) | OutboundContent::Location(_) | OutboundContent::Reaction(_) => {
            Ok(Cow::Borrowed(content))
        }
    }
}

/// The text of a message without its choices.
pub(super) fn words(content: &OutboundContent) -> Option<String> {
    let words = words_of(content).filter(|words| !words.trim().is_empty());
    let OutboundContent::List(list) = content else { return words };
    let described = row_descriptions(list);
    let all: Vec<String> = words.into_iter().chain(described).collect();
    Some(if all.is_empty() { list.button.clone() } else { all.join("\n") }).filter(|words| !words.trim().is_empty())
}

/// Lines for the rows that have a description, because their buttons show only the title.
fn row_descriptions(list: &ReplyList) -> impl Iterator<Item = String> {
    let rows = list.sections.iter().flat_map(|section| &section.rows);
    rows.filter_map(|row| {
        let description = row.description.as_deref().filter(|description| !description.trim().is_empty())?;
        Some(format!("• {} - {description}", row.title))
    })
}

/// One row for each choice. Payloads of Telegram have at most 64 bytes, so it carries the number of its choice.
pub(super) fn keyboard(content: &OutboundContent) -> Option<Value> {
    let choices = offered(content);
    let rows: Vec<Value> = choices
        .iter()
        .enumerate()
        .filter(|(_, choice)| !choice.label.trim().is_empty())
        .map(|(place, choice)| json!([{ "text": choice.label, "callback_data": place_payload(place + 1) }]))
        .collect();
    (!rows.is_empty()).then(|| json!({ "inline_keyboard": rows }))
}

#[cfg(test)]
mod tests {
    use domain::content::{ListRow, ListSection, ReplyButton, ReplyButtons};

    use super::*;

    #[test]
    fn only_the_id_of_a_message_has_a_number() {
        assert_eq!(number_of(&message_id("123", "456", 7)), Some(7));
        for made in ["tap:4382bfdwdsb323b2d9", "reaction:123:9000", "123:456", "7", ""] {
            assert_eq!(number_of(made), None, "{made}");
        }
    }

    #[test]
    fn a_button_has_the_place_of_its_choice_however_long_its_payload_is() {
        let button = |title: &str| ReplyButton { id: "p".repeat(256), title: title.to_owned() };
        let content = OutboundContent::Buttons(ReplyButtons {
            header: None,
            body: "Deliver?".to_owned(),
            footer: None,
            buttons: vec![button("Yes"), button("No")],
        });
        assert_eq!(words(&content).as_deref(), Some("Deliver?"));
        let rows = json!([[{ "text": "Yes", "callback_data": "pb:1" }], [{ "text": "No", "callback_data": "pb:2" }]]);
        assert_eq!(keyboard(&content), Some(json!({ "inline_keyboard": rows })));
    }

    #[test]
    fn the_text_of_a_list_has_the_details_that_its_buttons_lack() {
        let row = |title: &str, description: Option<&str>| ListRow {
            id: title.to_owned(),
            title: title.to_owned(),
            description: description.map(str::to_owned),
        };
        let rows = vec![row("Red", Some("a warm colour")), row("Blue", None)];
        let list = OutboundContent::List(ReplyList {
            header: None,
            body: "Which?".to_owned(),
            footer: None,
            button: "Open".to_owned(),
            sections: vec![ListSection { title: String::new(), rows }],
        });
        assert_eq!(words(&list).as_deref(), Some("Which?\n• Red - a warm colour"));
        assert_eq!(keyboard(&list).unwrap()["inline_keyboard"].as_array().unwrap().len(), 2);
    }
}
