//! The methods of the Bot API: `/telegram/bot{token}/{method}`, and files at `/telegram/file/bot{token}/{path}`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use serde_json::{Value, json};

use super::{
    messages::{CallRefusal, content, find_quote, message_json},
    params::Params,
    state::{Telegram, Webhook},
    webhook::announce,
};
use crate::world::SimulatedWorld;

const LARGEST_BODY: usize = 60 << 20;
const DOWNLOAD_MAX: u64 = 20 << 20;
const LONGEST_POLL: u64 = 50;

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/telegram/{bot}/{method}", any(call).layer(DefaultBodyLimit::max(LARGEST_BODY)))
        .route("/telegram/file/{bot}/{folder}/{name}", get(download))
}

fn ok(result: Value) -> Response {
    Json(json!({ "ok": true, "result": result })).into_response()
}

fn refusal((code, description): CallRefusal) -> Response {
    let mut body = json!({ "ok": false, "error_code": code, "description": description });
    let after = description.strip_prefix("Too Many Requests: retry after ").and_then(|after| after.parse::<u64>().ok());
    if let (Some(fields), Some(after)) = (body.as_object_mut(), after) {
        fields.insert("parameters".to_owned(), json!({ "retry_after": after }));
    }
    (StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST), Json(body)).into_response()
}

fn bad(said: &str) -> CallRefusal {
    (400, format!("Bad Request: {said}"))
}

async fn call(
    State(world): State<Arc<SimulatedWorld>>,
    Path((bot, method)): Path<(String, String)>,
    request: Request,
) -> Response {
    let Some(token) = bot.strip_prefix("bot").map(str::to_owned) else { return refusal((404, "Not Found".to_owned())) };
    let Some(params) = Params::read(request).await else { return refusal(bad("can't parse the request")) };
    let bot = {
        let mut state = world.state();
        match state.telegram.bot_of_token(&token) {
            Some(bot) => {
                // Polls are too many to keep.
                if method != "getUpdates" {
                    bot.called.push(json!({ "method": method, "params": params.to_json() }));
                }
                bot.id
            }
            None => return refusal((401, "Unauthorized".to_owned())),
        }
    };
    if method == "getUpdates" {
        return updates(&world, bot, &params).await;
    }
    let silent = world.state().telegram.bots.get(&bot).is_some_and(|bot| bot.silent);
    let done = carry_out(&world, bot, &method, &params);
    announce(&world, bot);
    if method.starts_with("send") && method != "sendChatAction" {
        // The caller of a silent bot gives up before the answer.
        let held = Duration::from_millis(world.faults().hold_answers_millis);
        world.pause(if silent { Duration::from_secs(3600) } else { held }).await;
    }
    done.map_or_else(refusal, ok)
}

fn carry_out(world: &Arc<SimulatedWorld>, bot: i64, method: &str, params: &Params) -> Result<Value, CallRefusal> {
    let mut state = world.state();
    let telegram = &mut state.telegram;
    match method {
        "sendMessage" | "sendPhoto" | "sendVideo" | "sendAudio" | "sendVoice" | "sendDocument" | "sendSticker"
        | "sendLocation" | "sendVenue" => send(telegram, bot, method, params),
        "sendChatAction" => {
            let chat = reachable_chat(telegram, bot, params)?;
            if let Some(chat) = telegram.bots.get_mut(&bot).and_then(|bot| bot.chats.get_mut(&chat)) {
                chat.typing = params.text("action").as_deref() == Some("typing");
            }
            Ok(json!(true))
        }
        "setMessageReaction" => {
            let chat = reachable_chat(telegram, bot, params)?;
            let number = params.integer("message_id").ok_or_else(|| bad("message identifier is not specified"))?;
            let known = telegram.bots.get_mut(&bot).and_then(|bot| bot.chats.get_mut(&chat));
            let chat = known.filter(|chat| chat.message(number).is_some());
            let chat = chat.ok_or_else(|| bad("message to react not found"))?;
            chat.reactions.insert(number, params.json("reaction").unwrap_or_else(|| json!([])));
            Ok(json!(true))
        }
        "answerCallbackQuery" => {
            let tap = params.text("callback_query_id").unwrap_or_default();
            telegram.answer_tap(bot, &tap);
            Ok(json!(true))
        }
        "getFile" => file(telegram, params),
        "getMe" | "setWebhook" | "deleteWebhook" | "getWebhookInfo" | "logOut" | "close" => {
            about(telegram, bot, method, params)
        }
        _ => Err((404, "Not Found: method not found".to_owned())),
    }
}

