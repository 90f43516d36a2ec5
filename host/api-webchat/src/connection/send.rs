use std::ops::ControlFlow;

use inbound::web_chat::{PAGE, Thread, ThreadMessage, VisitorProgress, chat_of, messages_after, messages_before};
use serde_json::{Value, json};

use super::{Going, SocketLine, end_after_error};
use crate::{
    socket_end::{Resume, code},
    visitor_view,
};

/// Room for a page: its rows, and the frame that is made of them.
const PAGE_ROOM: usize = 2 * PAGE.bytes;

enum Due {
    End,
    Next,
    Before(i64),
}

impl SocketLine<'_> {
    pub(super) async fn begin(&mut self, resume: Resume) -> Going {
        let turn = self.widget.turn(self.state).await;
        let chat = match chat_of(&self.state.context, &self.widget.site, &self.id).await {
            Ok(chat) => chat,
            Err(error) => return end_after_error(&error),
        };
        drop(turn);
        let numbering = chat.as_ref().map(visitor_view::numbering);
        let resumed = numbering.is_some() && numbering == resume.numbering;
        self.shown = if resumed { resume.after } else { 0 };
        self.end_due = chat.is_some() && !resumed;
        let state = chat.as_ref().map_or(Value::Null, visitor_view::state_of);
        self.known = chat;
        self.send_frame(json!({ "type": "ready", "resumed": resumed, "chat": state })).await?;
        self.show_due().await
    }

    pub(super) async fn follow(&mut self, chat: Option<Thread>) -> Going {
        let Some(chat) = chat else { return ControlFlow::Continue(()) };
        if chat.joined {
            // The visitor was identified as a user of the site. The chat belongs to that user now.
            return ControlFlow::Break(Some((code::NO_VISITOR, "begin a session")));
        }
        let before = self.known.replace(chat.clone());
        if before.as_ref().is_some_and(|before| visitor_view::numbering(before) != visitor_view::numbering(&chat)) {
            // Two chats were merged, so the shown messages have other numbers now.
            (self.shown, self.end_due, self.history_due) = (0, true, None);
            (self.claimed, self.noted) = (VisitorProgress::default(), VisitorProgress::default());
            self.send_frame(json!({ "type": "ready", "resumed": false, "chat": visitor_view::state_of(&chat) }))
                .await?;
            return self.show_due().await;
        }
        self.show_due().await?;
        let essence = |chat: &Thread| (chat.state, chat.agent.clone(), chat.after_hours, chat.unread == 0);
        if before.as_ref().map(essence) != Some(essence(&chat)) {
            self.send_frame(json!({ "type": "state", "chat": visitor_view::state_of(&chat) })).await?;
        }
        let types = |chat: &Thread| chat.typing_until.filter(|until| *until > self.state.context.now());
        if types(&chat).is_some() && types(&chat) != before.as_ref().and_then(types) {
            self.send_frame(json!({ "type": "typing" })).await?;
        }
        self.note_progress().await
    }

    /// Sends the due pages, as long as the earlier frames were read and there is room. Called again when that may have changed.
    pub(super) async fn show_due(&mut self) -> Going {
        while let Some(due) = self.due() {
            if self.unread.is_waiting() {
                break;
            }
            let Some(room) = self.state.web_chat.limits.room(self.guest(), PAGE_ROOM) else { break };
            let text = self.page(&due).await?;
            if let Some(text) = text {
                self.send_text(text, Some(room)).await?;
            }
        }
        ControlFlow::Continue(())
    }

    fn due(&self) -> Option<Due> {
        let chat = self.known.as_ref()?;
        if self.end_due {
            Some(Due::End)
        } else if self.shown < chat.next_sequence - 1 {
            Some(Due::Next)
        } else {
            self.history_due.map(Due::Before)
        }
    }

    /// The page is no longer due after this. The rows are dropped when it is sent.
    async fn page(&mut self, due: &Due) -> ControlFlow<Option<super::SocketEnd>, Option<String>> {
        let Some((participant, newest)) = self.known.as_ref().map(|chat| (chat.participant, chat.next_sequence - 1))
        else {
            return ControlFlow::Continue(None);
        };
        let (ctx, client) = (&self.state.context, self.widget.site.client);
        let turn = self.widget.turn(self.state).await;
        let found = match due {
            Due::End => messages_before(ctx, client, participant, i64::MAX).await,
            Due::Next => messages_after(ctx, client, participant, self.shown).await,
            Due::Before(before) => messages_before(ctx, client, participant, *before).await,
        };
        drop(turn);
        let page = match found {
            Ok(page) => page,
            Err(error) => return end_after_error(&error).map_continue(|()| None),
        };
        let last = page.messages.last().map(|message| message.sequence);
        let text = |kind, more| self.frame(kind, &page.messages, more);
        let text = match due {
            Due::End => Some(text("messages", page.more)),
            Due::Next => last.is_some().then(|| text("messages", false)),
            Due::Before(_) => Some(text("history", page.more)),
        };
        match due {
            Due::End => (self.end_due, self.shown) = (false, self.shown.max(last.unwrap_or_default())),
            // Older messages may have been deleted.
            Due::Next => self.shown = last.unwrap_or(newest),
            Due::Before(_) => self.history_due = None,
        }
        ControlFlow::Continue(text)
    }

    fn frame(&self, kind: &str, page: &[ThreadMessage], more: bool) -> String {
        let (ctx, client) = (&self.state.context, self.widget.site.client);
        let items: Vec<Value> = page.iter().map(|message| visitor_view::message(ctx, client, message)).collect();
        json!({ "type": kind, "items": items, "more": more }).to_string()
    }
}
