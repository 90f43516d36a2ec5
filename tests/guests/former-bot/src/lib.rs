//! A chatbot built with nothing but the generator, straight against the last interfaces of the track 0.2. It uses the
//! functions and the actions that this track added.

wit_bindgen::generate!({ path: "../../../wit/plugin-0.2.1", world: "chatbot" });

use exports::patchbay::plugin::bot::{Action, Event, EventKind, Guest, ReplyText, Session};
use patchbay::plugin::types::{Content, Error};
use patchbay::plugin::{http, kv};

struct Former;

impl Guest for Former {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let heard = match &event.kind {
            EventKind::Message(message) => match &message.content {
                Content::Button(tapped) => format!("button {}", tapped.payload),
                _ => message.id.clone(),
            },
            EventKind::Custom(custom) => format!("{} {}", custom.name, custom.payload),
            _ => return Ok(vec![]),
        };
        let _ = kv::set_expiring(kv::Scope::Participant, "seen", b"1", 60);
        let keys = kv::list_keys(kv::Scope::Participant, "", None, 10).unwrap_or_default();
        let request = http::Request {
            method: "GET".into(),
            url: "https://nowhere.example/".into(),
            headers: vec![],
            body: None,
            timeout_ms: None,
        };
        let reached = http::send(&request).is_ok();
        let named =
            session.metadata.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
        let text = format!("{heard} {:?} {named} {} {reached}", session.channel, keys.join(","));
        Ok(vec![
            Action::ReplyText(ReplyText { text, quote: None }),
            Action::AddTag("vip".into()),
            Action::CancelTimer("t".into()),
        ])
    }
}

export!(Former);
