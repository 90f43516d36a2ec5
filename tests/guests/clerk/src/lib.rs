//! A chatbot that follows orders: the text of a message names the action, as in `count` or `remind tea 60`.

use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::files;
use patchbay_plugin_sdk::kv::{self, Scope};

struct Clerk;

impl Chatbot for Clerk {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        if let Some((message, media)) = event.file()
            && media.caption.as_deref() == Some("read")
        {
            return Ok(vec![Action::text(read_whole(message)?), Action::state(message)]);
        }
        match &event.kind {
            EventKind::Message(message) => match &message.content {
                Content::Text(text) => obey(text, message, &session),
                other => Ok(vec![Action::text(format!("got {}", describe(other)))]),
            },
            EventKind::Rating(rating) => Ok(vec![Action::text(format!("rated {}", score(rating.score)))]),
            EventKind::AgentReleased => Ok(vec![Action::text(match session.last_team.as_deref() {
                Some(team) => format!("back from {team}"),
                None => "back with the clerk".to_owned(),
            })]),
            EventKind::Timer(name) => Ok(vec![Action::text(format!("time for {name}"))]),
            EventKind::Custom(event) => Ok(vec![Action::text(format!("heard {}: {}", event.name, event.payload))]),
            _ => Ok(vec![]),
        }
    }
}

patchbay_plugin_sdk::export_chatbot!(Clerk);

fn obey(text: &str, message: &IncomingMessage, session: &Session) -> Result<Vec<Action>, Error> {
    let (deed, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match deed {
        "say" => vec![Action::text(rest)],
        "count" => vec![Action::text(format!("count {}", add_one(Scope::Participant)?))],
        "total" => vec![Action::text(format!("total {}", add_one(Scope::Client)?))],
        "total-and-fail" => {
            add_one(Scope::Client)?;
            return Err(Error::new("on-purpose", "nothing of this may last"));
        }
        "flaky" if kv::get_text(Scope::Client, "repaired")?.is_none() => {
            return Err(Error::temporary("on-purpose", "not yet"));
        }
        "flaky" => vec![Action::text("recovered")],
        "repair" => {
            kv::set(Scope::Client, "repaired", "yes")?;
            vec![Action::text("repaired")]
        }
        "four-buttons" => vec![Action::buttons("Choose:", &[("1", "A"), ("2", "B"), ("3", "C"), ("4", "D")])],
        "template" => {
            let (id, name) = rest.split_once(' ').ok_or("template ID NAME")?;
            vec![Action::ReplyTemplate(ReplyTemplate {
                id: id.into(),
                name: name.into(),
                parameters: vec!["Thandi".into(), "#42".into()],
                header: None,
                button_parameters: vec!["42".into()],
            })]
        }
        "carousel" => {
            let (id, name) = rest.split_once(' ').ok_or("carousel ID NAME")?;
            vec![Action::Custom(carousel(id, name))]
        }
        "hologram" => vec![Action::Custom(r#"{"action":"reply-hologram"}"#.into()), Action::text("shown")],
        "unknown-template" => vec![Action::ReplyTemplate(ReplyTemplate {
            id: "1".into(),
            name: "nobody_knows_it".into(),
            parameters: vec![],
            header: None,
            button_parameters: vec![],
        })],
        "quote-nothing" => vec![Action::ReplyText(ReplyText { text: "quoted".into(), quote: Some("m-404".into()) })],
        "window" => vec![Action::text(match session.window_ends_ms {
            Some(end) => format!("window of {} h", end.saturating_sub(session.now_ms).div_ceil(3_600_000)),
            None => "no window".to_owned(),
        })],
        "remember" => vec![Action::state(rest), Action::text("noted")],
        "recall" => vec![Action::text(format!("you said: {}", session.state))],
        "remind" => {
            let (name, seconds) = rest.split_once(' ').ok_or("remind NAME SECONDS")?;
            let seconds = seconds.parse().map_err(|_| "remind NAME SECONDS")?;
            vec![Action::timer(name, seconds), Action::text(format!("reminder {name} set"))]
        }
        "forget" => vec![Action::cancel_timer(rest), Action::text(format!("no reminder {rest}"))],
        "keep" => {
            let (key, seconds) = rest.split_once(' ').ok_or("keep KEY SECONDS")?;
            let seconds = seconds.parse().map_err(|_| "keep KEY SECONDS")?;
            kv::set_expiring(Scope::Participant, key, "kept", seconds)?;
            vec![Action::text(format!("{key} is kept"))]
        }
        "keys" => vec![Action::text(format!("keys {:?}", kv::keys(Scope::Participant, rest)?))],
        "file" => vec![Action::text(read_whole(rest)?)],
        "last-file" => vec![Action::text(read_whole(&session.state)?)],
        "send-file" => vec![send_file(rest, "%PDF-1.4 by the clerk")?],
        "send-files" => {
            let numbers = 1..=rest.parse().map_err(|_| "send-files NUMBER")?;
            let sent: Result<Vec<Action>, Error> =
                numbers.map(|number: u32| send_file("", &format!("%PDF-1.4 number {number}"))).collect();
            sent?
        }
        "send-gif" => vec![send_file(rest, "GIF89a by the clerk")?],
        "send-text-file" => vec![send_file(rest, "of no type")?],
        "write-only" => vec![Action::text(files::write("a.pdf", "%PDF-1.4")?)],
        "part" => {
            let (offset, most) = rest.split_once(' ').ok_or("part OFFSET MOST")?;
            let offset = offset.parse().map_err(|_| "part OFFSET MOST")?;
            let most = most.parse().map_err(|_| "part OFFSET MOST")?;
            let part = files::read(&session.state, offset, most)?;
            vec![Action::text(format!("part of {} bytes, {:?}", part.len(), String::from_utf8_lossy(&part)))]
        }
        "vip" => vec![Action::tag("vip"), Action::text("tagged")],
        "quote" => vec![Action::ReplyText(ReplyText { text: "quoted".into(), quote: Some(message.id.clone()) })],
        "buttons" => vec![Action::buttons("Choose:", &[("yes-id", "Yes"), ("no-id", "No")])],
        "list" => vec![Action::list("Choose:", "Open", &[("red-id", "Red"), ("blue-id", "Blue")])],
        "where" => vec![Action::text(format!("on {} at {}", channel(session), session.business_number))],
        "rate" => vec![Action::RequestRating],
        "picture" => vec![Action::ReplyMedia(ReplyMedia {
            url: "https://example.org/a.jpg".into(),
            kind: MediaKind::Image,
            caption: Some("a picture".into()),
            filename: None,
            quote: None,
        })],
        "show" => vec![Action::ReplyMedia(ReplyMedia {
            url: rest.to_owned(),
            kind: MediaKind::Document,
            caption: None,
            filename: None,
            quote: None,
        })],
        "person" => vec![Action::text("one moment"), Action::hand_over("wants a person")],
        "person-of" => vec![
            Action::text(format!("one moment, a colleague of {rest}")),
            Action::HandOver(HandOver { team: Some(rest.to_owned()), note: None }),
        ],
        "place" => vec![Action::ReplyLocation(ReplyLocation {
            location: Location { latitude: -26.5, longitude: 28.25, name: Some("Shop".into()), address: None },
            quote: None,
        })],
        "bye" => vec![Action::text("goodbye"), Action::Close],
        "twice" => vec![Action::text(format!("{rest} 1")), Action::text(format!("{rest} 2"))],
        _ => vec![],
    })
}

/// A carousel of two cards, which the interface has no case for.
fn carousel(id: &str, name: &str) -> String {
    let card = |colour: &str| {
        format!(
            r#"{{"components":[{{"type":"header","format":"IMAGE","url":"https://shop.example/{colour}.jpg"}},
                {{"type":"body","parameters":["{colour}"]}},{{"type":"button","parameters":["more-{colour}"]}}]}}"#
        )
    };
    format!(
        r#"{{"action":"reply-template","id":"{id}","name":"{name}","components":[{{"type":"carousel","cards":[{},{}]}}]}}"#,
        card("blue"),
        card("red")
    )
}

