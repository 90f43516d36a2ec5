//! Parses the request to send a message in a chat (SPEC 4.2 `POST /messages`).

use domain::{
    body::FieldFault,
    channel::Channel,
    channel_table::channel_names,
    content::{Location, Reaction},
    custom_action::ComposedTemplate,
    ids::ParticipantId,
    send::{CAPTION_MAX, TEXT_MAX},
};

/// Bound on names of messages and tracking ids, in characters.
const NAME_MAX: usize = 255;

#[derive(Debug, Clone, PartialEq)]
pub struct MessageDraft {
    pub participant: ParticipantId,
    pub channel: Channel,
    pub what: DraftContent,
    /// The sender's name for it, unique in the chat.
    pub temp_id: Option<String>,
    pub ct_id: Option<String>,
    /// Id of the quoted message: the provider's or ours.
    pub quotes: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DraftContent {
    Text(String),
    File {
        /// Its address: one of ours, or a public one.
        url: String,
        caption: Option<String>,
    },
    Place(Location),
    Reaction(Reaction),
    /// It needs no open window.
    Template(ComposedTemplate),
}

#[derive(Debug, Clone, Default)]
pub struct DraftRequest {
    pub participant: Option<String>,
    pub channel: Option<String>,
    pub text: Option<String>,
    pub media_url: Option<String>,
    pub location: Option<Location>,
    pub reaction: Option<Reaction>,
    pub temp_id: Option<String>,
    pub ct_id: Option<String>,
    pub quotes: Option<String>,
}

/// Checks names of messages and tracking ids.
pub(super) fn check_names(names: &[(&str, &Option<String>)], faults: &mut Vec<FieldFault>) {
    for (field, value) in names {
        let length = value.as_deref().map_or(1, |text| text.chars().count());
        if length == 0 || length > NAME_MAX {
            faults.push(FieldFault::new(*field, format!("must have 1 to {NAME_MAX} characters")));
        }
        if value.as_deref().is_some_and(|text| text.contains('\0')) {
            faults.push(FieldFault::new(*field, "contains a NUL character"));
        }
    }
}

impl DraftRequest {
    /// Checks the request without the database, and returns all faults.
    pub fn read(self) -> Result<MessageDraft, Vec<FieldFault>> {
        let mut faults = Vec::new();
        let participant = self.participant.as_deref().map(str::parse::<ParticipantId>);
        let channel = self.channel.as_deref().map(str::parse::<Channel>);
        match &participant {
            None => faults.push(FieldFault::new("participantId", "is required: the live-chat participant")),
            Some(Err(_)) => faults.push(FieldFault::new("participantId", "is not the id of a chat")),
            Some(Ok(_)) => {}
        }
        let known = channel.as_ref().and_then(|channel| channel.as_ref().ok());
        if known.is_none() {
            faults.push(FieldFault::new("channel", format!("is required: {}", channel_names())));
        }
        let names = [("tempId", &self.temp_id), ("ctId", &self.ct_id), ("quotedExternalMessageId", &self.quotes)];
        check_names(&names, &mut faults);
        let what = match self.reaction {
            None => draft_content(self.text, self.media_url, self.location, &mut faults),
            Some(reaction) => {
                let others = [
                    ("text", self.text.is_some()),
                    ("mediaUrl", self.media_url.is_some()),
                    ("location", self.location.is_some()),
                    ("quotedExternalMessageId", self.quotes.is_some()),
                ];
                react(reaction, others, &mut faults)
            }
        };
        match (participant, known, what) {
            (Some(Ok(participant)), Some(channel), Some(what)) if faults.is_empty() => Ok(MessageDraft {
                participant,
                channel: *channel,
                what,
                temp_id: self.temp_id,
                ct_id: self.ct_id,
                quotes: self.quotes,
            }),
            _ => Err(faults),
        }
    }
}

fn draft_content(
    text: Option<String>,
    url: Option<String>,
    place: Option<Location>,
    faults: &mut Vec<FieldFault>,
) -> Option<DraftContent> {
    let text = text.filter(|text| !text.trim().is_empty());
    let url = url.filter(|url| !url.trim().is_empty());
    let most = if url.is_some() { CAPTION_MAX } else { TEXT_MAX };
    let length = text.as_deref().map_or(0, |text| text.chars().count());
    if length > most {
        faults.push(FieldFault::new("text", format!("has {length} characters; {most} are allowed")));
    }
    if text.as_deref().is_some_and(|text| text.contains('\0')) {
        faults.push(FieldFault::new("text", "contains a NUL character"));
    }
    match (text, url, place) {
        (None, None, None) => {
            faults.push(FieldFault::new("text", "is required, unless mediaUrl, location or reaction is given"));
            None
        }
        (text, None, Some(place)) => {
            if text.is_some() {
                faults.push(FieldFault::new(
                    "text",
                    "cannot be given together with a location: send it as a message of its own",
                ));
            }
            let fits = (-90.0..=90.0).contains(&place.latitude) && (-180.0..=180.0).contains(&place.longitude);
            if !fits {
                let said = "must have a latitude from -90 to 90 and a longitude from -180 to 180";
                faults.push(FieldFault::new("location", said));
            }
            Some(DraftContent::Place(place))
        }
        (_, Some(_), Some(_)) => {
            faults.push(FieldFault::new(
                "location",
                "cannot be given together with a file: send it as a message of its own",
            ));
            None
        }
        // The prefix shows if it is one of our addresses.
        (caption, Some(url), None) => Some(DraftContent::File { url: url.trim().to_owned(), caption }),
        (Some(text), None, None) => Some(DraftContent::Text(text)),
    }
}

/// Bound on the characters of an emoji. A family is several with joiners.
const EMOJI_MAX: usize = 16;
/// From here on alphabetic characters are pictures.
const EMOJI_BLOCKS: char = '\u{1f000}';

/// Checks a reaction. `others`: fields that cannot be combined with it.
fn react(reaction: Reaction, others: [(&str, bool); 4], faults: &mut Vec<FieldFault>) -> Option<DraftContent> {
    for (field, _) in others.into_iter().filter(|(_, is_there)| *is_there) {
        faults.push(FieldFault::new(field, "cannot be given together with a reaction"));
    }
    if reaction.message_id.is_empty() || reaction.message_id.chars().count() > NAME_MAX {
        let said = format!("must be the provider's id of a message of this chat, of 1 to {NAME_MAX} characters");
        faults.push(FieldFault::new("reaction.externalMessageId", said));
    }
    // Keycaps such as 1 with U+20E3 begin with a digit.
    let is_word = |one: char| one.is_alphabetic() && one < EMOJI_BLOCKS && !['Ⓜ', 'ℹ'].contains(&one);
    let odd = |one: char| is_word(one) || one.is_whitespace() || one.is_control();
    let emoji = reaction.emoji.filter(|emoji| !emoji.is_empty());
    let is_emoji = |emoji: &String| emoji.chars().count() <= EMOJI_MAX && !emoji.chars().any(odd) && !emoji.is_ascii();
    if emoji.as_ref().is_some_and(|emoji| !is_emoji(emoji)) {
        faults.push(FieldFault::new("reaction.emoji", "must be one emoji; empty or null takes the reaction back"));
    }
    Some(DraftContent::Reaction(Reaction { emoji, ..reaction }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> DraftRequest {
        DraftRequest {
            participant: Some("01998000-0000-7000-8000-0000000000aa".to_owned()),
            channel: Some("WHATSAPP".to_owned()),
            text: Some("hello".to_owned()),
            ..DraftRequest::default()
        }
    }

    fn faulty(written: DraftRequest) -> Vec<String> {
        written.read().unwrap_err().into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn a_text_a_file_and_a_location_can_be_sent() {
        assert_eq!(written().read().unwrap().what, DraftContent::Text("hello".to_owned()));
        let url = "https://a.example/x.png".to_owned();
        let file = DraftRequest { media_url: Some(url.clone()), ..written() }.read().unwrap();
        assert_eq!(file.what, DraftContent::File { url, caption: Some("hello".to_owned()) });
        let place = Location { latitude: -26.1, longitude: 28.0, name: None, address: None };
        let said = DraftRequest { text: None, location: Some(place.clone()), ..written() }.read().unwrap();
        assert_eq!(said.what, DraftContent::Place(place));
    }

    #[test]
    fn a_reaction_is_one_emoji_and_stands_alone() {
        let react = |emoji: Option<&str>| DraftRequest {
            text: None,
            reaction: Some(Reaction { message_id: "wamid.1".to_owned(), emoji: emoji.map(str::to_owned) }),
            ..written()
        };
        for emoji in ["👍", "❤️", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "🅰️", "🇿🇦"]
        {
            let DraftContent::Reaction(said) = react(Some(emoji)).read().unwrap().what else { panic!("no reaction") };
            assert_eq!(said.emoji.as_deref(), Some(emoji));
        }
        for taken_back in [None, Some("")] {
            let DraftContent::Reaction(said) = react(taken_back).read().unwrap().what else { panic!("no reaction") };
            assert_eq!(said.emoji, None);
        }
        for wrong in ["ok", "1", "👍 👍", "👍\n", "спасибо", &"👍".repeat(17)] {
            assert_eq!(faulty(react(Some(wrong))), ["reaction.emoji"], "{wrong}");
        }
        assert_eq!(faulty(DraftRequest { text: Some("hello".to_owned()), ..react(Some("👍")) }), ["text"]);
        assert_eq!(
            faulty(DraftRequest { quotes: Some("wamid.1".to_owned()), ..react(Some("👍")) }),
            ["quotedExternalMessageId"]
        );
        let no_message = Reaction { message_id: String::new(), emoji: None };
        assert_eq!(faulty(DraftRequest { reaction: Some(no_message), ..react(None) }), ["reaction.externalMessageId"]);
    }

    #[test]
    fn all_faults_are_named_at_once() {
        assert_eq!(faulty(DraftRequest::default()), ["participantId", "channel", "text"]);
        assert_eq!(faulty(DraftRequest { channel: Some("PIGEON".to_owned()), ..written() }), ["channel"]);
        assert_eq!(faulty(DraftRequest { participant: Some("x".to_owned()), ..written() }), ["participantId"]);
        assert_eq!(faulty(DraftRequest { text: Some(" ".to_owned()), ..written() }), ["text"]);
        assert_eq!(faulty(DraftRequest { temp_id: Some(String::new()), ..written() }), ["tempId"]);
        let pole = Location { latitude: 91.0, longitude: 0.0, name: None, address: None };
        assert_eq!(faulty(DraftRequest { text: None, location: Some(pole), ..written() }), ["location"]);
    }

    #[test]
    fn texts_and_captions_are_taken_up_to_their_limits() {
        let text = |length| DraftRequest { text: Some("x".repeat(length)), ..written() };
        assert!(text(TEXT_MAX).read().is_ok());
        assert_eq!(faulty(text(TEXT_MAX + 1)), ["text"]);
        let caption = |length| DraftRequest { media_url: Some("https://a.example/x.png".to_owned()), ..text(length) };
        assert!(caption(CAPTION_MAX).read().is_ok());
        assert_eq!(faulty(caption(CAPTION_MAX + 1)), ["text"]);
    }
}