fn about(telegram: &mut Telegram, bot: i64, method: &str, params: &Params) -> Result<Value, CallRefusal> {
    let Some(bot) = telegram.bots.get_mut(&bot) else { return Err((401, "Unauthorized".to_owned())) };
    let kinds = params.json("allowed_updates").and_then(|kinds| serde_json::from_value::<Vec<String>>(kinds).ok());
    match method {
        "getMe" => {
            let mut me = bot.user();
            if let Some(fields) = me.as_object_mut() {
                for name in ["can_join_groups", "can_read_all_group_messages", "supports_inline_queries"] {
                    fields.insert(name.to_owned(), json!(name == "can_join_groups"));
                }
            }
            Ok(me)
        }
        "setWebhook" => {
            let url = params.text("url").unwrap_or_default();
            let is_local =
                ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|local| url.starts_with(local));
            if !url.is_empty() && !url.starts_with("https://") && !is_local {
                return Err(bad("bad webhook: An HTTPS URL must be provided for webhook"));
            }
            let secret = params.text("secret_token");
            bot.webhook = (!url.is_empty()).then_some(Webhook { url, secret });
            bot.allowed_updates = kinds.or_else(|| bot.allowed_updates.take());
            Ok(json!(true))
        }
        "deleteWebhook" => {
            bot.webhook = None;
            if params.text("drop_pending_updates").as_deref() == Some("true") {
                bot.updates.clear();
            }
            Ok(json!(true))
        }
        "getWebhookInfo" => Ok(json!({
            "url": bot.webhook.as_ref().map_or("", |webhook| webhook.url.as_str()),
            "has_custom_certificate": false,
            "pending_update_count": bot.updates.len(),
        })),
        _ => Ok(json!(true)),
    }
}

fn reachable_chat(telegram: &mut Telegram, bot: i64, params: &Params) -> Result<i64, CallRefusal> {
    let chat = params.integer("chat_id").ok_or_else(|| bad("chat_id is empty"))?;
    if !telegram.knows(chat) {
        return Err(bad("chat not found"));
    }
    let known = telegram.bots.get(&bot).and_then(|bot| bot.chats.get(&chat));
    match known {
        None => Err((403, "Forbidden: bot can't initiate conversation with a user".to_owned())),
        Some(chat) if chat.blocked => Err((403, "Forbidden: bot was blocked by the user".to_owned())),
        Some(_) => Ok(chat),
    }
}

fn send(telegram: &mut Telegram, bot: i64, method: &str, params: &Params) -> Result<Value, CallRefusal> {
    if let Some(bot) = telegram.bots.get_mut(&bot)
        && let Some(refusal) = bot.refusal.as_mut().filter(|refusal| refusal.times > 0)
    {
        refusal.times -= 1;
        let said = match refusal.retry_after {
            Some(after) => format!("Too Many Requests: retry after {after}"),
            None => refusal.description.clone(),
        };
        return Err((refusal.code, said));
    }
    let chat_id = reachable_chat(telegram, bot, params)?;
    let mut content = content(telegram, method, params)?;
    let person = telegram.person(chat_id).chat();
    let Some(bot) = telegram.bots.get_mut(&bot) else { return Err((401, "Unauthorized".to_owned())) };
    if let Some(message) = find_quote(bot, chat_id, params)? {
        content.insert("reply_to_message".to_owned(), message);
    }
    let (from, enforced) = (bot.user(), bot.enforce_limits);
    let chat = bot.chats.entry(chat_id).or_default();
    if enforced && let Err(seconds) = chat.admit(Instant::now()) {
        return Err((429, format!("Too Many Requests: retry after {seconds}")));
    }
    chat.typing = false;
    let number = chat.number();
    let message = message_json(number, from, person, content);
    chat.messages.push(message.clone());
    Ok(message)
}

