//! Choices on Lite: buttons become numbered lines, and an answer may be the number or the label (PROVIDERS D.4).

use serde::{Deserialize, Serialize};

use crate::content::{ListRow, OutboundContent, QuickReply, ReplyButtons, ReplyList, TemplateSend};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceKind {
    /// A tap on the quick reply of a template.
    Button,
    /// A tap on a reply button, or on a row of a list.
    Interactive,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NumberedChoice {
    pub label: String,
    pub payload: String,
    pub kind: ChoiceKind,
}

pub fn offered(content: &OutboundContent) -> Vec<NumberedChoice> {
    match content {
        OutboundContent::Template(template) => template
            .replies
            .iter()
            .map(|reply| NumberedChoice {
                label: reply.label.clone(),
                payload: reply.payload.clone(),
                kind: ChoiceKind::Button,
            })
            .collect(),
        OutboundContent::Buttons(buttons) => {
            let choice = |(label, payload): (&String, &String)| interactive(label, payload);
            buttons.buttons.iter().map(|button| choice((&button.title, &button.id))).collect()
        }
        OutboundContent::List(list) => rows(list).map(|row| interactive(&row.title, &row.id)).collect(),
        OutboundContent::Text { .. }
        | OutboundContent::Media(_)
        | OutboundContent::Location(_)
        | OutboundContent::Reaction(_)
        | OutboundContent::Sms(_) => Vec::new(),
    }
}

fn interactive(label: &str, payload: &str) -> NumberedChoice {
    NumberedChoice { label: label.to_owned(), payload: payload.to_owned(), kind: ChoiceKind::Interactive }
}

fn rows(list: &ReplyList) -> impl Iterator<Item = &ListRow> {
    list.sections.iter().flat_map(|section| &section.rows)
}

/// The words of a message, its choices numbered below; `None` for a file or a place without words.
pub fn text_of(content: &OutboundContent) -> Option<String> {
    let lines = match content {
        OutboundContent::Text { body } => return Some(body.clone()),
        OutboundContent::Sms(sms) => return Some(sms.text.clone()),
        OutboundContent::Media(media) => return media.caption.clone(),
        OutboundContent::Location(_) | OutboundContent::Reaction(_) => return None,
        OutboundContent::Template(template) => template_lines(template),
        OutboundContent::Buttons(buttons) => button_lines(buttons),
        OutboundContent::List(list) => list_lines(list),
    };
    let said: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

/// The words of a message without its choices, for channels that show those as buttons.
pub fn words_of(content: &OutboundContent) -> Option<String> {
    match content {
        OutboundContent::Template(template) => {
            let without = TemplateSend { replies: Vec::new(), ..template.clone() };
            text_of(&OutboundContent::Template(without))
        }
        OutboundContent::Buttons(buttons) => {
            let without = ReplyButtons { buttons: Vec::new(), ..buttons.clone() };
            text_of(&OutboundContent::Buttons(without))
        }
        OutboundContent::List(list) => {
            let without = ReplyList { sections: Vec::new(), ..list.clone() };
            text_of(&OutboundContent::List(without))
        }
        other => text_of(other),
    }
}

fn number_labels(labels: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    (1..).zip(labels).map(|(number, label)| format!("{number}. {label}"))
}

/// Choices of a card stand below it, for cards often have the same ones; their numbers run on.
fn template_lines(template: &TemplateSend) -> Vec<String> {
    if template.replies.is_empty() || template.cards.iter().all(|card| card.replies.is_empty()) {
        let labels = template.replies.iter().map(|reply| reply.label.clone());
        return std::iter::once(template.rendered_text.clone()).chain(number_labels(labels)).collect();
    }
    let mut numbers = 1..;
    let mut numbered = |replies: &[QuickReply]| -> Vec<String> {
        let one = |(reply, number): (&QuickReply, u32)| format!("{number}. {}", reply.label);
        replies.iter().zip(&mut numbers).map(one).collect()
    };
    let mut lines = vec![template.text_without_cards()];
    lines.extend(numbered(template.replies_without_cards()));
    for card in &template.cards {
        lines.push(card.rendered_text.clone());
        lines.extend(numbered(&card.replies));
    }
    lines
}

fn button_lines(buttons: &ReplyButtons) -> Vec<String> {
    let mut lines = vec![buttons.header.clone().unwrap_or_default(), buttons.body.clone()];
    lines.extend(number_labels(buttons.buttons.iter().map(|button| button.title.clone())));
    lines.push(buttons.footer.clone().unwrap_or_default());
    lines
}

/// Numbers run on over the sections, so that each names one row.
fn list_lines(list: &ReplyList) -> Vec<String> {
    let mut lines = vec![list.header.clone().unwrap_or_default(), list.body.clone()];
    let mut numbers = 1..;
    for section in &list.sections {
        lines.push(section.title.clone());
        for (row, number) in section.rows.iter().zip(&mut numbers) {
            let described = row.description.as_deref().filter(|description| !description.is_empty());
            let description = described.map(|description| format!(" - {description}")).unwrap_or_default();
            lines.push(format!("{number}. {}{description}", row.title));
        }
    }
    lines.push(list.footer.clone().unwrap_or_default());
    lines
}

/// Before the place of a choice, in the payload of a button.
const PLACE: &str = "pb:";

/// The payload of a button that stands for the choice at this place, from 1: for channels whose payloads are short.
pub fn place_payload(place: usize) -> String {
    format!("{PLACE}{place}")
}

pub fn place_of(payload: &str) -> Option<usize> {
    payload.strip_prefix(PLACE)?.parse().ok().filter(|place| *place > 0)
}

/// The choice with this payload: for channels with taps that do not name their message.
pub fn tapped<'c>(choices: &'c [NumberedChoice], payload: &str) -> Option<&'c NumberedChoice> {
    choices.iter().find(|choice| choice.payload == payload)
}

