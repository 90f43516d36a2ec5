//! The socket of a widget. What it shows comes from the database by sequence number, so a socket that was cut, on whatever node, is
//! followed by another one that goes on where it ended; and what a widget sends is answered when it is on disk.

use std::{ops::ControlFlow, time::Duration};

use axum::{
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, rejection::WebSocketUpgradeRejection},
    },
    response::Response,
};
use domain::chat::ParticipantState;
use inbound::web_chat::{
    self, PAGE, Post, PostRefused, Standing, Thread, ThreadMessage, VisitorToken, Watching, chat_of, messages_after,
    messages_before, site_of_key,
};
use serde_json::{Value, json};
use tokio::time::{Instant, interval, timeout};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    door::{Door, Named},
    frames::{self, Frame, Said},
    limits::too_often,
    shown,
};
use crate::{
    error::{ApiError, ErrorKind},
    state::ApiState,
};

/// The protocol that widgets speak.
const PROTOCOL: &str = "patchbay.web-chat.v1";
/// Bytes of a frame at most.
const FRAME_MAX: usize = 64 * 1024;
/// Time for the first frame.
const HELLO: Duration = Duration::from_secs(10);
/// Time for a widget to take a frame. A slower one comes again and goes on where it was: nothing is buffered for it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a socket is looked after.
const LOOK: Duration = Duration::from_secs(1);
/// A widget that is silent is asked whether it is there.
const ASK: Duration = Duration::from_secs(25);
/// A widget that does not answer is gone.
const GONE: Duration = Duration::from_secs(60);
/// Agents are told no more often that a visitor writes.
const TYPING: Duration = Duration::from_secs(2);
/// Frames in a second at most.
const FRAMES_PER_SECOND: u32 = 50;

/// Why a socket is closed, for the widget to tell.
mod code {
    /// The process stops: come again.
    pub(super) const STOPPING: u16 = 1001;
    /// A frame that is none.
    pub(super) const NOT_TEXT: u16 = 1003;
    /// Something went wrong here: come again.
    pub(super) const FAILED: u16 = 1011;
    /// Begin a session.
    pub(super) const NO_VISITOR: u16 = 4401;
    /// The site does not show the widget here any more.
    pub(super) const NO_SITE: u16 = 4403;
    /// No first frame in time.
    pub(super) const NO_HELLO: u16 = 4408;
    /// Too much at once.
    pub(super) const TOO_MUCH: u16 = 4429;
}

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(open))
}

/// The socket of a widget (WebSocket, subprotocol `patchbay.web-chat.v1`).
///
/// The first frame names the visitor's token; `docs/web-chat.md` has all frames.
#[utoipa::path(
    get,
    path = "/web-chat/socket",
    operation_id = "openWebSocket",
    tag = "Web chat",
    params(Named),
    responses(
        (status = 101, description = "The socket."),
        (status = 400, description = "No WebSocket is asked for."),
        (status = 403, description = "The page is none of the site's."),
        (status = 429, description = "Too many calls from one address."),
    ),
)]
async fn open(
    State(state): State<ApiState>,
    door: Door,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::fault("Upgrade", "must ask for a WebSocket"))?;
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(FRAME_MAX).max_frame_size(FRAME_MAX);
    Ok(upgrade.on_upgrade(move |socket| serve(state, door, socket)))
}

