//! The stored facts of a conversation that a chatbot may read.

use domain::{
    chat::ChatContent,
    ids::{ClientId, ParticipantId},
};
use plugin_host::{
    ConversationAnswer, ConversationQuestion,
    chatbot::{Author, PastMessage, RunningTimer},
    unix_millis,
};
use storage::{
    PgConnection, Result,
    chat::{
        history::{self, PastMessage as StoredMessage},
        participant_events, participants,
    },
};

/// The owner of messages of chatbots and of Patchbay itself.
const BOT_OWNER: &str = "BOT";

pub(super) async fn read(
    db: &mut PgConnection,
    client: ClientId,
    participant: ParticipantId,
    plugin: &str,
    question: ConversationQuestion,
) -> Result<ConversationAnswer> {
    Ok(match question {
        ConversationQuestion::Tags => {
            let found = participants::find(db, client, participant).await?;
            ConversationAnswer::Tags(found.map(|found| found.tags).unwrap_or_default())
        }
        ConversationQuestion::History(most) => {
            let messages = history::before(db, client, participant, None, i64::from(most)).await?;
            ConversationAnswer::History(messages.into_iter().map(message).collect())
        }
        ConversationQuestion::Timers => {
            let timers = participant_events::timers(db, client, participant, plugin).await?;
            let timer = |(name, due)| RunningTimer { name, due_ms: unix_millis(due) };
            ConversationAnswer::Timers(timers.into_iter().map(timer).collect())
        }
    })
}

fn message(stored: StoredMessage) -> PastMessage {
    let author = match &stored.content {
        ChatContent::Incoming(_) => Author::Customer,
        ChatContent::Outgoing(_) if stored.owner == BOT_OWNER => Author::Bot,
        ChatContent::Outgoing(_) => Author::Agent,
    };
    PastMessage {
        id: stored.id.to_string(),
        author,
        timestamp_ms: unix_millis(stored.created_at),
        kind: stored.content_type.as_str().to_owned(),
        text: stored.body.unwrap_or_default(),
    }
}
