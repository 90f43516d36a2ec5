//! `POST /{page}/messages` and `/me/messages`: messages of a page, and Meta's refusals.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::Request,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    attachments::{self, AttachmentFile, CallContent},
    events,
    page_token::{page_of, token},
    state::{QuickReplyButton, ThreadEntry, ThreadReactions, mid},
};
use crate::{
    clock,
    graph::{GraphCall, errors::SimulatedGraphError},
    mailbox::MessageState,
    request_log::LoggedRequest,
    world::{SimulatedWorld, WorldState},
};

const NO_ANSWER: Duration = Duration::from_secs(60);
const UNTIL_DELIVERED: Duration = Duration::from_millis(50);
const TEXT_MAX: usize = 2000;
const TITLE_MAX: usize = 20;
const METADATA_MAX: usize = 1000;
const MOST_QUICK_REPLIES: usize = 13;
const OUTSIDE_WINDOW: u32 = 2_018_278;
const NO_SUCH_PERSON: u32 = 2_018_001;

pub(crate) fn is_page(world: &SimulatedWorld, node: &str) -> bool {
    node == "me" || world.state().messenger.page(node).is_some()
}

pub(crate) async fn answer(call: GraphCall, request: Request) -> Result<Response, SimulatedGraphError> {
    let token = token(request.headers(), &call);
    let CallContent { fields: request, file } = attachments::read(request).await?;
    let is_action = request.get("sender_action").is_some();
    let outcome = take(&mut call.world.state(), &call.node, &token, &request, file);
    let metadata = request.pointer("/message/metadata").and_then(Value::as_str);
    call.world.state().requests.add(LoggedRequest {
        time: clock::now(),
        path: format!("/{}/{}/messages", call.version, call.node),
        kind: if is_action { "action" } else { "send" },
        opaque: metadata.map(str::to_owned),
        status: outcome.as_ref().map_or_else(|error| error.status, |_| 200),
        code: outcome.as_ref().err().map(|error| error.code),
        wamid: outcome.as_ref().ok().and_then(|taken| taken.mid.clone()),
        body: request.to_string().into(),
    });
    let taken = outcome?;
    if let Some(mid) = &taken.mid {
        call.world.tasks.spawn(deliver_message(Arc::clone(&call.world), mid.clone()));
    }
    let held = match taken.unanswered {
        true => NO_ANSWER,
        false => Duration::from_millis(call.world.faults().hold_answers_millis),
    };
    call.world.pause(held).await;
    let answer = match taken.mid {
        Some(mid) => json!({"recipient_id": taken.psid, "message_id": mid}),
        None => json!({"recipient_id": taken.psid}),
    };
    Ok(Json(answer).into_response())
}

async fn deliver_message(world: Arc<SimulatedWorld>, mid: String) {
    let (echo, psid) = {
        let state = world.state();
        let Some(message) = state.messenger.message(&mid) else { return };
        let tells = state.messenger.page(&message.page_id).is_some_and(|page| page.echoes);
        (tells.then(|| events::echo(message, true)), message.psid.clone())
    };
    if let Some(echo) = echo {
        world.publish(echo);
    }
    world.pause(UNTIL_DELIVERED).await;
    let (delivers, reads) = {
        let mut state = world.state();
        let person = state.messenger.person_mut(&psid);
        (person.auto_deliver, person.auto_deliver && person.auto_read)
    };
    if delivers {
        events::move_on(&world, &psid, Some(&mid), MessageState::Delivered);
    }
    if reads {
        world.pause(UNTIL_DELIVERED).await;
        events::move_on(&world, &psid, Some(&mid), MessageState::Read);
    }
}

struct Taken {
    psid: String,
    mid: Option<String>,
    unanswered: bool,
}

fn graph_error(code: u32, subcode: u32, status: u16, words: &str) -> SimulatedGraphError {
    SimulatedGraphError::new(code, words).with_subcode(subcode).with_status(status)
}

