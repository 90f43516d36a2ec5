//! One socket of a widget, from its greeting to its end. Nothing queues up in it: the widget is not read while its
//! share is used up, and the next page is read from the database when the widget has read the page before.

mod receive;
mod send;

use std::{ops::ControlFlow, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use futures::SinkExt;
use inbound::web_chat::{SitePermission, SocketView, Thread, VisitorProgress, VisitorToken, site_of_key};
use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::{
    frames::SocketMessage,
    limits::{PageRoom, SocketOwner},
    page_access::WidgetPage,
    read_probe::UnreadBytes,
    socket_end::{Resume, SocketEnd, code},
};
use crate::state::WidgetState;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// A widget that is silent for this time gets a ping.
const PING_AFTER: Duration = Duration::from_secs(25);
/// A widget that is silent for this time is gone.
const GONE_AFTER: Duration = Duration::from_secs(60);
const FRAMES_PER_SECOND: u32 = 50;

type Going = ControlFlow<Option<SocketEnd>>;

pub(super) struct SocketLine<'a> {
    state: &'a WidgetState,
    widget: &'a WidgetPage,
    socket: &'a mut WebSocket,
    visitor: VisitorToken,
    id: String,
    known: Option<Thread>,
    shown: i64,
    /// True if it still needs the end of the chat.
    end_due: bool,
    /// If it waits for older messages: the number before which they are.
    history_due: Option<i64>,
    unread: UnreadBytes,
    claimed: VisitorProgress,
    noted: VisitorProgress,
    typed: Option<Instant>,
    heard: Instant,
    /// A frame that waits for the share of its visitor or address, and the end of the wait.
    held: Option<(SocketMessage, Instant)>,
}

impl<'a> SocketLine<'a> {
    pub(super) fn new(
        state: &'a WidgetState,
        widget: &'a WidgetPage,
        socket: &'a mut WebSocket,
        visitor: VisitorToken,
        id: String,
    ) -> Self {
        Self {
            state,
            widget,
            socket,
            visitor,
            id,
            known: None,
            shown: 0,
            end_due: false,
            history_due: None,
            unread: UnreadBytes::default(),
            claimed: VisitorProgress::default(),
            noted: VisitorProgress::default(),
            typed: None,
            heard: Instant::now(),
            held: None,
        }
    }

    pub(super) async fn hold(mut self, mut watching: SocketView, resume: Resume) -> Option<SocketEnd> {
        // Changes of the site before this moment were not announced to this socket, so the site is checked again.
        if let ControlFlow::Break(end) = self.may_stay().await {
            return end;
        }
        if let ControlFlow::Break(end) = self.begin(resume).await {
            return end;
        }
        let (mut every, mut asked, mut frames) = (interval(CHECK_INTERVAL), Instant::now(), 0);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let held_until = self.held.as_ref().map(|(_, until)| *until);
            let going = tokio::select! {
                // While a frame is held no other is read, so the connection pushes back.
                frame = self.widget.hearing.hear(self.socket.recv()), if held_until.is_none() => {
                    frames += 1;
                    match frame {
                        _ if frames > FRAMES_PER_SECOND => ControlFlow::Break(Some((code::TOO_MUCH, "too many frames"))),
                        Some(Ok(frame)) => self.charge(SocketMessage::of(frame)).await,
                        Some(Err(_)) | None => ControlFlow::Break(None),
                    }
                }
                () = sleep_until(held_until.unwrap_or_else(Instant::now)), if held_until.is_some() => {
                    match self.held.take() {
                        Some((frame, _)) => self.charge(frame).await,
                        None => ControlFlow::Continue(()),
                    }
                }
                changed = watching.chat.changed() => match changed {
                    Ok(()) => {
                        let chat = watching.chat.borrow_and_update().clone();
                        self.follow(chat).await
                    }
                    Err(_) => ControlFlow::Break(Some((code::FAILED, "connect again"))),
                },
                changed = watching.site.changed() => match changed {
                    Ok(()) => {
                        let site = watching.site.borrow_and_update().clone();
                        self.check_permission(&site).await
                    }
                    Err(_) => ControlFlow::Break(Some((code::FAILED, "connect again"))),
                },
                _ = every.tick() => {
                    frames = 0;
                    let asks = self.heard.elapsed() > PING_AFTER && asked.elapsed() > PING_AFTER;
                    if asks {
                        asked = Instant::now();
                    }
                    self.look_after(asks).await
                }
            };
            if let ControlFlow::Break(end) = going {
                return end;
            }
        }
    }

    fn guest(&self) -> SocketOwner {
        SocketOwner { visitor: self.visitor.visitor, address: self.widget.address }
    }

    async fn check_permission(&mut self, site: &SitePermission) -> Going {
        if site.admits(&self.widget.site.key, &self.widget.origin) {
            ControlFlow::Continue(())
        } else {
            self.may_stay().await
        }
    }

    /// Ends the socket if the site is gone, has another key, or no longer shows the widget here.
    async fn may_stay(&mut self) -> Going {
        let _turn = self.widget.turn(self.state).await;
        match site_of_key(&self.state.context, &self.widget.site.key).await {
            Ok(Some(site)) if site.origins.contains(&self.widget.origin) => ControlFlow::Continue(()),
            Ok(_) => ControlFlow::Break(Some((code::NO_SITE, "the site does not show the widget here"))),
            Err(error) => end_after_error(&error),
        }
    }

    async fn look_after(&mut self, asks: bool) -> Going {
        if self.state.readiness.is_stopping() {
            return ControlFlow::Break(Some((code::STOPPING, "connect again")));
        }
        if self.heard.elapsed() > GONE_AFTER || self.unread.is_stuck(self.patience()) {
            return ControlFlow::Break(None);
        }
        if self.visitor.expires_at <= self.state.context.now() {
            return ControlFlow::Break(Some((code::NO_VISITOR, "begin a session")));
        }
        if asks {
            self.write(Message::Ping(Vec::new().into())).await?;
        }
        // A page may wait for room that others have given back.
        self.show_due().await
    }

    fn patience(&self) -> Duration {
        self.state.web_chat.limits.settings.write_timeout
    }

    async fn send_frame(&mut self, frame: Value) -> Going {
        self.send_text(frame.to_string(), None).await
    }

    /// Sends a frame, and a probe after many bytes. A page keeps its room until it is read.
    async fn send_text(&mut self, text: String, room: Option<PageRoom>) -> Going {
        let bytes = text.len();
        self.write(Message::Text(text.into())).await?;
        match self.unread.count_sent(bytes, room) {
            Some(mark) => self.write(Message::Ping(mark.to_vec().into())).await,
            None => ControlFlow::Continue(()),
        }
    }

    async fn write(&mut self, message: Message) -> Going {
        match timeout(self.patience(), self.socket.send(message)).await {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(None),
        }
    }

    /// Writes the answers of the library to pings of the other end.
    async fn flush(&mut self) -> Going {
        match timeout(self.patience(), self.socket.flush()).await {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(None),
        }
    }
}

fn end_after_error(error: &base::Error) -> Going {
    tracing::warn!(error = error as &dyn std::error::Error, "a visitor's socket ends");
    ControlFlow::Break(Some((code::FAILED, "connect again")))
}
