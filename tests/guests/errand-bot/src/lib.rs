//! A chatbot that calls the given addresses, and keeps the answers.

use std::time::SystemTime;

use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::http;
use patchbay_plugin_sdk::kv::{self, Scope};

struct Errands;

impl Chatbot for Errands {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        if let EventKind::Timer(url) = &event.kind {
            return post_moment(url, &event, &session).map(|answer| vec![Action::text(answer)]);
        }
        let text = event.text().unwrap_or_default();
        let (deed, rest) = text.split_once(' ').unwrap_or((text, ""));
        let answer = match deed {
            "get" => get(rest),
            "try" => get(rest).or_else(|error| Ok(format!("{}: {}", error.code, error.message))),
            "post-twice" => post(rest).and_then(|_| post(rest)),
            "post-moment" => post_moment(rest, &event, &session),
            "post-moment-later" => return Ok(vec![Action::timer(rest, 60), Action::text("later")]),
            "keep" => keep(rest, Scope::Participant),
            "keep-for-all" => keep(rest, Scope::Client),
            "forget" => forget(),
            "state-and-trap" => {
                kv::set(Scope::Client, "trace", "was here")?;
                kv::set(Scope::Participant, "trace", "was here")?;
                panic!("the bot gives up on purpose");
            }
            "trace" => Ok(format!(
                "{:?} {:?}",
                kv::get_text(Scope::Client, "trace")?,
                kv::get_text(Scope::Participant, "trace")?
            )),
            _ => return Ok(vec![]),
        };
        answer.map(|answer| vec![Action::text(answer)])
    }
}

patchbay_plugin_sdk::export_chatbot!(Errands);

fn get(url: &str) -> Result<String, Error> {
    let response = http::get(url)?;
    Ok(format!("{} {}", response.status, String::from_utf8_lossy(&response.body)))
}

fn post(url: &str) -> Result<String, Error> {
    let response = http::post_json(url, r#"{"order":7}"#)?;
    Ok(format!("posted {}", response.status))
}

/// Posts every moment that it knows of; fails for now unless that is answered with 200.
fn post_moment(url: &str, event: &Event, session: &Session) -> Result<String, Error> {
    let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let LocalTime { hour, minute, .. } = session.local_time;
    let (now, happened) = (session.now_ms, event.timestamp_ms);
    let body = format!(r#"{{"wall":{wall},"now":{now},"happened":{happened},"hour":{hour},"minute":{minute}}}"#);
    let response = http::post_json(url, body)?;
    if response.status != 200 {
        return Err(Error::temporary("on-purpose", "not yet"));
    }
    Ok("posted 200".to_owned())
}

/// `keep NUMBER BYTES`: as many keys of that size.
fn keep(rest: &str, scope: Scope) -> Result<String, Error> {
    let (number, bytes) = rest.split_once(' ').ok_or("keep NUMBER BYTES")?;
    let number: usize = number.parse().map_err(|_| "keep NUMBER BYTES")?;
    let bytes: usize = bytes.parse().map_err(|_| "keep NUMBER BYTES")?;
    let before: usize = kv::get_text(scope, "kept")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    for index in before..before + number {
        kv::set(scope, &format!("key-{index}"), vec![b'x'; bytes])?;
    }
    kv::set(scope, "kept", (before + number).to_string())?;
    Ok(format!("kept {}", before + number))
}

fn forget() -> Result<String, Error> {
    let kept: usize = kv::get_text(Scope::Client, "kept")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    for index in 0..kept {
        kv::delete(Scope::Client, &format!("key-{index}"))?;
    }
    kv::set(Scope::Client, "kept", "0")?;
    Ok("forgotten".to_owned())
}