fn file(telegram: &Telegram, params: &Params) -> Result<Value, CallRefusal> {
    let id = params.text("file_id").unwrap_or_default();
    let file = telegram.files.get(&id).ok_or_else(|| bad("wrong file_id or the file is temporarily unavailable"))?;
    let bytes = file.said_bytes.unwrap_or(file.bytes.len() as u64);
    if bytes > DOWNLOAD_MAX {
        return Err(bad("file is too big"));
    }
    Ok(json!({ "file_id": id, "file_unique_id": id, "file_size": bytes, "file_path": file.path }))
}

async fn download(
    State(world): State<Arc<SimulatedWorld>>,
    Path((bot, folder, name)): Path<(String, String, String)>,
) -> Response {
    let mut state = world.state();
    let token = bot.strip_prefix("bot").unwrap_or_default();
    if state.telegram.bot_of_token(token).is_none() {
        return refusal((401, "Unauthorized".to_owned()));
    }
    let path = format!("{folder}/{name}");
    match state.telegram.files.values().find(|file| file.path == path) {
        // Telegram serves every file under this type.
        Some(file) => ([(header::CONTENT_TYPE, "application/octet-stream")], file.bytes.clone()).into_response(),
        None => refusal((404, "Not Found".to_owned())),
    }
}

/// Answers `getUpdates`: at once if there are updates, otherwise after the wanted time. A newer call ends it.
async fn updates(world: &Arc<SimulatedWorld>, bot: i64, params: &Params) -> Response {
    let wait = params.integer("timeout").and_then(|wait| u64::try_from(wait).ok()).unwrap_or(0).min(LONGEST_POLL);
    let end = tokio::time::Instant::now() + Duration::from_secs(wait);
    let most = params.integer("limit").and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
    let mine = {
        let mut state = world.state();
        let Some(bot) = state.telegram.bots.get_mut(&bot) else { return refusal((401, "Unauthorized".to_owned())) };
        if bot.webhook.is_some() {
            let said = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
            return refusal((409, said.to_owned()));
        }
        let kinds = params.json("allowed_updates").and_then(|kinds| serde_json::from_value(kinds).ok());
        bot.allowed_updates = kinds.or_else(|| bot.allowed_updates.take());
        if let Some(offset) = params.integer("offset").filter(|offset| *offset > 0) {
            bot.updates.retain(|(id, _)| *id >= offset);
        }
        bot.polls += 1;
        bot.polls
    };
    world.telegram_news.notify_waiters();
    loop {
        let news = world.telegram_news.notified();
        tokio::pin!(news);
        news.as_mut().enable();
        {
            let state = world.state();
            let Some(bot) = state.telegram.bots.get(&bot) else { return refusal((401, "Unauthorized".to_owned())) };
            if bot.revoked {
                return refusal((401, "Unauthorized".to_owned()));
            }
            if bot.polls != mine {
                let said =
                    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
                return refusal((409, said.to_owned()));
            }
            let found: Vec<&Value> = bot.updates.iter().map(|(_, update)| update).take(most.unwrap_or(100)).collect();
            if !found.is_empty() || tokio::time::Instant::now() >= end || world.shutdown.is_cancelled() {
                return ok(json!(found));
            }
        }
        tokio::select! {
            () = news => {}
            () = tokio::time::sleep_until(end) => {}
            () = world.shutdown.cancelled() => {}
        }
    }
}
