//! The content of one Messenger message (PROVIDERS B): 2,000 characters with up to 13 quick replies, or one file.

use crate::{
    content::{Location, OutboundContent, OutboundMedia, ReplyList},
    lite,
};

/// Characters of a text at most.
pub const TEXT_MAX: usize = 2000;
/// Characters of a quick reply's title at most.
pub const TITLE_MAX: usize = 20;
/// Characters of a payload at most.
pub const PAYLOAD_MAX: usize = 1000;
/// Bytes of a file at most.
pub const FILE_MAX: u64 = 25 << 20;
pub const MOST_QUICK_REPLIES: usize = 13;

/// Splits content into messages, each of which is one call: a file and its caption, or a long text.
pub fn in_messages(content: &OutboundContent, splitting: Splitting) -> Vec<OutboundContent> {
    let text = |body: &str| text(body, splitting.text_max);
    match content {
        OutboundContent::Media(media) if splitting.carries(media.caption.as_deref()) => vec![content.clone()],
        OutboundContent::Media(media) => with_words(media, media.caption.as_deref().map(text)),
        OutboundContent::Template(template) => {
            let words = OutboundContent::Template(crate::content::TemplateSend { header: None, ..template.clone() });
            let Some(header) = &template.header else { return vec![words] };
            let file = OutboundMedia {
                kind: header.kind,
                url: header.url.clone(),
                caption: None,
                filename: header.filename.clone(),
            };
            with_words(&file, Some(vec![words]))
        }
        OutboundContent::Text { body } => text(body),
        OutboundContent::List(list) if fits(lite::text_of(content), splitting) => {
            vec![OutboundContent::List(list.clone())]
        }
        OutboundContent::List(list) => long_list(list, splitting),
        OutboundContent::Buttons(_)
        | OutboundContent::Location(_)
        | OutboundContent::Reaction(_)
        | OutboundContent::Sms(_) => vec![content.clone()],
    }
}

/// How one message of a chat becomes several messages of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splitting {
    pub text_max: usize,
    /// Characters of a caption at most; 0: a file has none.
    pub caption_max: usize,
}

impl Splitting {
    fn carries(self, caption: Option<&str>) -> bool {
        caption.is_none_or(|caption| caption.chars().count() <= self.caption_max)
    }
}

fn with_words(file: &OutboundMedia, words: Option<Vec<OutboundContent>>) -> Vec<OutboundContent> {
    let file = OutboundContent::Media(OutboundMedia { caption: None, ..file.clone() });
    std::iter::once(file).chain(words.into_iter().flatten()).collect()
}

fn fits(text: Option<String>, splitting: Splitting) -> bool {
    text.is_none_or(|text| text.chars().count() <= splitting.text_max)
}

/// The words above a long list go first, and its rows stay together: their numbers are answers.
fn long_list(list: &ReplyList, splitting: Splitting) -> Vec<OutboundContent> {
    let above: Vec<&str> = list.header.iter().map(String::as_str).chain([list.body.as_str()]).collect();
    let rows = ReplyList { header: None, body: String::new(), ..list.clone() };
    let mut all = text(&above.join("\n"), splitting.text_max);
    all.push(OutboundContent::List(rows));
    all
}

/// A text in messages of at most `most` characters, broken where words or lines end.
fn text(body: &str, most: usize) -> Vec<OutboundContent> {
    let (mut rest, mut messages) = (body, Vec::new());
    while let Some((end, _)) = rest.char_indices().nth(most) {
        let (whole, _) = rest.split_at(end);
        let cut = whole.rfind('\n').or_else(|| whole.rfind(' ')).filter(|cut| *cut > 0).unwrap_or(end);
        let (said, left) = rest.split_at(cut);
        messages.push(said.trim_end().to_owned());
        rest = left.trim_start();
    }
    if messages.is_empty() || !rest.is_empty() {
        messages.push(rest.to_owned());
    }
    messages.into_iter().filter(|said| !said.is_empty()).map(|body| OutboundContent::Text { body }).collect()
}

pub fn title(text: &str) -> String {
    if text.chars().count() <= TITLE_MAX {
        return text.to_owned();
    }
    let cut: String = text.chars().take(TITLE_MAX - 1).collect();
    format!("{}…", cut.trim_end())
}

/// The quick replies of a message; `None` if they are too many or too long: then they become numbered lines.
pub fn quick_replies(content: &OutboundContent) -> Option<Vec<(String, String)>> {
    let choices = match content {
        OutboundContent::Buttons(_) | OutboundContent::Template(_) => lite::offered(content),
        _ => return None,
    };
    let fits = (1..=MOST_QUICK_REPLIES).contains(&choices.len())
        && choices.iter().all(|choice| choice.payload.chars().count() <= PAYLOAD_MAX && !choice.label.is_empty());
    fits.then(|| choices.into_iter().map(|choice| (title(&choice.label), choice.payload)).collect())
}

