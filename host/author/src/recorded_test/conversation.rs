//! A recorded chat as a conversation with steps.

use chrono::{DateTime, SecondsFormat, TimeDelta, Timelike as _, Utc};
use plugin_host::chatbot::{ChoiceSource, Content, EventKind, IncomingMessage, RatingScore, Session};
use serde_json::{Map, Value, json};

use super::{
    call_result::ReadCall,
    environment::{stubs, values},
    privacy::Replacements,
    started_requests::{StartedRequests, repeatable},
};
use crate::local_run::{
    attributes,
    bot_message::{BotMessage, media_word},
    effects::HostEffect,
};

/// `None` if the calls cannot be played: they do not begin with the start of a chat, or a call failed.
pub(super) fn write_conversation(calls: &[ReadCall<'_>], replacements: &Replacements) -> Option<String> {
    let (first, session, _) = calls.first()?.turn()?;
    if !matches!(first.kind, EventKind::ConversationStarted) || calls.iter().any(|call| call.turn().is_none()) {
        return None;
    }
    let now = floor(calls.first()?.recording.now);
    let mut script = Script {
        steps: vec![],
        now,
        recorded_at: now,
        ahead: vec![],
        starting: vec![],
        jobs: calls.iter().flat_map(|call| &call.started).map(|started| started.job.clone()).collect(),
        requests: StartedRequests::default(),
        ended: true,
    };
    for call in calls {
        script.add(call)?;
    }
    let every: Vec<&ReadCall<'_>> = calls.iter().collect();
    let mut text = line("name", &"a recorded conversation".into());
    text.push_str(&line("config", &replacements.apply(&calls.first()?.config())));
    text.push_str(&line("now", &moment(now).into()));
    text.push_str(&line("time zone", &offset(session).into()));
    text.push_str(&line("session", &replacements.apply(&known_session(calls.first()?))));
    if let Some(values) = values(&every) {
        text.push_str(&line("kv", &replacements.apply(&values)));
    }
    let sent_and_started = |call: &&ReadCall<'_>| [stubs(&[*call]), script.requests.stubs(call)].concat();
    let stubs: Vec<Value> = every.iter().flat_map(sent_and_started).collect();
    if !stubs.is_empty() {
        text.push_str("http:\n");
        stubs.iter().for_each(|stub| text.push_str(&format!("  - {}\n", replacements.apply(stub))));
    }
    text.push_str("steps:\n");
    for (name, value) in &script.steps {
        // Moments are no personal data, and their digits must stay.
        let value = if *name == "clock" { value.clone() } else { replacements.apply(value) };
        text.push_str(&format!("  - {name}: {value}\n"));
    }
    Some(text)
}

fn line(name: &str, value: &Value) -> String {
    format!("{name}: {value}\n")
}

/// The fields of the session that the chat does not set by itself.
pub(super) fn known_session(call: &ReadCall<'_>) -> Value {
    let mut question = call.question.to_json();
    let mut session = question.get_mut("session").map(Value::take).unwrap_or_default();
    if let Value::Object(fields) = &mut session {
        for name in ["state", "nowMs", "localTime", "participantId"] {
            fields.remove(name);
        }
        fields.retain(|_, value| !value.is_null());
    }
    session
}

pub(super) fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// The offset of the client's time zone, such as `+02:00`.
pub(super) fn offset(session: &Session) -> String {
    let minutes = i32::from(session.local_time.utc_offset_minutes);
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

pub(super) fn floor(at: DateTime<Utc>) -> DateTime<Utc> {
    at.with_nanosecond(0).unwrap_or(at)
}

fn ceiling(at: DateTime<Utc>) -> DateTime<Utc> {
    if at == floor(at) { at } else { floor(at) + TimeDelta::seconds(1) }
}

struct Script {
    steps: Vec<(&'static str, Value)>,
    now: DateTime<Utc>,
    recorded_at: DateTime<Utc>,
    /// The effects of a start of the chat, until the message that caused it.
    ahead: Vec<HostEffect>,
    /// Jobs and deadlines of the requests that a call started, until the step that caused the call.
    starting: Vec<(String, TimeDelta)>,
    jobs: Vec<String>,
    requests: StartedRequests,
    /// Whether the bot has no chat: at the beginning and after it closed the chat.
    ended: bool,
}

impl Script {
    fn add(&mut self, call: &ReadCall<'_>) -> Option<()> {
        let (event, _, actions) = call.turn()?;
        let effects: Vec<HostEffect> = actions.iter().filter_map(HostEffect::of).collect();
        self.starting.extend(call.started.iter().map(|started| (started.job.clone(), started.deadline())));
        match &event.kind {
            EventKind::ConversationStarted => {
                if !std::mem::take(&mut self.ended) {
                    self.steps.push(("agent", "closes".into()));
                }
                self.ahead = effects;
                return Some(());
            }
            EventKind::Message(message) => {
                self.move_clock(floor(call.recording.now));
                self.steps.push(("customer", customer(message)));
            }
            EventKind::Timer(_) => {
                // The timer fires during this move, even if the clock stands there already.
                self.now = self.now.max(ceiling(call.recording.now));
                self.steps.push(("clock", moment(self.now).into()));
            }
            EventKind::Rating(rating) => {
                self.move_clock(floor(call.recording.now));
                let score = match rating.score {
                    RatingScore::Poor => "poor",
                    RatingScore::Average => "average",
                    RatingScore::Excellent => "excellent",
                };
                let mut given = Map::from_iter([("score".to_owned(), score.into())]);
                given.extend(rating.comment.clone().map(|comment| ("comment".to_owned(), comment.into())));
                self.steps.push(("rating", given.into()));
            }
            EventKind::AgentReleased => {
                self.move_clock(floor(call.recording.now));
                self.ended = false;
                self.steps.push(("agent", "releases".into()));
            }
            EventKind::HttpFinished(finished) => {
                // After every earlier step, so that no other step brings the answer.
                let at = ceiling(call.recording.now).max(self.now + TimeDelta::seconds(1));
                self.requests.end(finished, self.now, at)?;
                self.move_clock(at);
            }
            EventKind::Custom(custom) => {
                self.move_clock(floor(call.recording.now));
                let payload = serde_json::from_str(&custom.payload).unwrap_or_else(|_| json!({}));
                self.steps.push(("event", json!({ "name": custom.name, "payload": payload })));
            }
        }
        for (job, deadline) in std::mem::take(&mut self.starting) {
            self.requests.start(&job, self.now, deadline);
        }
        let effects: Vec<HostEffect> = std::mem::take(&mut self.ahead).into_iter().chain(effects).collect();
        self.expect(&effects);
        Some(())
    }

    fn move_clock(&mut self, to: DateTime<Utc>) {
        if to > self.now {
            self.now = to;
            self.steps.push(("clock", moment(to).into()));
        }
    }

    fn expect(&mut self, effects: &[HostEffect]) {
        for effect in effects {
            if let HostEffect::Said(said) = effect {
                self.steps.push(("bot", expected(said)));
            }
        }
        let state = effects.iter().rev().find_map(|effect| match effect {
            HostEffect::State(state) => Some(state),
            _ => None,
        });
        if let Some(state) = state {
            let read = serde_json::from_str::<Value>(state).ok().filter(|read| read.is_object() || read.is_array());
            let state = read.unwrap_or_else(|| state.as_str().into());
            self.steps.extend(repeatable(state, &self.jobs, self.recorded_at).map(|state| ("state", state)));
        }
        for effect in effects {
            match effect {
                HostEffect::HandedOver { team, note } => {
                    let mut wanted = Map::new();
                    wanted.extend(team.clone().map(|team| ("team".to_owned(), team.into())));
                    wanted.extend(note.clone().map(|note| ("note".to_owned(), note.into())));
                    let wanted = if wanted.is_empty() { true.into() } else { wanted.into() };
                    self.steps.push(("handed over", wanted));
                }
                HostEffect::Closed => {
                    self.ended = true;
                    self.steps.push(("closed", true.into()));
                }
                HostEffect::Tagged(tag) => self.steps.push(("tagged", tag.as_str().into())),
                HostEffect::AttributeSet { name, value } => {
                    let value = value.as_ref().map_or(Value::Null, attributes::shown);
                    self.steps.push(("attributes", Map::from_iter([(name.clone(), value)]).into()));
                }
                HostEffect::RatingAsked => self.steps.push(("rating asked", true.into())),
                HostEffect::Typing => self.steps.push(("typing", true.into())),
                HostEffect::Reacted { emoji, .. } => self.steps.push(("reacted", emoji.as_str().into())),
                _ => {}
            }
        }
    }
}

/// The input of a customer. Files and places of customers are replaced.
fn customer(message: &IncomingMessage) -> Value {
    let mut given = match &message.content {
        Content::Text(text) => Map::from_iter([("text".to_owned(), text.as_str().into())]),
        Content::Choice(choice) => {
            let source = match choice.source {
                ChoiceSource::Template => None,
                ChoiceSource::Interactive => return json!({ "tap": choice.payload }),
                ChoiceSource::Carousel => Some("carousel"),
                ChoiceSource::Other => Some("other"),
            };
            let mut given = Map::from_iter([
                ("button".to_owned(), choice.text.as_str().into()),
                ("payload".to_owned(), choice.payload.as_str().into()),
            ]);
            given.extend(source.map(|source| ("source".to_owned(), source.into())));
            given
        }
        Content::Location(_) => {
            Map::from_iter([("location".to_owned(), json!({ "latitude": -33.9249, "longitude": 18.4241 }))])
        }
        Content::Media(media) => {
            let extension = media.extension.as_deref().unwrap_or("bin");
            let url = format!("https://files.example.org/file.{extension}");
            let mut given = Map::from_iter([(media_word(media.kind).to_owned(), url.into())]);
            given.extend(media.caption.clone().map(|caption| ("caption".to_owned(), caption.into())));
            given.extend(media.mime.clone().map(|mime| ("mime".to_owned(), mime.into())));
            given
        }
        Content::Reaction(reaction) => {
            Map::from_iter([("reaction".to_owned(), reaction.emoji.clone().unwrap_or_default().into())])
        }
        Content::Contact(_) => Map::from_iter([("contact".to_owned(), "a contact".into())]),
        Content::Other(kind) => Map::from_iter([("unsupported".to_owned(), kind.as_str().into())]),
    };
    let quoted = message.quoted.as_ref().and_then(|quoted| quoted.text.clone());
    match (quoted, &message.content) {
        (None, Content::Text(text)) => text.as_str().into(),
        (quoted, _) => {
            given.extend(quoted.map(|text| ("quotes".to_owned(), text.into())));
            given.into()
        }
    }
}

fn expected(said: &BotMessage) -> Value {
    let is_keyword = matches!(said.text.as_str(), "nothing" | "anything");
    let is_plain = said.kind == "text" && said.header.is_none() && said.footer.is_none() && !is_keyword;
    if is_plain {
        return said.text.as_str().into();
    }
    let mut wanted = Map::new();
    wanted.insert("kind".into(), said.kind.into());
    if !said.text.is_empty() {
        wanted.insert("text".into(), said.text.as_str().into());
    }
    if matches!(said.kind, "buttons" | "list") {
        let choices = said.options.iter().map(|choice| json!({ "id": choice.id, "title": choice.title }));
        wanted.insert(said.kind.into(), choices.collect());
    }
    let texts = [("header", &said.header), ("footer", &said.footer), ("url", &said.url), ("name", &said.name)];
    wanted.extend(texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text.clone()?.into()))));
    if !said.parameters.is_empty() {
        wanted.insert("parameters".into(), said.parameters.clone().into());
    }
    wanted.into()
}

#[cfg(test)]
mod tests {
    use plugin_host::chatbot::Choice;

    use super::*;

    #[test]
    fn a_choice_of_the_customer_keeps_its_source() {
        for (source, given) in [
            (ChoiceSource::Interactive, json!({ "tap": "y" })),
            (ChoiceSource::Template, json!({ "button": "Yes", "payload": "y" })),
            (ChoiceSource::Carousel, json!({ "button": "Yes", "payload": "y", "source": "carousel" })),
            (ChoiceSource::Other, json!({ "button": "Yes", "payload": "y", "source": "other" })),
        ] {
            let choice = Choice { source, text: "Yes".to_owned(), payload: "y".to_owned() };
            let message = IncomingMessage { id: "m".to_owned(), content: Content::Choice(choice), quoted: None };
            assert_eq!(customer(&message), given);
        }
    }
}