fn take(
    state: &mut WorldState,
    node: &str,
    token: &str,
    request: &Value,
    file: Option<AttachmentFile>,
) -> Result<Taken, SimulatedGraphError> {
    let page = page_of(state, node, token)?;
    let psid = match request.pointer("/recipient/id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(SimulatedGraphError::parameter("The parameter recipient is required")),
    };
    let known = state.messenger.person(&psid).is_some() && state.messenger.wrote_at(&page.page_id, &psid).is_some();
    if !known {
        return Err(graph_error(100, NO_SUCH_PERSON, 400, "No matching user found"));
    }
    if let Some(action) = request.get("sender_action") {
        return act(state, psid, action, request);
    }
    let message = request.get("message").filter(|message| message.is_object());
    let message = message.ok_or_else(|| SimulatedGraphError::parameter("The parameter message is required"))?;
    let (text, buttons) = content(message)?;
    let delivered = attachments::deliver(state, &page.page_id, message, file)?;
    if let Some(quoted) = request.get("reply_to") {
        let quoted = quoted.get("mid").and_then(Value::as_str).unwrap_or_default();
        let theirs = state.messenger.message(quoted).is_some_and(|one| one.psid == psid && one.page_id == page.page_id);
        if !theirs {
            return Err(SimulatedGraphError::parameter("reply_to.mid is no message of this conversation"));
        }
    }
    window(state, &page.page_id, &psid, request)?;
    let person = state.messenger.person_mut(&psid);
    if let Some(rejection) = take_rejection(person) {
        return Err(SimulatedGraphError::plain(rejection.0, rejection.1));
    }
    if !person.available {
        return Err(graph_error(551, 1_545_041, 400, "This person isn't available right now."));
    }
    person.typing = false;
    let unanswered = person.timeout;
    let id = mid();
    let mut body = message.clone();
    if let (Some(fields), Some(quoted)) = (body.as_object_mut(), request.get("reply_to")) {
        fields.insert("reply_to".to_owned(), quoted.clone());
    }
    if let (Some(attachment), Some(url)) = (body.pointer_mut("/attachment"), delivered) {
        *attachment = json!({"type": attachment["type"], "payload": {"url": url}});
    }
    state.messenger.put(ThreadEntry {
        id: id.clone(),
        psid: psid.clone(),
        page_id: page.page_id,
        mine: false,
        text,
        buttons,
        body,
        time: clock::now(),
        status: MessageState::Sent,
        reactions: ThreadReactions::default(),
    });
    Ok(Taken { psid, mid: Some(id), unanswered })
}

fn take_rejection(person: &mut super::state::PageVisitor) -> Option<(u16, u32)> {
    let rejection = person.reject_with.as_mut()?;
    let taken = (rejection.status, rejection.code);
    if let Some(times) = rejection.times.as_mut() {
        *times = times.saturating_sub(1);
        if *times == 0 {
            person.reject_with = None;
        }
    }
    Some(taken)
}

/// 24 hours after the person wrote, or seven days with the tag for human agents. No other tag is accepted.
fn window(state: &WorldState, page_id: &str, psid: &str, request: &Value) -> Result<(), SimulatedGraphError> {
    let kind = request.get("messaging_type").and_then(Value::as_str).unwrap_or("UPDATE");
    let tag = request.get("tag").and_then(Value::as_str);
    let days = match (kind, tag) {
        ("RESPONSE" | "UPDATE", None) => 1,
        ("MESSAGE_TAG", Some("HUMAN_AGENT")) => 7,
        ("MESSAGE_TAG", Some(_)) => {
            return Err(SimulatedGraphError::parameter("Param tag must be one of {HUMAN_AGENT}"));
        }
        ("MESSAGE_TAG", None) => return Err(SimulatedGraphError::parameter("Param tag is required with MESSAGE_TAG")),
        ("RESPONSE" | "UPDATE", Some(_)) => {
            return Err(SimulatedGraphError::parameter("Param tag is only allowed with messaging_type MESSAGE_TAG"));
        }
        _ => {
            let words = "Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}";
            return Err(SimulatedGraphError::parameter(words));
        }
    };
    let wrote = state.messenger.wrote_at(page_id, psid);
    if wrote.is_some_and(|wrote| clock::now() - wrote < chrono::TimeDelta::days(days)) {
        return Ok(());
    }
    Err(graph_error(10, OUTSIDE_WINDOW, 403, "This message is sent outside of allowed window."))
}

