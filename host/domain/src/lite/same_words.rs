//! Recognises a message of ours in the report of a device, which names its text and not our id.

use crate::content::{Location, OutboundContent};

use super::text_of;

/// Degrees: engines round places differently.
const SAME_PLACE: f64 = 0.000_1;

/// True if a message that a device reports as sent can be this one of ours. Files are compared by their captions: some
/// engines report only the caption.
pub fn says_the_same(ours: &OutboundContent, reported: &OutboundContent) -> bool {
    match (ours, reported) {
        (OutboundContent::Reaction(_), _) | (_, OutboundContent::Reaction(_)) => false,
        (OutboundContent::Location(ours), OutboundContent::Location(reported)) => is_same_place(ours, reported),
        (OutboundContent::Location(_), _) | (_, OutboundContent::Location(_)) => false,
        _ => (is_file(ours) || !is_file(reported)) && words(ours) == words(reported),
    }
}

fn is_same_place(one: &Location, other: &Location) -> bool {
    let is_near = |one: f64, other: f64| (one - other).abs() < SAME_PLACE;
    is_near(one.latitude, other.latitude) && is_near(one.longitude, other.longitude)
}

/// True if the message goes out as a file: a template with a file in its header does.
fn is_file(content: &OutboundContent) -> bool {
    match content {
        OutboundContent::Media(_) => true,
        OutboundContent::Template(template) => template.header.is_some(),
        OutboundContent::Text { .. }
        | OutboundContent::Location(_)
        | OutboundContent::Reaction(_)
        | OutboundContent::Buttons(_)
        | OutboundContent::List(_)
        | OutboundContent::Sms(_) => false,
    }
}

/// The words of a message, line by line. Engines cut blanks at the ends.
fn words(content: &OutboundContent) -> String {
    let text = text_of(content).unwrap_or_default();
    text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{MediaKind, OutboundMedia, Reaction};

    fn text(body: &str) -> OutboundContent {
        OutboundContent::Text { body: body.to_owned() }
    }

    fn file(caption: Option<&str>) -> OutboundContent {
        OutboundContent::Media(OutboundMedia {
            kind: MediaKind::Image,
            url: "https://host/a.jpg".to_owned(),
            caption: caption.map(str::to_owned),
            filename: None,
        })
    }

    fn place(latitude: f64) -> OutboundContent {
        OutboundContent::Location(Location { latitude, longitude: 28.0, name: None, address: None })
    }

    #[test]
    fn a_text_is_recognised_although_an_engine_cuts_its_blanks() {
        assert!(says_the_same(&text("hello\r\nyou "), &text("hello\nyou")));
        assert!(!says_the_same(&text("hello"), &text("hello you")));
    }

    #[test]
    fn a_file_is_recognised_by_its_caption_and_a_text_is_no_file() {
        assert!(says_the_same(&file(Some("a cat")), &file(Some("a cat"))));
        assert!(says_the_same(&file(None), &file(Some(""))));
        assert!(!says_the_same(&file(Some("a cat")), &file(None)));
        assert!(says_the_same(&file(Some("a cat")), &text("a cat")), "an engine without the file");
        assert!(!says_the_same(&text("a cat"), &file(Some("a cat"))));
    }

    #[test]
    fn a_place_is_recognised_and_a_reaction_never_is() {
        assert!(says_the_same(&place(-26.1), &place(-26.100_01)));
        assert!(!says_the_same(&place(-26.1), &place(-26.2)));
        assert!(!says_the_same(&place(-26.1), &text("")));
        let reaction = OutboundContent::Reaction(Reaction { message_id: "3A01".to_owned(), emoji: None });
        assert!(!says_the_same(&reaction, &reaction));
    }
}
