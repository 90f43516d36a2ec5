//! A call in the terminal: the message of the customer, the lines of the log, the messages of the bot.

use plugin_host::{
    DryResult,
    chatbot::{Action, Content, Event, EventKind},
    json::WorldQuestion,
};
use serde_json::Value;

use crate::{
    local_run::{bot_message::media_word, effects::HostEffect},
    server::{LoggedInvocation, RecordedCall},
};

pub(super) fn words(call: &LoggedInvocation, recorded: Option<&RecordedCall>) -> String {
    let mut lines = vec![];
    let event = recorded.and_then(event_of);
    lines.extend(event.as_ref().map(event_words));
    lines.extend(call.logs.iter().map(|line| format!("  {line}")));
    lines.extend(
        recorded.map(actions_of).unwrap_or_default().iter().filter_map(HostEffect::of).map(|effect| effect.words()),
    );
    let micros = call.duration_micros.max(0);
    let version = call.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
    let (mode, memory) = (call.mode.as_deref().filter(|mode| *mode != "live"), call.memory());
    let mode = mode.map(|mode| format!(" ({mode})")).unwrap_or_default();
    lines.push(format!("  [v{version}{mode} {}, {}.{:03} ms, {memory}]", call.outcome, micros / 1_000, micros % 1_000));
    lines.extend(call.error.as_ref().map(|error| format!("! {error}")));
    lines.extend(call.consequence.as_ref().map(|consequence| format!("  -> {consequence}")));
    lines.join("\n")
}

fn event_of(recorded: &RecordedCall) -> Option<Event> {
    match WorldQuestion::recorded(recorded.recording.world, &recorded.recording.question).ok()? {
        WorldQuestion::Chatbot { event, .. } => Some(*event),
        _ => None,
    }
}

fn actions_of(recorded: &RecordedCall) -> Vec<Action> {
    let result: Value = serde_json::from_str(&recorded.recording.result).unwrap_or_default();
    let answer = result.get("answer").and_then(|answer| DryResult::recorded(recorded.recording.world, answer));
    match answer {
        Some(DryResult::Actions(actions)) => actions,
        _ => vec![],
    }
}

fn event_words(event: &Event) -> String {
    match &event.kind {
        EventKind::Message(message) => format!("customer: {}", content_words(&message.content)),
        EventKind::ConversationStarted => "(a conversation starts)".to_owned(),
        EventKind::Timer(name) => format!("(timer `{name}`)"),
        EventKind::AgentReleased => "(an agent gives the conversation back)".to_owned(),
        EventKind::Rating(rating) => {
            let comment = rating.comment.as_deref().map(|comment| format!(": {comment}")).unwrap_or_default();
            format!("customer: (rates {:?}{comment})", rating.score).to_lowercase()
        }
        EventKind::HttpFinished(finished) => format!("(the request {} has ended)", finished.job),
        EventKind::Custom(custom) => format!("(event `{}`: {})", custom.name, custom.payload),
    }
}

fn content_words(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Choice(choice) => format!("[taps {}]", choice.text),
        Content::Location(place) => format!("[location {}, {}]", place.latitude, place.longitude),
        Content::Media(media) => {
            let caption = media.caption.as_deref().map(|caption| format!(" {caption}")).unwrap_or_default();
            format!("[{}]{caption}", media_word(media.kind))
        }
        Content::Reaction(reaction) => format!("[reacts {}]", reaction.emoji.as_deref().unwrap_or("with nothing")),
        Content::Contact(contact) => format!("[contact {contact}]"),
        Content::Other(kind) => format!("[{kind}]"),
    }
}
