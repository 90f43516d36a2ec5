//! Reads of the stored facts of a conversation.

use plugin_bindings::patchbay::plugin::conversation::{Host, PastMessage, RunningTimer};

use super::{
    conversation_facts::{ConversationAnswer, ConversationQuestion},
    guest::GuestState,
    stop::Stop,
};

pub(super) const MOST_MESSAGES: u32 = 50;
pub(super) const TEXT: usize = 4_096;

impl GuestState {
    async fn ask_conversation(&mut self, question: ConversationQuestion) -> wasmtime::Result<ConversationAnswer> {
        self.count_host_call()?;
        let read = self.key_values.conversation(question).await;
        let answer = read.map_err(|fault| wasmtime::Error::new(Stop::KeyValues(fault)))?;
        self.count_recorded(answer.bytes())?;
        Ok(answer)
    }
}

impl Host for GuestState {
    async fn tags(&mut self) -> wasmtime::Result<Vec<String>> {
        match self.ask_conversation(ConversationQuestion::Tags).await? {
            ConversationAnswer::Tags(tags) => Ok(tags),
            _ => Ok(Vec::new()),
        }
    }

    async fn history(&mut self, most: u32) -> wasmtime::Result<Vec<PastMessage>> {
        match self.ask_conversation(ConversationQuestion::History(most.min(MOST_MESSAGES))).await? {
            ConversationAnswer::History(messages) => Ok(messages.into_iter().map(shortened).collect()),
            _ => Ok(Vec::new()),
        }
    }

    async fn timers(&mut self) -> wasmtime::Result<Vec<RunningTimer>> {
        match self.ask_conversation(ConversationQuestion::Timers).await? {
            ConversationAnswer::Timers(timers) => Ok(timers),
            _ => Ok(Vec::new()),
        }
    }
}

fn shortened(message: PastMessage) -> PastMessage {
    match message.text.char_indices().nth(TEXT) {
        Some((end, _)) => PastMessage { text: message.text.get(..end).unwrap_or_default().to_owned(), ..message },
        None => message,
    }
}
