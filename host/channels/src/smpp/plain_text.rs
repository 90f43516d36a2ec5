//! Plain text for content that SMS does not have.

use std::borrow::Cow;

use domain::{
    content::{Location, OutboundContent, OutboundMedia, ReplyButtons, ReplyList},
    segments,
};

use crate::carrier::UnsupportedContent;

/// The content as a text: a rendered template, numbered choices, files and locations as links.
pub(super) fn carriable_content(content: &OutboundContent) -> Result<Cow<'_, OutboundContent>, UnsupportedContent> {
    let text = text_of(content)?;
    segments::split(&text, false).map_err(|error| UnsupportedContent { reason: error.to_string() })?;
    Ok(match text {
        Cow::Borrowed(_) if matches!(content, OutboundContent::Text { .. }) => Cow::Borrowed(content),
        text => Cow::Owned(OutboundContent::Text { body: text.into_owned() }),
    })
}

pub(super) fn text_of(content: &OutboundContent) -> Result<Cow<'_, str>, UnsupportedContent> {
    let text: Cow<'_, str> = match content {
        OutboundContent::Text { body } => body.as_str().into(),
        OutboundContent::Sms(sms) => sms.text.as_str().into(),
        OutboundContent::Template(template) => template.rendered_text.as_str().into(),
        OutboundContent::Media(media) => lines(media_lines(media)).into(),
        OutboundContent::Buttons(buttons) => lines(button_lines(buttons)).into(),
        OutboundContent::List(list) => lines(list_lines(list)).into(),
        OutboundContent::Location(location) => lines(location_lines(location)).into(),
        OutboundContent::Reaction(_) => {
            return Err(UnsupportedContent { reason: "an SMS carries no reactions".to_owned() });
        }
    };
    if text.trim().is_empty() {
        return Err(UnsupportedContent { reason: "an SMS needs a text".to_owned() });
    }
    Ok(text)
}

fn lines(lines: Vec<Cow<'_, str>>) -> String {
    let said: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    said.join("\n")
}

fn media_lines(media: &OutboundMedia) -> Vec<Cow<'_, str>> {
    vec![media.caption.as_deref().unwrap_or_default().into(), media.url.as_str().into()]
}

/// The customer answers with the number or the title.
fn button_lines(buttons: &ReplyButtons) -> Vec<Cow<'_, str>> {
    let mut lines = vec![buttons.header.as_deref().unwrap_or_default().into(), buttons.body.as_str().into()];
    let choices = (1..).zip(&buttons.buttons);
    lines.extend(choices.map(|(number, button)| format!("{number}. {}", button.title).into()));
    lines.push(buttons.footer.as_deref().unwrap_or_default().into());
    lines
}

/// Numbers continue over the sections, so that each names one row.
fn list_lines(list: &ReplyList) -> Vec<Cow<'_, str>> {
    let mut lines = vec![list.header.as_deref().unwrap_or_default().into(), list.body.as_str().into()];
    let mut numbers = 1..;
    for section in &list.sections {
        lines.push(section.title.as_str().into());
        for (row, number) in section.rows.iter().zip(&mut numbers) {
            // A hyphen, because a dash is not in the GSM alphabet.
            let line = match row.description.as_deref().filter(|description| !description.is_empty()) {
                Some(description) => format!("{number}. {} - {description}", row.title),
                None => format!("{number}. {}", row.title),
            };
            lines.push(line.into());
        }
    }
    lines.push(list.footer.as_deref().unwrap_or_default().into());
    lines
}

fn location_lines(location: &Location) -> Vec<Cow<'_, str>> {
    vec![
        location.name.as_deref().unwrap_or_default().into(),
        location.address.as_deref().unwrap_or_default().into(),
        format!("https://maps.google.com/?q={},{}", location.latitude, location.longitude).into(),
    ]
}

#[cfg(test)]
mod tests {
    use domain::content::{ListRow, ListSection, MediaKind, ReplyButton, TemplateSend};

    use super::*;

    fn said(content: &OutboundContent) -> String {
        match carriable_content(content).unwrap().into_owned() {
            OutboundContent::Text { body } => body,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_goes_as_it_is() {
        let text = OutboundContent::Text { body: " Hello ".to_owned() };
        assert!(matches!(carriable_content(&text), Ok(Cow::Borrowed(same)) if *same == text));
    }

    #[test]
    fn buttons_become_numbered_lines() {
        let button = |title: &str| ReplyButton { id: "x".to_owned(), title: title.to_owned() };
        let buttons = OutboundContent::Buttons(ReplyButtons {
            header: Some("Order 7".to_owned()),
            body: "Deliver?".to_owned(),
            footer: Some("Shop".to_owned()),
            buttons: vec![button("Yes"), button("No")],
        });
        assert_eq!(said(&buttons), "Order 7\nDeliver?\n1. Yes\n2. No\nShop");
    }

    #[test]
    fn the_rows_of_a_list_are_numbered_through() {
        let row = |title: &str, description: Option<&str>| ListRow {
            id: "x".to_owned(),
            title: title.to_owned(),
            description: description.map(str::to_owned),
        };
        let list = OutboundContent::List(ReplyList {
            header: None,
            body: "Pick".to_owned(),
            footer: None,
            button: "Menu".to_owned(),
            sections: vec![
                ListSection { title: "Main".to_owned(), rows: vec![row("Sales", Some("Buy")), row("Help", None)] },
                ListSection { title: String::new(), rows: vec![row("Other", Some(""))] },
            ],
        });
        assert_eq!(said(&list), "Pick\nMain\n1. Sales - Buy\n2. Help\n3. Other");
    }

    #[test]
    fn files_and_locations_become_links() {
        let media = |caption: Option<&str>| {
            OutboundContent::Media(OutboundMedia {
                kind: MediaKind::Image,
                url: "https://host/a.jpg".to_owned(),
                caption: caption.map(str::to_owned),
                filename: None,
            })
        };
        assert_eq!(said(&media(Some("A cat"))), "A cat\nhttps://host/a.jpg");
        assert_eq!(said(&media(None)), "https://host/a.jpg");
        let place = OutboundContent::Location(Location {
            latitude: -26.1,
            longitude: 28.0,
            name: Some("Shop".to_owned()),
            address: None,
        });
        assert_eq!(said(&place), "Shop\nhttps://maps.google.com/?q=-26.1,28");
    }

    #[test]
    fn a_template_is_sent_as_its_text_and_fails_without_one() {
        let template = |rendered: &str| {
            OutboundContent::Template(TemplateSend {
                id: "1".to_owned(),
                name: "order_ready".to_owned(),
                language: "en".to_owned(),
                header: None,
                header_text: Vec::new(),
                body: Vec::new(),
                buttons: Vec::new(),
                cards: Vec::new(),
                rendered_text: rendered.to_owned(),
                replies: Vec::new(),
            })
        };
        assert_eq!(said(&template("Your order is ready")), "Your order is ready");
        assert!(carriable_content(&template("")).is_err());
    }

    #[test]
    fn a_text_of_255_parts_goes_and_a_longer_one_does_not() {
        let text = |length: usize| OutboundContent::Text { body: "a".repeat(length) };
        assert!(carriable_content(&text(255 * 153)).is_ok());
        let refused = carriable_content(&text(255 * 153 + 1)).unwrap_err();
        assert!(refused.to_string().contains("256"), "{refused}");
    }
}
