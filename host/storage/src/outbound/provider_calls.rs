//! Provider calls that took no message, for its story. Successful calls follow from the next step.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MessageId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone)]
pub struct FailedCall {
    /// UUIDv7 of the moment it was stored.
    pub id: Uuid,
    pub message: MessageId,
    pub ordinal: i16,
    pub outcome: CallOutcome,
    pub code: Option<String>,
    pub text: String,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    Refused,
    Retry,
    /// The outcome is unknown; a status is awaited.
    Unanswered,
}

impl CallOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "REFUSED",
            Self::Retry => "RETRY",
            Self::Unanswered => "UNANSWERED",
        }
    }
}

pub async fn insert(db: &mut PgConnection, client: ClientId, calls: &[FailedCall]) -> Result<()> {
    if calls.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO provider_call (client_id, message_id, id, ordinal, outcome, error_code, error_text, called_at)
         SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::smallint[], $5::text[], $6::text[], $7::text[],
                                  $8::timestamptz[])",
    )
    .bind(client.0)
    .bind(calls.iter().map(|call| call.message.0).collect::<Vec<_>>())
    .bind(calls.iter().map(|call| call.id).collect::<Vec<_>>())
    .bind(calls.iter().map(|call| call.ordinal).collect::<Vec<_>>())
    .bind(calls.iter().map(|call| call.outcome.as_str()).collect::<Vec<_>>())
    .bind(calls.iter().map(|call| call.code.as_deref()).collect::<Vec<_>>())
    .bind(calls.iter().map(|call| call.text.as_str()).collect::<Vec<_>>())
    .bind(calls.iter().map(|call| call.at).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}