fn act(state: &mut WorldState, psid: String, action: &Value, request: &Value) -> Result<Taken, SimulatedGraphError> {
    if request.get("message").is_some() {
        return Err(SimulatedGraphError::parameter("sender_action must not be sent together with message"));
    }
    let person = state.messenger.person_mut(&psid);
    match action.as_str() {
        Some("typing_on") => person.typing = true,
        Some("typing_off") => person.typing = false,
        Some("mark_seen") => person.seen = true,
        Some("react" | "unreact") if request.pointer("/payload/message_id").is_some() => {
            let text = |path: &str| request.pointer(path).and_then(Value::as_str).map(str::to_owned);
            let emoji = text("/payload/reaction").filter(|_| action == "react");
            if let Some(message) = text("/payload/message_id").and_then(|id| state.messenger.message_mut(&id)) {
                message.reactions.page_reaction = emoji;
            }
        }
        _ => {
            let words = "Param sender_action must be one of {TYPING_ON, TYPING_OFF, MARK_SEEN, REACT, UNREACT}";
            return Err(SimulatedGraphError::parameter(words));
        }
    }
    Ok(Taken { psid, mid: None, unanswered: false })
}

fn content(message: &Value) -> Result<(String, Vec<QuickReplyButton>), SimulatedGraphError> {
    let text = message.get("text").and_then(Value::as_str);
    let attachment = message.get("attachment");
    let words = match (text, attachment) {
        (Some(_), Some(_)) => {
            return Err(SimulatedGraphError::parameter("Cannot have both text and attachment in a message"));
        }
        (None, None) => {
            return Err(SimulatedGraphError::parameter(
                "Message cannot be empty, must provide valid attachment or text",
            ));
        }
        (Some(""), None) => {
            return Err(SimulatedGraphError::parameter("Param message[text] must be a non-empty UTF-8 encoded string"));
        }
        (Some(text), None) if text.chars().count() > TEXT_MAX => {
            let words = format!("Length of param message[text] must be less than or equal to {TEXT_MAX}");
            return Err(SimulatedGraphError::parameter(words));
        }
        (Some(text), None) => text.to_owned(),
        (None, Some(attachment)) => attachment_text(attachment)?,
    };
    if let Some(metadata) = message.get("metadata")
        && metadata.as_str().is_none_or(|metadata| metadata.chars().count() > METADATA_MAX)
    {
        return Err(SimulatedGraphError::parameter("Param message[metadata] must be at most 1000 characters"));
    }
    let Some(replies) = message.get("quick_replies") else { return Ok((words, Vec::new())) };
    let replies = replies.as_array().filter(|all| (1..=MOST_QUICK_REPLIES).contains(&all.len()));
    let replies = replies.ok_or_else(|| {
        SimulatedGraphError::parameter(format!(
            "Param message[quick_replies] must have 1 to {MOST_QUICK_REPLIES} elements"
        ))
    })?;
    Ok((words, replies.iter().map(quick_reply).collect::<Result<_, _>>()?))
}

fn quick_reply(reply: &Value) -> Result<QuickReplyButton, SimulatedGraphError> {
    let field = |name: &str| reply.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (kind, title, payload) = (field("content_type"), field("title"), field("payload"));
    if kind != "text" {
        return Err(SimulatedGraphError::parameter("quick_replies[content_type] must be text here"));
    }
    if title.is_empty() || title.chars().count() > TITLE_MAX {
        return Err(SimulatedGraphError::parameter(format!(
            "quick_replies[title] must have 1 to {TITLE_MAX} characters"
        )));
    }
    if payload.is_empty() || payload.chars().count() > METADATA_MAX {
        return Err(SimulatedGraphError::parameter("quick_replies[payload] must have 1 to 1000 characters"));
    }
    Ok(QuickReplyButton { title, payload })
}

fn attachment_text(attachment: &Value) -> Result<String, SimulatedGraphError> {
    let kind = attachment.get("type").and_then(Value::as_str).unwrap_or_default();
    let payload = attachment.get("payload").unwrap_or(&Value::Null);
    if kind == "template" {
        return match payload.get("template_type").and_then(Value::as_str) {
            Some(_) => Ok(payload.get("text").and_then(Value::as_str).unwrap_or("[template]").to_owned()),
            None => Err(SimulatedGraphError::parameter("Param attachment[payload][template_type] is required")),
        };
    }
    attachments::kind(attachment).map(|kind| format!("[{kind}]"))
}