/// The socket is at its end: with which code and why.
type End = (u16, &'static str);
type Going = ControlFlow<Option<End>>;

async fn serve(state: ApiState, door: Door, mut socket: WebSocket) {
    let ended = match greet(&state, &door, &mut socket).await {
        Ok((visitor, resume)) => {
            let id = visitor.visitor.to_string();
            let watching = state.web_chat.presence.watch((door.site.client, door.site.id), &id);
            let line = Line {
                state: &state,
                door: &door,
                socket: &mut socket,
                visitor,
                id,
                known: None,
                shown: 0,
                typed: None,
            };
            line.hold(watching, resume).await
        }
        Err(end) => end,
    };
    if let Some((code, reason)) = ended {
        let frame = CloseFrame { code, reason: reason.into() };
        // Whoever is gone already misses nothing.
        let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
    }
}

/// How far a widget has read, of which numbering.
struct Resume {
    numbering: Option<String>,
    after: i64,
}

async fn greet(state: &ApiState, door: &Door, socket: &mut WebSocket) -> Result<(VisitorToken, Resume), Option<End>> {
    let first = timeout(HELLO, socket.recv()).await.map_err(|_| Some((code::NO_HELLO, "no hello came")))?;
    let Some(Ok(Message::Text(text))) = first else { return Err(Some((code::NOT_TEXT, "no hello came"))) };
    let Ok(Frame::Hello { token, chat, after }) = frames::read(&text) else {
        return Err(Some((code::NO_HELLO, "the first frame must be a hello")));
    };
    let visitor = door.visitor(state, &token).await.map_err(|_| Some((code::NO_VISITOR, "begin a session")))?;
    let place = (door.site.client, door.site.id);
    let sockets = state.web_chat.presence.sockets_of(place, &visitor.visitor.to_string());
    if sockets >= state.web_chat.limits.settings.sockets_per_visitor {
        return Err(Some((code::TOO_MUCH, "too many sockets of one visitor")));
    }
    Ok((visitor, Resume { numbering: chat, after: after.unwrap_or_default() }))
}

/// One socket, and what its widget has been shown.
struct Line<'a> {
    state: &'a ApiState,
    door: &'a Door,
    socket: &'a mut WebSocket,
    visitor: VisitorToken,
    id: String,
    /// Where the chat stood when the widget was told last.
    known: Option<Thread>,
    /// The sequence number up to which it has been shown messages.
    shown: i64,
    /// When agents were told last that the visitor writes.
    typed: Option<Instant>,
}

