//! A phone with Messenger in a person's hand: it writes, taps, reacts and reads.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::events;
use super::files::keep;
use super::people::{HandError, body, psid};
use super::state::{QuickReplyButton, ThreadEntry, ThreadReactions, mid};
use crate::clock;
use crate::mailbox::MessageState;
use crate::phone_api::samples;
use crate::world::{SimulatedWorld, WorldState as Facts};

type Answer = Result<Json<Value>, HandError>;

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/messenger/phones/{psid}/inbox", get(inbox))
        .route("/messenger/phones/{psid}/outbox", get(outbox))
        .route("/messenger/phones/{psid}/messages", post(write))
        .route("/messenger/phones/{psid}/tap", post(tap))
        .route("/messenger/phones/{psid}/postback", post(postback))
        .route("/messenger/phones/{psid}/react", post(react))
        .route("/messenger/phones/{psid}/deliver", post(deliver))
        .route("/messenger/phones/{psid}/read", post(read))
        .route("/messenger/pages/{page}/inbox", post(page_inbox))
}

async fn inbox(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> Answer {
    let psid = psid(written)?;
    let state = world.state();
    let messages: Vec<&ThreadEntry> = state.messenger.of(&psid).filter(|message| !message.mine).collect();
    Ok(Json(json!({"messages": messages})))
}

async fn outbox(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> Answer {
    let psid = psid(written)?;
    let state = world.state();
    let messages: Vec<&ThreadEntry> = state.messenger.of(&psid).filter(|message| message.mine).collect();
    Ok(Json(json!({"messages": messages})))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Draft {
    to: Option<String>,
    /// `text`, `image`, `video`, `audio`, `file`, `sticker`, `location`, `fallback` or `unsupported`.
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    base64: Option<String>,
    mime_type: Option<String>,
    filename: Option<String>,
    files: Option<usize>,
    location: Option<Value>,
    /// Id of the message that this one answers.
    quote: Option<String>,
}

fn page(state: &mut Facts, psid: &str, to: Option<&str>) -> Result<String, HandError> {
    let page = to.map(str::to_owned).or_else(|| state.messenger.usual_page(psid)).ok_or(HandError::NoPage)?;
    state.messenger.page_mut(&page);
    Ok(page)
}

fn store_message(world: &Arc<SimulatedWorld>, psid: &str, page: String, text: String, mut message: Value) -> String {
    let (id, time) = (mid(), clock::now());
    if let Some(fields) = message.as_object_mut() {
        fields.insert("mid".to_owned(), json!(id));
    }
    world.state().messenger.person_mut(psid);
    world.state().messenger.put(ThreadEntry {
        id: id.clone(),
        psid: psid.to_owned(),
        page_id: page.clone(),
        mine: true,
        text,
        buttons: Vec::new(),
        body: message.clone(),
        time,
        status: MessageState::Sent,
        reactions: ThreadReactions::default(),
    });
    world.publish(events::did(&page, psid, time.timestamp_millis(), "message", message));
    id
}

async fn write(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> Answer {
    let (psid, draft): (String, Draft) = (psid(written)?, body(&bytes)?);
    let (page, message) = {
        let mut state = world.state();
        let page = page(&mut state, &psid, draft.to.as_deref())?;
        let mut message = content(&mut state, &draft)?;
        if let (Some(fields), Some(quote)) = (message.as_object_mut(), &draft.quote) {
            fields.insert("reply_to".to_owned(), json!({"mid": quote}));
        }
        (page, message)
    };
    let text = draft.text.unwrap_or_else(|| format!("[{}]", draft.kind.as_deref().unwrap_or("text")));
    Ok(Json(json!({"id": store_message(&world, &psid, page, text, message)})))
}

fn content(state: &mut Facts, draft: &Draft) -> Result<Value, HandError> {
    let kind = draft.kind.as_deref().unwrap_or("text");
    let mut message = json!({});
    let attachments = match kind {
        "text" if draft.text.is_none() => return Err(HandError::Body("\"text\" is required".to_owned())),
        "text" => Vec::new(),
        "image" | "video" | "audio" | "file" | "sticker" => {
            let mut all = Vec::new();
            for _ in 0..draft.files.unwrap_or(1).min(30) {
                all.push(file(state, kind, draft)?);
            }
            all
        }
        "location" => {
            let given = |name: &str| draft.location.as_ref().and_then(|place| place.get(name)).cloned();
            let coordinates = json!({
                "lat": given("lat").unwrap_or(json!(-26.1076)),
                "long": given("long").unwrap_or(json!(28.0567)),
            });
            let title = given("title").unwrap_or(json!("Sample Shop"));
            vec![json!({"type": "location", "title": title, "payload": {"coordinates": coordinates}})]
        }
        "fallback" => vec![json!({
            "type": "fallback", "title": "A page", "url": "https://example.org/page", "payload": null,
        })],
        "unsupported" => vec![json!({"type": "template", "payload": {"template_type": "unknown"}})],
        other => return Err(HandError::Body(format!("there is no message type \"{other}\""))),
    };
    if let Some(fields) = message.as_object_mut() {
        if let Some(text) = &draft.text {
            fields.insert("text".to_owned(), json!(text));
        }
        if !attachments.is_empty() {
            fields.insert("attachments".to_owned(), json!(attachments));
        }
    }
    Ok(message)
}

fn file(state: &mut Facts, kind: &str, draft: &Draft) -> Result<Value, HandError> {
    let (sample_type, sample) = samples::file(if kind == "file" { "document" } else { kind });
    let bytes = match &draft.base64 {
        Some(encoded) => {
            Bytes::from(STANDARD.decode(encoded).map_err(|error| HandError::Body(format!("\"base64\": {error}")))?)
        }
        None => sample,
    };
    let mime_type = draft.mime_type.as_deref().unwrap_or(sample_type);
    let usual = match kind {
        "image" => "sample.png",
        "sticker" => "sample.webp",
        "video" => "sample.mp4",
        "audio" => "sample.ogg",
        _ => "sample.pdf",
    };
    let name: String = draft.filename.as_deref().unwrap_or(usual).chars().filter(|c| !"/?#%".contains(*c)).collect();
    let (_, url) = keep(state, mime_type, &name, bytes);
    let mut payload = json!({"url": url});
    if let (Some(fields), "sticker") = (payload.as_object_mut(), kind) {
        fields.insert("sticker_id".to_owned(), json!(369_239_263_222_822_u64));
    }
    Ok(json!({"type": if kind == "sticker" { "image" } else { kind }, "payload": payload}))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Tap {
    message_id: Option<String>,
    button: String,
}

async fn tap(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> Answer {
    let (psid, tap): (String, Tap) = (psid(written)?, body(&bytes)?);
    let (page, QuickReplyButton { title, payload }) = {
        let state = world.state();
        let wanted = |message: &&ThreadEntry| match &tap.message_id {
            Some(id) => message.id == *id,
            None => !message.buttons.is_empty(),
        };
        let message = state.messenger.of(&psid).rev().find(wanted);
        let message = message.ok_or_else(|| HandError::NoMessage(tap.message_id.clone().unwrap_or_default()))?;
        let button = message.buttons.iter().find(|button| button.payload == tap.button || button.title == tap.button);
        let titles: Vec<&str> = message.buttons.iter().map(|button| button.title.as_str()).collect();
        let button = button.ok_or_else(|| HandError::NoButton(tap.button.clone(), titles.join(", ")))?;
        (message.page_id.clone(), button.clone())
    };
    let message = json!({"text": title, "quick_reply": {"payload": payload}});
    Ok(Json(json!({"id": store_message(&world, &psid, page, title, message)})))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Postback {
    to: Option<String>,
    title: String,
    payload: String,
}

/// A tap on the persistent menu, or on a button of a template.
async fn postback(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> Answer {
    let (psid, postback): (String, Postback) = (psid(written)?, body(&bytes)?);
    let (id, time) = (mid(), clock::now());
    let page = page(&mut world.state(), &psid, postback.to.as_deref())?;
    let value = json!({"mid": id, "title": postback.title, "payload": postback.payload});
    world.state().messenger.person_mut(&psid);
    world.state().messenger.put(ThreadEntry {
        id: id.clone(),
        psid: psid.clone(),
        page_id: page.clone(),
        mine: true,
        text: postback.title,
        buttons: Vec::new(),
        body: value.clone(),
        time,
        status: MessageState::Sent,
        reactions: ThreadReactions::default(),
    });
    world.publish(events::did(&page, &psid, time.timestamp_millis(), "postback", value));
    Ok(Json(json!({"id": id})))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reaction {
    message_id: String,
    /// Without it, the reaction is removed.
    emoji: Option<String>,
}

async fn react(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>, bytes: Bytes) -> Answer {
    let (psid, reaction): (String, Reaction) = (psid(written)?, body(&bytes)?);
    let known = {
        let mut state = world.state();
        let message = state.messenger.message_mut(&reaction.message_id).filter(|message| message.psid == psid);
        message.map(|message| {
            message.reactions.reaction.clone_from(&reaction.emoji);
            message.clone()
        })
    };
    let message = known.ok_or(HandError::NoMessage(reaction.message_id))?;
    let value = match &reaction.emoji {
        Some(emoji) => json!({"mid": message.id, "action": "react", "reaction": "other", "emoji": emoji}),
        None => json!({"mid": message.id, "action": "unreact"}),
    };
    world.publish(events::did(&message.page_id, &psid, clock::now().timestamp_millis(), "reaction", value));
    Ok(Json(json!({"messageId": message.id})))
}

async fn deliver(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> Answer {
    Ok(Json(json!({"messageIds": events::move_on(&world, &psid(written)?, None, MessageState::Delivered)})))
}

async fn read(State(world): State<Arc<SimulatedWorld>>, Path(written): Path<String>) -> Answer {
    Ok(Json(json!({"messageIds": events::move_on(&world, &psid(written)?, None, MessageState::Read)})))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByHand {
    psid: String,
    text: String,
}

/// A person answers in Facebook's inbox for pages.
async fn page_inbox(State(world): State<Arc<SimulatedWorld>>, Path(page): Path<String>, bytes: Bytes) -> Answer {
    let said: ByHand = body(&bytes)?;
    let message = ThreadEntry {
        id: mid(),
        psid: psid(said.psid)?,
        page_id: page,
        mine: false,
        text: said.text.clone(),
        buttons: Vec::new(),
        body: json!({"text": said.text}),
        time: clock::now(),
        status: MessageState::Sent,
        reactions: ThreadReactions::default(),
    };
    world.state().messenger.put(message.clone());
    world.publish(events::echo(&message, false));
    Ok(Json(json!({"id": message.id})))
}