fn score(score: RatingScore) -> &'static str {
    match score {
        RatingScore::Poor => "Poor",
        RatingScore::Average => "Average",
        RatingScore::Excellent => "Excellent",
    }
}

fn channel(session: &Session) -> &'static str {
    match session.channel {
        Channel::Whatsapp => "whatsapp",
        Channel::Web => "web",
        Channel::Messenger => "messenger",
        Channel::Sms => "sms",
        Channel::Telegram => "telegram",
        Channel::Other => "other",
    }
}

/// Counts up under one key and answers the new value.
fn add_one(scope: Scope) -> Result<u64, Error> {
    let before: u64 = kv::get_text(scope, "count")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    kv::set(scope, "count", (before + 1).to_string())?;
    Ok(before + 1)
}

fn send_file(name: &str, bytes: &str) -> Result<Action, Error> {
    Action::file(MediaKind::Document, name, bytes, None)
}

/// The size of a file, the sum of its bytes, and its beginning.
fn read_whole(message: &str) -> Result<String, Error> {
    let bytes = files::read_all(message, usize::MAX)?;
    let sum: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
    let beginning: String =
        bytes.iter().take(20).map(|byte| char::from(*byte)).filter(char::is_ascii_graphic).collect();
    Ok(format!("read {} bytes, sum {sum}, {beginning}", bytes.len()))
}

fn describe(content: &Content) -> String {
    match content {
        Content::Text(text) => format!("text {text}"),
        Content::Media(media) => format!("{:?} {}", media.kind, media.extension.as_deref().unwrap_or("?")),
        Content::Location(place) => format!("location {} {}", place.latitude, place.longitude),
        Content::Choice(choice) => {
            let source = match choice.source {
                ChoiceSource::Template => "button",
                ChoiceSource::Interactive => "choice",
                ChoiceSource::Carousel => "card",
                ChoiceSource::Other => "menu",
            };
            format!("{source} {}", choice.payload)
        }
        Content::Reaction(reaction) => format!("reaction {}", reaction.emoji.as_deref().unwrap_or("none")),
        Content::Contact(text) => format!("contact {text}"),
        Content::Other(kind) => format!("other {kind}"),
    }
}
