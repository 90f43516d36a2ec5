//! A chatbot built with nothing but the generator, straight against the first released interfaces: it must go on
//! running on every later host of the track. It uses every interface that a chatbot may import.

wit_bindgen::generate!({ path: "../../../wit/plugin-0.1.0", world: "chatbot" });

use exports::patchbay::plugin::bot::{Action, Event, EventKind, Guest, ReplyText, Session};
use patchbay::plugin::types::{Content, Error};
use patchbay::plugin::{config, http, kv, log};

struct Older;

impl Guest for Older {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let EventKind::Message(message) = event.kind else { return Ok(vec![]) };
        let Content::Text(said) = message.content else { return Ok(vec![]) };
        if said == "tag" {
            return Ok(vec![Action::Tag("vip".into())]);
        }
        log::write(log::Level::Info, "an older bot was asked");
        let seen = kv::get(kv::Scope::Participant, "seen").ok().flatten().map_or(0, |value| value.len());
        let _ = kv::set(kv::Scope::Participant, "seen", &vec![b'x'; seen + 1]);
        let request = http::Request {
            method: "GET".into(),
            url: "https://nowhere.example/".into(),
            headers: vec![],
            body: None,
            timeout_ms: None,
        };
        let reached = http::send(&request).is_ok();
        let text = format!("{said} {} {seen} {reached} {}", config::get(), session.business_number);
        Ok(vec![Action::ReplyText(ReplyText { text, quote: None })])
    }
}

export!(Older);