impl Line<'_> {
    async fn hold(mut self, mut watching: Watching, resume: Resume) -> Option<End> {
        // Only from now on this socket is told of changes of its site, and the handshake was a while ago.
        if let ControlFlow::Break(end) = self.may_stay().await {
            return end;
        }
        if let ControlFlow::Break(end) = self.begin(resume).await {
            return end;
        }
        let (mut every, mut heard, mut asked) = (interval(LOOK), Instant::now(), Instant::now());
        let mut frames = 0;
        loop {
            let going = tokio::select! {
                frame = self.socket.recv() => {
                    heard = Instant::now();
                    frames += 1;
                    match frame {
                        _ if frames > FRAMES_PER_SECOND => ControlFlow::Break(Some((code::TOO_MUCH, "too many frames"))),
                        Some(Ok(frame)) => self.take(frame).await,
                        Some(Err(_)) | None => ControlFlow::Break(None),
                    }
                }
                changed = watching.chat.changed() => match changed {
                    Ok(()) => {
                        let chat = watching.chat.borrow_and_update().clone();
                        self.follow(chat).await
                    }
                    Err(_) => ControlFlow::Break(Some((code::FAILED, "come again"))),
                },
                changed = watching.site.changed() => match changed {
                    Ok(()) => {
                        let site = watching.site.borrow_and_update().clone();
                        self.heed(&site).await
                    }
                    Err(_) => ControlFlow::Break(Some((code::FAILED, "come again"))),
                },
                _ = every.tick() => {
                    frames = 0;
                    let asks = heard.elapsed() > ASK && asked.elapsed() > ASK;
                    if asks {
                        asked = Instant::now();
                    }
                    self.look_after(heard.elapsed(), asks).await
                }
            };
            if let ControlFlow::Break(end) = going {
                return end;
            }
        }
    }

    /// The site stands otherwise than before, as it was looked at last.
    async fn heed(&mut self, site: &Standing) -> Going {
        if site.admits(&self.door.site.key, &self.door.origin) {
            ControlFlow::Continue(())
        } else {
            self.may_stay().await
        }
    }

    /// A site may be gone, have another key, or show the widget elsewhere.
    async fn may_stay(&mut self) -> Going {
        match site_of_key(&self.state.context, &self.door.site.key).await {
            Ok(Some(site)) if site.origins.contains(&self.door.origin) => ControlFlow::Continue(()),
            Ok(_) => ControlFlow::Break(Some((code::NO_SITE, "the site does not show the widget here"))),
            Err(error) => failed(&error),
        }
    }

    /// Shows where the chat stands, and what the widget has not seen of it.
    async fn begin(&mut self, resume: Resume) -> Going {
        let chat = match chat_of(&self.state.context, &self.door.site, &self.id).await {
            Ok(chat) => chat,
            Err(error) => return failed(&error),
        };
        let numbering = chat.as_ref().map(shown::numbering);
        let resumed = numbering.is_some() && numbering == resume.numbering;
        self.shown = if resumed { resume.after } else { 0 };
        self.known.clone_from(&chat);
        let state = chat.as_ref().map_or(Value::Null, shown::state_of);
        self.say(&json!({ "type": "ready", "resumed": resumed, "chat": state })).await?;
        match chat {
            Some(chat) if resumed => self.show_new(&chat).await,
            Some(chat) => self.show_before(&chat, i64::MAX, "messages").await,
            None => ControlFlow::Continue(()),
        }
    }

    /// The chat stands elsewhere.
    async fn follow(&mut self, chat: Option<Thread>) -> Going {
        let Some(chat) = chat else { return ControlFlow::Continue(()) };
        if chat.joined {
            // The visitor has turned out to be a user of the site, whose chat it is now.
            return ControlFlow::Break(Some((code::NO_VISITOR, "begin a session")));
        }
        let before = self.known.replace(chat.clone());
        if before.as_ref().is_some_and(|before| shown::numbering(before) != shown::numbering(&chat)) {
            // Two chats became one: what was shown has other numbers now.
            self.shown = 0;
            let state = shown::state_of(&chat);
            self.say(&json!({ "type": "ready", "resumed": false, "chat": state })).await?;
            return self.show_before(&chat, i64::MAX, "messages").await;
        }
        self.show_new(&chat).await?;
        let essence = |chat: &Thread| (chat.state, chat.agent.clone(), chat.after_hours, chat.unread == 0);
        if before.as_ref().map(essence) != Some(essence(&chat)) {
            self.say(&json!({ "type": "state", "chat": shown::state_of(&chat) })).await?;
        }
        let types = |chat: &Thread| chat.typing_until.filter(|until| *until > self.state.context.now());
        if types(&chat).is_some() && types(&chat) != before.as_ref().and_then(types) {
            self.say(&json!({ "type": "typing" })).await?;
        }
        ControlFlow::Continue(())
    }

    /// Shows what came after what was shown, page by page.
    async fn show_new(&mut self, chat: &Thread) -> Going {
        while self.shown < chat.next_sequence - 1 {
            let found = messages_after(&self.state.context, self.door.site.client, chat.participant, self.shown).await;
            let page = match found {
                Ok(page) => page,
                Err(error) => return failed(&error),
            };
            let Some(last) = page.last().map(|message| message.sequence) else { break };
            self.say(&self.page("messages", &page, false)).await?;
            self.shown = last;
        }
        ControlFlow::Continue(())
    }

    /// Shows the last page before a sequence number.
    async fn show_before(&mut self, chat: &Thread, before: i64, kind: &str) -> Going {
        let found = messages_before(&self.state.context, self.door.site.client, chat.participant, before).await;
        let page = match found {
            Ok(page) => page,
            Err(error) => return failed(&error),
        };
        let more = i64::try_from(page.len()).is_ok_and(|length| length >= PAGE);
        self.say(&self.page(kind, &page, more)).await?;
        self.shown = self.shown.max(page.last().map_or(0, |message| message.sequence));
        ControlFlow::Continue(())
    }

    fn page(&self, kind: &str, page: &[ThreadMessage], more: bool) -> Value {
        let (ctx, client) = (&self.state.context, self.door.site.client);
        let items: Vec<Value> = page.iter().map(|message| shown::message(ctx, client, message)).collect();
        json!({ "type": kind, "items": items, "more": more })
    }

    async fn take(&mut self, frame: Message) -> Going {
        let text = match frame {
            Message::Text(text) => text,
            Message::Ping(_) | Message::Pong(_) => return ControlFlow::Continue(()),
            Message::Close(_) => return ControlFlow::Break(None),
            Message::Binary(_) => return ControlFlow::Break(Some((code::NOT_TEXT, "frames are text"))),
        };
        let key =
            serde_json::from_str::<Value>(&text).ok().and_then(|frame| frame.get("key")?.as_str().map(str::to_owned));
        let said = frames::read(&text).and_then(Frame::said);
        match said {
            Err(fault) => self.refuse(key.as_deref(), &ApiError::faults(vec![fault])).await,
            Ok(Said::Ping) => self.say(&json!({ "type": "pong" })).await,
            Ok(Said::Typing) => self.tell_typing().await,
            Ok(Said::History(before)) => match self.known.clone() {
                Some(chat) => self.show_before(&chat, before, "history").await,
                None => ControlFlow::Continue(()),
            },
            Ok(Said::Progress(progress)) => {
                let noted =
                    web_chat::note_progress(&self.state.context, &self.door.site, &self.visitor, progress).await;
                if let Err(error) = noted {
                    // It is told again with the next one.
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "how far a visitor has come was not noted"
                    );
                }
                ControlFlow::Continue(())
            }
            Ok(Said::Post(key, post)) => self.post(&key, post).await,
        }
    }

    /// Agents are told that the visitor writes, from time to time; a visitor without a chat writes to nobody yet.
    async fn tell_typing(&mut self) -> Going {
        let lately = self.typed.is_some_and(|typed| typed.elapsed() < TYPING);
        let open = self.known.as_ref().filter(|chat| chat.state != ParticipantState::Closed);
        if let (false, Some(chat)) = (lately, open) {
            self.typed = Some(Instant::now());
            if let Err(error) = web_chat::types(&self.state.context, &self.door.site, chat).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "agents were not told that a visitor writes");
            }
        }
        ControlFlow::Continue(())
    }

    async fn post(&mut self, key: &domain::web_chat::PostKey, post: Post) -> Going {
        let limits = &self.state.web_chat.limits;
        let room = limits.call(self.door.address).and_then(|()| limits.post(self.visitor.visitor));
        if let Err(wait) = room {
            return self.refuse(Some(key.as_str()), &too_often(wait)).await;
        }
        match web_chat::post(&self.state.context, &self.door.site, &self.visitor, key, post).await {
            Ok(posted) => self.say(&frames::taken(key, posted)).await,
            Err(PostRefused::Expired) => ControlFlow::Break(Some((code::NO_VISITOR, "begin a session"))),
            Err(refused) => {
                let error = match refused {
                    PostRefused::Faults(faults) => ApiError::faults(faults),
                    PostRefused::FormFirst | PostRefused::FormAnswered | PostRefused::Expired => {
                        ApiError::new(ErrorKind::Conflict, refused.to_string())
                    }
                    PostRefused::Failed(cause) => {
                        tracing::warn!(error = &cause as &dyn std::error::Error, "a visitor's message was not stored");
                        cause.into()
                    }
                };
                self.refuse(Some(key.as_str()), &error).await
            }
        }
    }

    async fn refuse(&mut self, key: Option<&str>, error: &ApiError) -> Going {
        self.say(&frames::refused(key, error)).await
    }

    async fn look_after(&mut self, silent: Duration, asks: bool) -> Going {
        if self.state.readiness.is_stopping() {
            return ControlFlow::Break(Some((code::STOPPING, "come again")));
        }
        if silent > GONE {
            return ControlFlow::Break(None);
        }
        if self.visitor.expires_at <= self.state.context.now() {
            return ControlFlow::Break(Some((code::NO_VISITOR, "begin a session")));
        }
        if !asks {
            return ControlFlow::Continue(());
        }
        self.send(Message::Ping(Vec::new().into())).await
    }

    async fn say(&mut self, frame: &Value) -> Going {
        self.send(Message::Text(frame.to_string().into())).await
    }

    async fn send(&mut self, message: Message) -> Going {
        match timeout(PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(None),
        }
    }
}

fn failed(error: &base::Error) -> Going {
    tracing::warn!(error = error as &dyn std::error::Error, "a visitor's socket ends");
    ControlFlow::Break(Some((code::FAILED, "come again")))
}
