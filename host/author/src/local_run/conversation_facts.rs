//! The facts of a local conversation that its bot may read, and the ends of its requests.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use plugin_host::{
    ConversationAnswer, ConversationQuestion, FileAnswer, FilePart, HttpFault, HttpRequest, HttpResponse,
    KeyValueError, KeyValueSnapshot, KeysWanted, Scope,
    chatbot::{Author, ChoiceSource, Content, HttpError, HttpOutcome, HttpReply, PastMessage, RunningTimer},
    unix_millis,
};

use super::bot_message::BotMessage;

/// The stored facts that one call may read.
pub(crate) struct LocalReads {
    pub(crate) values: Arc<dyn KeyValueSnapshot>,
    pub(crate) tags: Vec<String>,
    pub(crate) history: Vec<PastMessage>,
    pub(crate) timers: BTreeMap<String, DateTime<Utc>>,
    /// By message.
    pub(crate) files: BTreeMap<String, Arc<[u8]>>,
}

#[async_trait]
impl KeyValueSnapshot for LocalReads {
    async fn get(&self, scope: Scope, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        self.values.get(scope, key).await
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        self.values.list(scope, wanted).await
    }

    async fn conversation(&self, question: ConversationQuestion) -> Result<ConversationAnswer, KeyValueError> {
        Ok(match question {
            ConversationQuestion::Tags => ConversationAnswer::Tags(self.tags.clone()),
            ConversationQuestion::History(most) => {
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                let from = self.history.len().saturating_sub(most);
                ConversationAnswer::History(self.history.iter().skip(from).cloned().collect())
            }
            ConversationQuestion::Timers => {
                let timer = |(name, due): (&String, &DateTime<Utc>)| RunningTimer {
                    name: name.clone(),
                    due_ms: unix_millis(*due),
                };
                let mut timers: Vec<RunningTimer> = self.timers.iter().map(timer).collect();
                timers.sort_by_key(|timer| timer.due_ms);
                ConversationAnswer::Timers(timers)
            }
        })
    }

    async fn read_file(&self, part: &FilePart) -> Result<FileAnswer, KeyValueError> {
        let Some(file) = self.files.get(&part.message) else { return Ok(FileAnswer::NotFound) };
        let from = usize::try_from(part.offset).unwrap_or(usize::MAX);
        let most = usize::try_from(part.most).unwrap_or(usize::MAX);
        Ok(FileAnswer::Bytes(file.iter().skip(from).take(most).copied().collect()))
    }
}

pub(crate) fn of_customer(id: &str, content: &Content, now: DateTime<Utc>) -> PastMessage {
    let (kind, text) = match content {
        Content::Text(text) | Content::Other(text) => ("TEXT", text.clone()),
        Content::Media(media) => ("MEDIA", media.caption.clone().unwrap_or_default()),
        Content::Location(place) => ("LOCATION", place.name.clone().unwrap_or_default()),
        Content::Choice(choice) => {
            let kind = match choice.source {
                ChoiceSource::Template | ChoiceSource::Other => "BUTTON",
                ChoiceSource::Interactive => "INTERACTIVE",
                ChoiceSource::Carousel => "CAROUSEL",
            };
            (kind, choice.text.clone())
        }
        Content::Reaction(reaction) => ("REACTION", reaction.emoji.clone().unwrap_or_default()),
        Content::Contact(text) => ("CONTACT", text.clone()),
    };
    past(id, Author::Customer, kind, text, now)
}

pub(crate) fn of_bot(id: &str, said: &BotMessage, now: DateTime<Utc>) -> PastMessage {
    let kind = match said.kind {
        "text" => "TEXT",
        "buttons" => "BUTTON",
        "list" => "INTERACTIVE",
        "location" => "LOCATION",
        "template" => "TEMPLATE",
        _ => "MEDIA",
    };
    past(id, Author::Bot, kind, said.text.clone(), now)
}

fn past(id: &str, author: Author, kind: &str, text: String, now: DateTime<Utc>) -> PastMessage {
    PastMessage { id: id.to_owned(), author, timestamp_ms: unix_millis(now), kind: kind.to_owned(), text }
}

/// The method and the address of a request, without the query, which may differ each time.
pub(crate) fn request_line(request: &HttpRequest) -> String {
    format!("{} {}", request.method, request.url.split(['?', '#']).next().unwrap_or_default())
}

pub(crate) fn outcome(ended: Result<HttpResponse, HttpFault>, most_bytes: usize) -> HttpOutcome {
    match ended {
        Ok(HttpResponse { status, headers, body }) => HttpOutcome::Response(HttpReply { status, headers, body }),
        Err(HttpFault::TimedOut) => HttpOutcome::Failed(HttpError::TimedOut),
        Err(HttpFault::TooLarge) => {
            HttpOutcome::Failed(HttpError::TooLarge(u32::try_from(most_bytes).unwrap_or(u32::MAX)))
        }
        Err(HttpFault::Refused(reason)) => HttpOutcome::Failed(HttpError::NotGranted(reason)),
        Err(HttpFault::Failed(reason)) => HttpOutcome::Failed(HttpError::Failed(reason)),
    }
}
