//! A phone with Telegram in a person's hand, and controls of bots.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
    routing::{get, post, put},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    draft::{PersonMessage, content},
    messages::message_json,
    state::{Refusal, Telegram},
    webhook::announce,
};
use crate::{clock, world::SimulatedWorld};

type Answer = Result<Json<Value>, HandError>;

#[derive(Debug, thiserror::Error)]
enum HandError {
    #[error("\"{0}\" is not an id of a person: ids are digits")]
    NotAPerson(String),
    #[error("the body is wrong: {0}")]
    Body(#[from] serde_json::Error),
    #[error("name the bot in \"to\": there is no bot with this id, or there are several")]
    NoBot,
    #[error("there is no such message in the chat")]
    NoMessage,
    #[error("no message in the chat has the button \"{0}\"")]
    NoButton(String),
}

impl IntoResponse for HandError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::NotAPerson(_) | Self::Body(_) | Self::NoBot => StatusCode::BAD_REQUEST,
            Self::NoMessage | Self::NoButton(_) => StatusCode::NOT_FOUND,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/telegram/phones/{id}", put(change))
        .route("/telegram/phones/{id}/chat/{bot}", get(chat))
        .route("/telegram/phones/{id}/messages", post(write))
        .route("/telegram/phones/{id}/edit", post(edit))
        .route("/telegram/phones/{id}/tap", post(tap))
        .route("/telegram/phones/{id}/react", post(react))
        .route("/telegram/phones/{id}/block", post(block))
        .route("/telegram/updates/{bot}", post(inject))
        .route("/telegram", get(|| async { Redirect::to("/#telegram") }))
        .route("/simulator/telegram", get(bots))
        .route("/simulator/telegram/{bot}", get(bot).post(set_bot))
}

fn person(written: &str) -> Result<i64, HandError> {
    written.parse().ok().filter(|id| *id > 0).ok_or_else(|| HandError::NotAPerson(written.to_owned()))
}

