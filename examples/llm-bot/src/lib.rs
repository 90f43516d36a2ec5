//! A chatbot that answers with a language model. The model sees the last messages, may look up orders, and may hand over.
//! Its answer takes up to a minute, so the bot starts the request and answers when it has ended.

mod completion;

use completion::{Reply, ToolCall};
use patchbay_plugin_sdk::chatbot::*;
use patchbay_plugin_sdk::conversation::{self, Author};
use patchbay_plugin_sdk::kv::{self, Scope};
use patchbay_plugin_sdk::{config, http, log};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Messages of the conversation that the model sees.
const HISTORY: u32 = 20;
const DEADLINE_SECONDS: u32 = 90;
/// Characters of a message that the model sees.
const TEXT: usize = 2_000;
/// Key of the messages of the last request, for the next one with the results of tools.
const MESSAGES: &str = "messages";
/// Requests of the model for tools in one answer. After that people take over.
const MOST_ROUNDS: u32 = 3;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    api: String,
    key: String,
    model: String,
    instructions: String,
    order_api: String,
}

/// The state of the conversation: the request that the bot waits for.
#[derive(Default, Serialize, Deserialize)]
struct Waiting {
    job: String,
    rounds: u32,
    /// The customer wrote since.
    outdated: bool,
}

struct Bot;

impl Chatbot for Bot {
    fn handle(event: Event, session: Session) -> Result<Vec<Action>, Error> {
        let settings: Settings = config::read()?;
        let waiting: Waiting = serde_json::from_str(&session.state).unwrap_or_default();
        match &event.kind {
            EventKind::Message(message) if matches!(message.content, Content::Reaction(_)) => Ok(vec![]),
            // One request at a time: the answer to the message before comes first.
            EventKind::Message(_) if !waiting.job.is_empty() && !session.reopened => {
                Ok(vec![Action::Typing, remember(&Waiting { outdated: true, ..waiting })])
            }
            EventKind::Message(_) | EventKind::AgentReleased => ask(&settings, prompt(&settings), 0),
            EventKind::HttpFinished(finished) if finished.job == waiting.job => answer(&settings, &event, waiting),
            _ => Ok(vec![]),
        }
    }
}

patchbay_plugin_sdk::export_chatbot!(Bot);

/// The instructions and the last messages, in the roles of the API.
fn prompt(settings: &Settings) -> Vec<Value> {
    let said = conversation::history(HISTORY).into_iter().filter(|said| !said.text.is_empty()).map(|said| {
        let role = if said.author == Author::Customer { "user" } else { "assistant" };
        json!({ "role": role, "content": shortened(&said.text) })
    });
    [json!({ "role": "system", "content": settings.instructions })].into_iter().chain(said).collect()
}

/// Starts a request. The answer comes as an event.
fn ask(settings: &Settings, messages: Vec<Value>, rounds: u32) -> Result<Vec<Action>, Error> {
    let body = json!({ "model": settings.model, "messages": messages, "tools": completion::tools() });
    let bearer = format!("Bearer {}", settings.key);
    let job = http::start_json(&settings.api, &[("authorization", &bearer)], body.to_string(), DEADLINE_SECONDS)?;
    // The state has room for 16 KiB, a value for 64.
    kv::set(Scope::Participant, MESSAGES, json!(messages).to_string())?;
    Ok(vec![Action::Typing, remember(&Waiting { job, rounds, outdated: false })])
}

fn shortened(text: &str) -> String {
    text.chars().take(TEXT).collect()
}

fn answer(settings: &Settings, event: &Event, waiting: Waiting) -> Result<Vec<Action>, Error> {
    let response = match event.finished() {
        Some((_, Ok(response))) if response.status == 200 => response,
        Some((_, Ok(response))) => return Ok(give_up(&format!("the model answered with status {}", response.status))),
        Some((_, Err(error))) => return Ok(give_up(&error.message)),
        None => return Ok(vec![]),
    };
    match completion::read(&response.body) {
        Some(Reply::Text(text)) if waiting.outdated => {
            let mut actions = ask(settings, prompt(settings), 0)?;
            actions.insert(0, Action::text(text));
            Ok(actions)
        }
        Some(Reply::Text(text)) => Ok(vec![Action::text(text), Action::state("")]),
        Some(Reply::Tools(_, _)) if waiting.rounds >= MOST_ROUNDS => Ok(give_up("the model used too many tools")),
        Some(Reply::Tools(said, calls)) => {
            if let Some(ToolCall::HandOver { reason }) = calls.iter().find(|call| call.hands_over()) {
                return Ok(people(reason));
            }
            let kept = kv::get_text(Scope::Participant, MESSAGES)?.unwrap_or_default();
            let mut messages: Vec<Value> = serde_json::from_str(&kept).unwrap_or_default();
            messages.push(said);
            messages.extend(calls.iter().map(|call| look_up(settings, call)));
            ask(settings, messages, waiting.rounds + 1)
        }
        None => Ok(give_up("the answer of the model cannot be read")),
    }
}

/// The result of a tool, as a message for the model.
fn look_up(settings: &Settings, call: &ToolCall) -> Value {
    let (id, found) = match call {
        ToolCall::OrderStatus { id, number } => (id, order(settings, number)),
        ToolCall::Unknown { id } => (id, "there is no such tool".to_owned()),
        ToolCall::HandOver { .. } => return Value::Null,
    };
    json!({ "role": "tool", "tool_call_id": id, "content": found })
}

fn order(settings: &Settings, number: &str) -> String {
    if number.is_empty() || !number.chars().all(|letter| letter.is_ascii_digit()) {
        return "an order number has digits only".to_owned();
    }
    match http::get(format!("{}/orders/{number}", settings.order_api)) {
        Ok(response) if response.status == 200 => shortened(&String::from_utf8_lossy(&response.body)),
        Ok(response) => format!("no order was found (status {})", response.status),
        Err(error) => format!("the orders cannot be reached: {}", error.message),
    }
}

fn remember(waiting: &Waiting) -> Action {
    Action::state(serde_json::to_string(waiting).unwrap_or_default())
}

fn give_up(reason: &str) -> Vec<Action> {
    log::warn(reason);
    people(reason)
}

fn people(reason: &str) -> Vec<Action> {
    vec![Action::text("A colleague will answer you here."), Action::state(""), Action::hand_over(reason)]
}
