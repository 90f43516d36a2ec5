use std::{ops::ControlFlow, time::Duration};

use api_core::error::{ApiError, ErrorKind};
use domain::{chat::ParticipantState, web_chat::PostKey};
use inbound::web_chat::{self, PostRefused, VisitorPost, VisitorProgress};
use serde_json::json;
use tokio::time::Instant;

use super::{Going, SocketLine};
use crate::{
    frames::{self, SocketMessage, WidgetAction},
    limits::too_often,
    socket_end::code,
};

/// Shortest time between two typing notices to agents.
const TYPING: Duration = Duration::from_secs(2);

impl SocketLine<'_> {
    /// Charges a frame to its visitor and its address. If their share is used up, the frame is held and the socket not read.
    pub(super) async fn charge(&mut self, heard: SocketMessage) -> Going {
        self.heard = Instant::now();
        match self.state.web_chat.limits.frame(self.guest(), heard.cost()) {
            Ok(()) => self.take(heard).await,
            Err(wait) => {
                self.held = Some((heard, self.heard + wait));
                ControlFlow::Continue(())
            }
        }
    }

    async fn take(&mut self, heard: SocketMessage) -> Going {
        match heard {
            SocketMessage::Closed => ControlFlow::Break(None),
            SocketMessage::NotText => ControlFlow::Break(Some((code::NOT_TEXT, "frames are text"))),
            SocketMessage::Probe => self.flush().await,
            SocketMessage::Mark(mark) if self.unread.read(&mark) => self.show_due().await,
            SocketMessage::Mark(_) => ControlFlow::Continue(()),
            SocketMessage::Frame(key, Err(fault)) => self.refuse(key.as_deref(), &ApiError::faults(vec![fault])).await,
            SocketMessage::Frame(_, Ok(said)) => self.answer(said).await,
        }
    }

    async fn answer(&mut self, said: WidgetAction) -> Going {
        match said {
            WidgetAction::Ping => self.send_frame(json!({ "type": "pong" })).await,
            WidgetAction::Typing => self.tell_typing().await,
            WidgetAction::History(_) if self.known.is_none() => ControlFlow::Continue(()),
            WidgetAction::History(before) => {
                self.history_due = Some(before);
                self.show_due().await
            }
            WidgetAction::Progress(told) => {
                // A widget cannot have shown messages that do not exist yet.
                let newest = self.known.as_ref().map_or(0, |chat| chat.next_sequence - 1);
                let VisitorProgress { delivered_up_to, read_up_to } = self.claimed;
                self.claimed = VisitorProgress {
                    delivered_up_to: told.delivered_up_to.max(told.read_up_to).min(newest).max(delivered_up_to),
                    read_up_to: told.read_up_to.min(newest).max(read_up_to),
                };
                self.note_progress().await
            }
            WidgetAction::Post(key, post) => self.post(&key, post).await,
        }
    }

    /// Records new progress without a query if nothing changes. Messages that this socket has not seen do not count.
    pub(super) async fn note_progress(&mut self) -> Going {
        let Some(newest) = self.known.as_ref().map(|chat| chat.next_sequence - 1) else {
            return ControlFlow::Continue(());
        };
        let told = VisitorProgress {
            delivered_up_to: self.claimed.delivered_up_to.min(newest),
            read_up_to: self.claimed.read_up_to.min(newest),
        };
        if told.delivered_up_to <= self.noted.delivered_up_to && told.read_up_to <= self.noted.read_up_to {
            return ControlFlow::Continue(());
        }
        let _turn = self.widget.turn(self.state).await;
        match web_chat::note_progress(&self.state.context, &self.widget.site, &self.visitor, told).await {
            Ok(noted) => self.noted = noted,
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "the progress of a visitor was not stored");
            }
        }
        ControlFlow::Continue(())
    }

    /// Sends agents a typing notice from time to time. A visitor without a chat has no agents.
    async fn tell_typing(&mut self) -> Going {
        let lately = self.typed.is_some_and(|typed| typed.elapsed() < TYPING);
        let open = self.known.as_ref().filter(|chat| chat.state != ParticipantState::Closed);
        if let (false, Some(chat)) = (lately, open) {
            self.typed = Some(Instant::now());
            let _turn = self.widget.turn(self.state).await;
            if let Err(error) = web_chat::types(&self.state.context, &self.widget.site, chat).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "a typing notice to agents was not sent");
            }
        }
        ControlFlow::Continue(())
    }

    async fn post(&mut self, key: &PostKey, post: VisitorPost) -> Going {
        let limits = &self.state.web_chat.limits;
        let room = limits.call(self.widget.address).and_then(|()| limits.post(self.visitor.visitor));
        if let Err(wait) = room {
            return self.refuse(Some(key.as_str()), &too_often(wait)).await;
        }
        let turn = self.widget.turn(self.state).await;
        let posted = web_chat::post(&self.state.context, &self.widget.site, &self.visitor, key, post).await;
        drop(turn);
        match posted {
            Ok(posted) => self.send_frame(frames::accepted_frame(key, posted)).await,
            Err(PostRefused::Expired) => ControlFlow::Break(Some((code::NO_VISITOR, "begin a session"))),
            Err(refused) => self.refuse(Some(key.as_str()), &api_error(refused)).await,
        }
    }

    async fn refuse(&mut self, key: Option<&str>, error: &ApiError) -> Going {
        self.send_frame(frames::refusal_frame(key, error)).await
    }
}

fn api_error(refused: PostRefused) -> ApiError {
    match refused {
        PostRefused::Faults(faults) => ApiError::faults(faults),
        PostRefused::FormFirst | PostRefused::FormAnswered | PostRefused::Expired => {
            ApiError::new(ErrorKind::Conflict, refused.to_string())
        }
        PostRefused::Failed(cause) => {
            tracing::warn!(error = &cause as &dyn std::error::Error, "a visitor's message was not stored");
            cause.into()
        }
    }
}