fn addressed_bot(telegram: &Telegram, to: Option<i64>) -> Result<i64, HandError> {
    let mut all = telegram.bots.keys().copied();
    match to {
        Some(bot) => telegram.bots.contains_key(&bot).then_some(bot).ok_or(HandError::NoBot),
        None => all.next().filter(|_| all.next().is_none()).ok_or(HandError::NoBot),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct PersonPatch {
    first_name: Option<String>,
    last_name: Option<String>,
    username: Option<String>,
}

async fn change(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let (id, patch): (i64, PersonPatch) = (person(&id)?, serde_json::from_slice(&body)?);
    let mut state = world.state();
    let person = state.telegram.person(id);
    person.first_name = patch.first_name.unwrap_or_else(|| person.first_name.clone());
    person.last_name = patch.last_name.or_else(|| person.last_name.take());
    person.username = patch.username.or_else(|| person.username.take());
    Ok(Json(json!(person.clone())))
}

async fn chat(State(world): State<Arc<SimulatedWorld>>, Path((id, bot)): Path<(String, i64)>) -> Answer {
    let id = person(&id)?;
    let state = world.state();
    Ok(Json(state.telegram.chat_view(bot, id)))
}

async fn write(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let (id, draft): (i64, PersonMessage) = (person(&id)?, serde_json::from_slice(&body)?);
    let (bot, number) = {
        let mut state = world.state();
        let telegram = &mut state.telegram;
        let bot = addressed_bot(telegram, draft.to)?;
        let mut content = content(telegram, &draft);
        let (from, mut chat) = (telegram.person(id).user(), telegram.person(id).chat());
        if let (Some(kind), Some(fields)) = (&draft.chat_type, chat.as_object_mut()) {
            fields.insert("type".to_owned(), json!(kind));
            fields.insert("id".to_owned(), json!(-id));
        }
        let Some(known) = telegram.bots.get_mut(&bot) else { return Err(HandError::NoBot) };
        let place = known.chats.entry(id).or_default();
        if let Some(quote) = draft.quote {
            let quoted = place.message(quote).cloned().ok_or(HandError::NoMessage)?;
            content.insert("reply_to_message".to_owned(), quoted);
        }
        place.blocked = false;
        let number = place.number();
        let message = message_json(number, from, chat, content);
        if draft.chat_type.is_none() {
            place.messages.push(message.clone());
        }
        known.update("message", message);
        (bot, number)
    };
    announce(&world, bot);
    Ok(Json(json!({ "id": number })))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Act {
    to: Option<i64>,
    message_id: Option<i64>,
    text: Option<String>,
    button: Option<String>,
    emoji: Option<String>,
}

async fn edit(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let (id, act): (i64, Act) = (person(&id)?, serde_json::from_slice(&body)?);
    let bot = {
        let mut state = world.state();
        let bot = addressed_bot(&state.telegram, act.to)?;
        let known = state.telegram.bots.get_mut(&bot).ok_or(HandError::NoBot)?;
        let chat = known.chats.get_mut(&id);
        let message = chat.zip(act.message_id).and_then(|(chat, number)| chat.message_mut(number));
        let message = message.and_then(Value::as_object_mut).ok_or(HandError::NoMessage)?;
        let field = if message.contains_key("text") { "text" } else { "caption" };
        message.insert(field.to_owned(), json!(act.text));
        message.insert("edit_date".to_owned(), json!(clock::now().timestamp()));
        let edited = Value::Object(message.clone());
        known.update("edited_message", edited);
        bot
    };
    announce(&world, bot);
    Ok(Json(json!({})))
}

/// Taps a button of the newest message that has it.
async fn tap(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let (id, act): (i64, Act) = (person(&id)?, serde_json::from_slice(&body)?);
    let label = act.button.unwrap_or_default();
    let (bot, tap) = {
        let mut state = world.state();
        let bot = addressed_bot(&state.telegram, act.to)?;
        let from = state.telegram.person(id).user();
        let known = state.telegram.bots.get_mut(&bot).ok_or(HandError::NoBot)?;
        let messages = known.chats.get(&id).map(|chat| chat.messages.as_slice()).unwrap_or_default();
        let found = messages.iter().rev().find_map(|message| Some((message.clone(), payload_of(message, &label)?)));
        let (message, data) = found.ok_or(HandError::NoButton(label))?;
        let tap = format!("{id}-{}", hex::encode(clock::random_bytes::<6>()));
        let query = json!({ "id": tap, "from": from, "message": message, "chat_instance": "1", "data": data });
        known.update("callback_query", query);
        (bot, tap)
    };
    announce(&world, bot);
    Ok(Json(json!({ "id": tap })))
}

fn payload_of(message: &Value, label: &str) -> Option<String> {
    let rows = message.pointer("/reply_markup/inline_keyboard")?.as_array()?;
    let mut buttons = rows.iter().filter_map(Value::as_array).flatten();
    let button = buttons.find(|button| button.get("text").and_then(Value::as_str) == Some(label))?;
    button.get("callback_data")?.as_str().map(str::to_owned)
}

async fn react(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let (id, act): (i64, Act) = (person(&id)?, serde_json::from_slice(&body)?);
    let number = act.message_id.ok_or(HandError::NoMessage)?;
    let bot = {
        let mut state = world.state();
        let bot = addressed_bot(&state.telegram, act.to)?;
        let (user, chat) = (state.telegram.person(id).user(), state.telegram.person(id).chat());
        let new: Vec<Value> = act.emoji.iter().map(|emoji| json!({ "type": "emoji", "emoji": emoji })).collect();
        let known = state.telegram.bots.get_mut(&bot).ok_or(HandError::NoBot)?;
        let chat_reactions = &mut known.chats.entry(id).or_default().own_reactions;
        match act.emoji {
            Some(emoji) => chat_reactions.insert(number, emoji),
            None => chat_reactions.remove(&number),
        };
        let reaction = json!({ "chat": chat, "message_id": number, "user": user, "date": clock::now().timestamp(),
            "old_reaction": [], "new_reaction": new });
        known.update("message_reaction", reaction);
        bot
    };
    announce(&world, bot);
    Ok(Json(json!({})))
}

async fn block(State(world): State<Arc<SimulatedWorld>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let (id, act): (i64, Act) = (person(&id)?, serde_json::from_slice(&body)?);
    let mut state = world.state();
    let bot = addressed_bot(&state.telegram, act.to)?;
    if let Some(bot) = state.telegram.bots.get_mut(&bot) {
        bot.chats.entry(id).or_default().blocked = true;
    }
    Ok(Json(json!({})))
}

async fn inject(State(world): State<Arc<SimulatedWorld>>, Path(bot): Path<i64>, Json(body): Json<Value>) -> Answer {
    {
        let mut state = world.state();
        let known = state.telegram.bots.get_mut(&bot).ok_or(HandError::NoBot)?;
        let kind = body.get("kind").and_then(Value::as_str).unwrap_or("message").to_owned();
        known.update(&kind, body.get("content").cloned().unwrap_or_default());
    }
    announce(&world, bot);
    Ok(Json(json!({})))
}

async fn bots(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    let state = world.state();
    let bots = state.telegram.bots.values().map(|bot| json!({ "id": bot.id, "username": bot.username }));
    Json(json!({ "bots": bots.collect::<Vec<_>>() }))
}

async fn bot(State(world): State<Arc<SimulatedWorld>>, Path(bot): Path<i64>) -> Answer {
    let state = world.state();
    let bot = state.telegram.bots.get(&bot).ok_or(HandError::NoBot)?;
    Ok(Json(json!({
        "id": bot.id,
        "username": bot.username,
        "webhook": bot.webhook,
        "waiting": bot.updates.len(),
        "called": bot.called,
    })))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct BotPatch {
    username: Option<String>,
    revoked: Option<bool>,
    silent: Option<bool>,
    enforce_limits: Option<bool>,
    refuse: Option<Refusal>,
}

async fn set_bot(State(world): State<Arc<SimulatedWorld>>, Path(bot): Path<i64>, body: Bytes) -> Answer {
    let patch: BotPatch = serde_json::from_slice(&body)?;
    let mut state = world.state();
    let bot = state.telegram.bots.get_mut(&bot).ok_or(HandError::NoBot)?;
    bot.username = patch.username.unwrap_or_else(|| bot.username.clone());
    bot.revoked = patch.revoked.unwrap_or(bot.revoked);
    bot.silent = patch.silent.unwrap_or(bot.silent);
    bot.enforce_limits = patch.enforce_limits.unwrap_or(bot.enforce_limits);
    bot.refusal = patch.refuse.or_else(|| bot.refusal.take());
    world.telegram_news.notify_waiters();
    Ok(Json(json!({})))
}
