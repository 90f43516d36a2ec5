//! A message of the bot, as a customer sees it.

use std::fmt::Write as _;

use domain::{
    custom_action::{self, CustomAction},
    send::RequestComponent,
};
use plugin_host::{
    WrittenFile,
    chatbot::{Action, MediaKind, ReplyTemplate},
    written_file_index,
};

/// The question that the host asks if a bot requests a rating.
const RATING_QUESTION: &str = "How was our service?";

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BotMessage {
    /// `text`, `buttons`, `list`, `image` and other kinds of files, `location`, `template` or `rating`.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) header: Option<String>,
    pub(crate) footer: Option<String>,
    pub(crate) options: Vec<BotChoice>,
    pub(crate) button_label: Option<String>,
    pub(crate) url: Option<String>,
    /// The bytes of a file that the bot wrote.
    pub(crate) content: Option<Vec<u8>>,
    pub(crate) name: Option<String>,
    pub(crate) place: Option<(f64, f64)>,
    pub(crate) parameters: Vec<String>,
    pub(crate) quote: Option<String>,
}

fn parameters(components: &[RequestComponent]) -> Vec<String> {
    let of_cards = |component: &RequestComponent| {
        let cards = component.cards.iter().flatten();
        cards.flat_map(|card| parameters(card.components.as_deref().unwrap_or_default())).collect::<Vec<_>>()
    };
    let own = |component: &RequestComponent| component.parameters.clone().unwrap_or_default();
    components.iter().flat_map(|component| own(component).into_iter().chain(of_cards(component))).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BotChoice {
    /// Sent back when the customer taps it.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
}

/// The name of a kind of file in conversation files.
pub(crate) fn media_word(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Video => "video",
        MediaKind::Audio => "audio",
        MediaKind::Voice => "voice",
        MediaKind::Document => "document",
        MediaKind::Sticker => "sticker",
        MediaKind::File => "file",
    }
}

pub(crate) const MEDIA: [MediaKind; 7] = [
    MediaKind::Image,
    MediaKind::Video,
    MediaKind::Audio,
    MediaKind::Voice,
    MediaKind::Document,
    MediaKind::Sticker,
    MediaKind::File,
];

impl BotMessage {
    /// Adds the file that the message names, from those that its call wrote.
    pub(crate) fn attach(&mut self, written: &[WrittenFile]) {
        let named = self.url.as_deref().and_then(written_file_index).and_then(|index| written.get(index));
        let Some(file) = named else { return };
        self.content = Some(file.bytes.to_vec());
        let name = Some(file.name.clone()).filter(|name| !name.is_empty());
        self.name = self.name.take().or(name);
    }

    /// The message of an action, if it sends one.
    pub(crate) fn of(action: &Action) -> Option<Self> {
        Some(match action {
            Action::ReplyText(reply) => {
                Self { kind: "text", text: reply.text.clone(), quote: reply.quote.clone(), ..Self::default() }
            }
            Action::ReplyMedia(reply) => Self {
                kind: media_word(reply.kind),
                text: reply.caption.clone().unwrap_or_default(),
                url: Some(reply.url.clone()),
                name: reply.filename.clone(),
                quote: reply.quote.clone(),
                ..Self::default()
            },
            Action::ReplyButtons(reply) => Self {
                kind: "buttons",
                text: reply.text.clone(),
                header: reply.header.clone(),
                footer: reply.footer.clone(),
                options: reply.buttons.iter().map(|button| choice(&button.id, &button.title, None)).collect(),
                quote: reply.quote.clone(),
                ..Self::default()
            },
            Action::ReplyList(reply) => {
                let rows = reply.sections.iter().flat_map(|section| &section.rows);
                Self {
                    kind: "list",
                    text: reply.text.clone(),
                    header: reply.header.clone(),
                    footer: reply.footer.clone(),
                    options: rows.map(|row| choice(&row.id, &row.title, row.description.as_ref())).collect(),
                    button_label: Some(reply.button_label.clone()),
                    quote: reply.quote.clone(),
                    ..Self::default()
                }
            }
            Action::ReplyLocation(reply) => Self {
                kind: "location",
                text: reply.location.address.clone().unwrap_or_default(),
                name: reply.location.name.clone(),
                place: Some((reply.location.latitude, reply.location.longitude)),
                quote: reply.quote.clone(),
                ..Self::default()
            },
            Action::ReplyTemplate(reply) => Self::of_template(reply),
            Action::Custom(text) => match custom_action::read(text)?.ok()? {
                CustomAction::ReplyTemplate(wanted) => {
                    let components = wanted.components.unwrap_or_default();
                    Self {
                        kind: "template",
                        name: Some(wanted.name),
                        url: components.iter().find_map(|component| component.url.clone()),
                        parameters: parameters(&components),
                        ..Self::default()
                    }
                }
            },
            Action::RequestRating => Self {
                kind: "rating",
                text: RATING_QUESTION.to_owned(),
                options: ["poor", "average", "excellent"].iter().map(|score| choice(score, score, None)).collect(),
                ..Self::default()
            },
            _ => return None,
        })
    }

    pub(crate) fn of_template(template: &ReplyTemplate) -> Self {
        Self {
            kind: "template",
            name: Some(template.name.clone()),
            parameters: template.parameters.clone(),
            url: template.header.as_ref().map(|header| header.url.clone()),
            ..Self::default()
        }
    }

    /// The message in a few readable lines. If `numbered`, each choice has the number that taps it.
    pub(crate) fn show(&self, numbered: bool) -> String {
        let mut lines = vec![];
        lines.extend(self.header.clone());
        match self.kind {
            "text" | "buttons" | "list" | "rating" => {}
            kind => lines.push(self.attachment(kind)),
        }
        if !self.text.is_empty() {
            lines.push(self.text.clone());
        }
        lines.extend(self.footer.clone());
        lines.extend(self.button_label.as_ref().map(|label| format!("({label})")));
        for (index, choice) in self.options.iter().enumerate() {
            let mark = if numbered { format!("{}.", index + 1) } else { "-".to_owned() };
            let mut line = format!("  {mark} {}", choice.title);
            if let Some(description) = &choice.description {
                let _ = write!(line, " ({description})");
            }
            if choice.id != choice.title {
                let _ = write!(line, " [{}]", choice.id);
            }
            lines.push(line);
        }
        lines.join("\n")
    }

    fn attachment(&self, kind: &str) -> String {
        let mut line = format!("[{kind}");
        if let Some(name) = &self.name {
            let _ = write!(line, " {name}");
        }
        if let Some((latitude, longitude)) = self.place {
            let _ = write!(line, " at {latitude}, {longitude}");
        }
        if let Some(url) = &self.url {
            let _ = write!(line, " {url}");
        }
        if !self.parameters.is_empty() {
            let _ = write!(line, " with {}", self.parameters.join(", "));
        }
        line + "]"
    }
}

fn choice(id: &str, title: &str, description: Option<&String>) -> BotChoice {
    BotChoice { id: id.to_owned(), title: title.to_owned(), description: description.cloned() }
}