pub fn place_text(place: &Location) -> String {
    let link = format!("https://www.google.com/maps/search/?api=1&query={},{}", place.latitude, place.longitude);
    let named = [&place.name, &place.address].into_iter().flatten().map(String::as_str);
    named.filter(|line| !line.trim().is_empty()).chain([link.as_str()]).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{ListRow, ListSection, MediaKind, ReplyButton, ReplyButtons};

    const MESSENGER: Splitting = Splitting { text_max: TEXT_MAX, caption_max: 0 };

    fn texts(content: &OutboundContent) -> Vec<String> {
        let said = |one: OutboundContent| match one {
            OutboundContent::Text { body } => body,
            other => format!("{other:?}").chars().take(5).collect(),
        };
        in_messages(content, MESSENGER).into_iter().map(said).collect()
    }

    fn of(body: String) -> OutboundContent {
        OutboundContent::Text { body }
    }

    #[test]
    fn a_text_of_2000_characters_is_one_message_and_one_more_makes_two() {
        let whole = "é".repeat(TEXT_MAX);
        assert_eq!(texts(&of(whole.clone())), [whole.as_str()]);
        let parts = texts(&of(format!("{whole}x")));
        assert_eq!(parts, [whole.as_str(), "x"]);
    }

    #[test]
    fn a_long_text_is_broken_between_words_and_loses_none() {
        let body = vec!["word"; 1000].join(" ");
        let parts = texts(&of(body.clone()));
        assert!(parts.len() >= 3 && parts.iter().all(|part| part.chars().count() <= TEXT_MAX));
        assert_eq!(parts.join(" "), body);
    }

    #[test]
    fn a_file_with_text_is_two_messages() {
        let file = OutboundMedia {
            kind: MediaKind::Image,
            url: "https://example.org/a.jpg".to_owned(),
            caption: Some("Look".to_owned()),
            filename: None,
        };
        assert_eq!(texts(&OutboundContent::Media(file.clone())), ["Media", "Look"]);
        let mute = OutboundMedia { caption: None, ..file };
        assert_eq!(texts(&OutboundContent::Media(mute)), ["Media"]);
    }

    fn list(description: usize) -> OutboundContent {
        let row = |n: usize| ListRow {
            id: format!("r{n}"),
            title: format!("Row {n}"),
            description: Some("d".repeat(description)),
        };
        OutboundContent::List(ReplyList {
            header: Some("Head".to_owned()),
            body: "b".repeat(1500),
            footer: None,
            button: "Open".to_owned(),
            sections: vec![ListSection { title: String::new(), rows: (1..=10).map(row).collect() }],
        })
    }

    #[test]
    fn a_list_is_one_message_where_it_fits_and_else_its_rows_stay_together() {
        assert_eq!(texts(&list(10)), ["List("]);
        let parts = in_messages(&list(72), MESSENGER);
        assert_eq!(parts.len(), 2);
        assert_eq!(lite::offered(&parts[1]).len(), 10);
        assert!(fits(lite::text_of(&parts[1]), MESSENGER));
    }

    fn buttons(titles: &[&str]) -> OutboundContent {
        let button = |title: &&str| ReplyButton { id: format!("ID_{title}"), title: (*title).to_owned() };
        OutboundContent::Buttons(ReplyButtons {
            header: None,
            body: "Deliver?".to_owned(),
            footer: None,
            buttons: titles.iter().map(button).collect(),
        })
    }

    #[test]
    fn buttons_are_quick_replies_whose_titles_have_20_characters_at_most() {
        let replies = quick_replies(&buttons(&["Yes", "exactly twenty chars", "one more than twenty!"])).unwrap();
        let titles: Vec<&str> = replies.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Yes", "exactly twenty chars", "one more than twent…"]);
        assert_eq!(replies[2].1, "ID_one more than twenty!");
    }

    #[test]
    fn thirteen_quick_replies_fit_and_fourteen_do_not() {
        let titles = vec!["a"; 14];
        assert_eq!(quick_replies(&buttons(&titles[..13])).unwrap().len(), 13);
        assert_eq!(quick_replies(&buttons(&titles)), None);
    }

    #[test]
    fn a_location_is_reported_with_a_link() {
        let place = Location { latitude: -26.1, longitude: 28.0, name: Some("Shop".to_owned()), address: None };
        assert_eq!(place_text(&place), "Shop\nhttps://www.google.com/maps/search/?api=1&query=-26.1,28");
    }
}