/// The choice of an answer: by its number, if the message is the last one or is quoted, or by its label. `None` if
/// unclear.
pub fn chosen<'c>(choices: &'c [NumberedChoice], said: &str, by_number: bool) -> Option<&'c NumberedChoice> {
    let said = said.trim();
    let digits = said.trim_end_matches(['.', ')']);
    if by_number && let Ok(number) = digits.parse::<usize>() {
        return choices.get(number.checked_sub(1)?);
    }
    let said = said.to_lowercase();
    let mut same = choices.iter().filter(|choice| choice.label.trim().to_lowercase() == said);
    same.next().filter(|_| same.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{CardParameters, ListSection, ReplyButton};

    fn buttons(titles: &[&str]) -> OutboundContent {
        let button = |title: &&str| ReplyButton { id: format!("ID_{title}"), title: (*title).to_owned() };
        OutboundContent::Buttons(ReplyButtons {
            header: None,
            body: "Deliver?".to_owned(),
            footer: Some("Shop".to_owned()),
            buttons: titles.iter().map(button).collect(),
        })
    }

    fn payload(choices: &[NumberedChoice], said: &str, by_number: bool) -> Option<String> {
        chosen(choices, said, by_number).map(|choice| choice.payload.clone())
    }

    #[test]
    fn a_number_or_a_label_is_a_tap() {
        let choices = offered(&buttons(&["Yes", "No"]));
        for said in ["1", " 1 ", "1.", "1)", "Yes", "yes", " YES "] {
            assert_eq!(payload(&choices, said, true).as_deref(), Some("ID_Yes"), "{said}");
        }
        assert_eq!(payload(&choices, "2", true).as_deref(), Some("ID_No"));
    }

    #[test]
    fn other_text_is_not_a_tap() {
        let choices = offered(&buttons(&["Yes", "No"]));
        for said in ["0", "3", "1 please", "yes please", "", "-1"] {
            assert_eq!(payload(&choices, said, true), None, "{said}");
        }
    }

    #[test]
    fn a_number_has_no_meaning_after_a_later_message_and_a_label_still_has() {
        let choices = offered(&buttons(&["Yes", "No"]));
        assert_eq!(payload(&choices, "1", false), None);
        assert_eq!(payload(&choices, "No", false).as_deref(), Some("ID_No"));
    }

    #[test]
    fn an_ambiguous_label_is_not_an_answer() {
        let choices = offered(&buttons(&["More", "More"]));
        assert_eq!(payload(&choices, "More", true), None);
        assert_eq!(payload(&choices, "2", true).as_deref(), Some("ID_More"));
    }

    #[test]
    fn choices_are_numbered_below_the_text() {
        assert_eq!(text_of(&buttons(&["Yes", "No"])).unwrap(), "Deliver?\n1. Yes\n2. No\nShop");
        let row = |title: &str| ListRow { id: format!("ID_{title}"), title: title.to_owned(), description: None };
        let list = OutboundContent::List(ReplyList {
            header: None,
            body: "Pick".to_owned(),
            footer: None,
            button: "Menu".to_owned(),
            sections: vec![
                ListSection { title: "Main".to_owned(), rows: vec![row("Sales")] },
                ListSection { title: String::new(), rows: vec![row("Other")] },
            ],
        });
        assert_eq!(text_of(&list).unwrap(), "Pick\nMain\n1. Sales\n2. Other");
        assert_eq!(payload(&offered(&list), "2", true).as_deref(), Some("ID_Other"));
    }

    #[test]
    fn the_quick_replies_of_a_template_are_numbered_and_are_its_buttons() {
        let template = template("Your order is ready", &["Track", "Stop"], Vec::new());
        assert_eq!(text_of(&template).unwrap(), "Your order is ready\n1. Track\n2. Stop");
        let choices = offered(&template);
        let tap = chosen(&choices, "track", true).unwrap();
        assert_eq!((tap.kind, tap.payload.as_str()), (ChoiceKind::Button, "P_Track"));
    }

    #[test]
    fn the_choices_of_each_card_stand_below_it_and_their_numbers_run_on() {
        let card = |said: &str, labels: &[&str]| CardParameters {
            header: None,
            body: Vec::new(),
            buttons: Vec::new(),
            rendered_text: said.to_owned(),
            replies: replies(labels),
        };
        let cards = vec![card("Blue shoes", &["Buy", "More"]), card("Red shoes", &["Buy", "More"])];
        let carousel = template("Look\nBlue shoes\nRed shoes\nShop", &["Stop", "Buy", "More", "Buy", "More"], cards);
        let said = "Look\nShop\n1. Stop\nBlue shoes\n2. Buy\n3. More\nRed shoes\n4. Buy\n5. More";
        assert_eq!(text_of(&carousel).unwrap(), said);
        assert_eq!(words_of(&carousel).unwrap(), "Look\nBlue shoes\nRed shoes\nShop");
        assert_eq!(payload(&offered(&carousel), "4", true).as_deref(), Some("P_Buy"));
    }

    fn replies(labels: &[&str]) -> Vec<QuickReply> {
        let reply = |label: &&str| QuickReply { label: (*label).to_owned(), payload: format!("P_{label}") };
        labels.iter().map(reply).collect()
    }

    fn template(rendered_text: &str, labels: &[&str], cards: Vec<CardParameters>) -> OutboundContent {
        OutboundContent::Template(TemplateSend {
            id: "1".to_owned(),
            name: "order_ready".to_owned(),
            language: "en".to_owned(),
            header: None,
            header_text: Vec::new(),
            body: Vec::new(),
            buttons: Vec::new(),
            cards,
            rendered_text: rendered_text.to_owned(),
            replies: replies(labels),
        })
    }
}
