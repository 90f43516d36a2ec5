//! A chatbot that calls the given addresses, keeps the answers, and shows the facts of its conversation.

use std::time::SystemTime;

use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::kv::{self, Scope};
use patchbay_plugin_sdk::{conversation, http};

struct Errands;

impl Chatbot for Errands {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        if let EventKind::Timer(url) = &event.kind {
            return post_moment(url, &event, &session).map(|answer| vec![Action::text(answer)]);
        }
        if let Some((job, result)) = event.finished() {
            return told(job, result);
        }
        let text = event.text().unwrap_or_default();
        let (deed, rest) = text.split_once(' ').unwrap_or((text, ""));
        let answer = match deed {
            "get" => get(rest),
            "try" => get(rest).or_else(|error| Ok(format!("{}: {}", error.code, error.message))),
            "post-twice" => post(rest).and_then(|_| post(rest)),
            "post-moment" => post_moment(rest, &event, &session),
            "post-moment-later" => return Ok(vec![Action::timer(rest, 60), Action::text("later")]),
            "start" => return start(rest, 90),
            "start-within" => {
                let (seconds, url) = rest.split_once(' ').ok_or("start-within SECONDS URL")?;
                return start(url, seconds.parse().map_err(|_| "start-within SECONDS URL")?);
            }
            "start-and-close" => return Ok(start(rest, 90)?.into_iter().chain([Action::Close]).collect()),
            "start-and-hand-over" => {
                return Ok(start(rest, 90)?.into_iter().chain([Action::hand_over("a person continues")]).collect());
            }
            "start-get" => return Ok(vec![Action::Typing, Action::state(http::start_get(rest, 90)?)]),
            "tag" => return Ok(vec![Action::tag(rest)]),
            "untag" => return Ok(vec![Action::remove_tag(rest)]),
            "attributes" => Ok(attributes(&session)),
            "attribute" => return Ok(vec![attribute(rest)?, Action::text("set")]),
            "like" => return Ok(like(&event)),
            "read" => return Ok(vec![Action::MarkRead]),
            "type" => return Ok(vec![Action::Typing]),
            "campaign" => {
                return Ok(vec![Action::template_later("step", 86_400, ("7", "order_ready"), &[rest]), Action::Close]);
            }
            "no-campaign" => return Ok(vec![Action::cancel_template("step")]),
            "remind" => return Ok(vec![Action::timer(rest, 3_600)]),
            "recall" => Ok(recall()),
            "channel" => Ok(format!("{:?}", session.channel)),
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
patchbay_plugin_sdk::export_config_check!(check);

/// Every topic of the configuration needs a name.
fn check(config: &str) -> Vec<(String, String)> {
    let topics = config.split("\"topics\":[").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    let empty = topics.split(',').enumerate().filter(|(_, topic)| *topic == "\"\"");
    empty.map(|(at, _)| (format!("topics[{at}]"), "is empty; give the topic a name".to_owned())).collect()
}

/// Starts a request with a deadline in seconds, and shows that an answer is coming.
fn start(url: &str, deadline: u32) -> Result<Vec<Action>, Error> {
    let job = http::start_json(url, &[("authorization", "Bearer errand")], r#"{"order":7}"#, deadline)?;
    Ok(vec![Action::Typing, Action::state(job)])
}

fn told(job: &str, result: Result<&http::Response, Error>) -> Result<Vec<Action>, Error> {
    let text = match result {
        Ok(response) => format!("{} {}", response.status, String::from_utf8_lossy(&response.body)),
        Err(error) => format!("{}: {}", error.code, error.message),
    };
    Ok(vec![Action::text(text), Action::state(format!("finished {job}"))])
}

/// All attributes of the contact.
fn attributes(session: &Session) -> String {
    let shown = session.attributes.iter().map(|attribute| match &attribute.value {
        AttributeValue::Number(number) => format!("{}={number}", attribute.name),
        AttributeValue::Boolean(yes) => format!("{}={yes}", attribute.name),
        words => format!("{}={}", attribute.name, words.as_str().unwrap_or_default()),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    if shown.is_empty() { "no attributes".to_owned() } else { shown }
}

/// `attribute NAME TYPE VALUE`, or `attribute NAME` to remove its value.
fn attribute(rest: &str) -> Result<Action, Error> {
    let mut words = rest.splitn(3, ' ');
    let (name, kind, value) =
        (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    Ok(match kind {
        "text" => Action::set_attribute(name, value),
        "number" => Action::set_attribute(name, value.parse::<f64>().map_err(|_| "not a number")?),
        "boolean" => Action::set_attribute(name, value == "true"),
        "date" => Action::set_attribute(name, AttributeValue::date(value)),
        "choice" => Action::set_attribute(name, AttributeValue::choice(value)),
        "other" => Action::set_attribute(name, AttributeValue::Other(value.to_owned())),
        _ => Action::remove_attribute(name),
    })
}

fn like(event: &Event) -> Vec<Action> {
    match &event.kind {
        EventKind::Message(message) => vec![Action::react(&message.id, "👍")],
        _ => vec![],
    }
}

/// The tags, timers and last three messages of the conversation.
fn recall() -> String {
    let messages: Vec<String> =
        conversation::history(3).iter().map(|said| format!("{:?} {} {}", said.author, said.kind, said.text)).collect();
    let timers: Vec<String> = conversation::timers().into_iter().map(|timer| timer.name).collect();
    format!("{} | {} | {}", conversation::tags().join(","), timers.join(","), messages.join("; "))
}

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
