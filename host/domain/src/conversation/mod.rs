//! Long-lived conversations (SPEC 2.11, 3.1): open until closed, or until their time is over.

mod request;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, ConversationParticipantId, InboxId};
pub use request::{ConversationRequest, WireConversation};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub inbox: InboxId,
    /// The business number as it is dialled, in digits.
    pub sender: String,
    /// Name of the client, as it is now.
    pub client_ref: String,
    pub participant: ConversationParticipantId,
    /// Phone number that it was opened with, in digits.
    pub recipient: Option<String>,
    /// BSUID that it was opened with.
    pub customer_user_id: Option<String>,
    /// `ctId` of the first free text into it that had one.
    pub ct_id: Option<String>,
    /// `gstId` of the template whose quick reply was tapped last in this conversation.
    pub tqrmt_id: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// The stored time and reason of its end, if there is one.
    pub closed: Option<(DateTime<Utc>, CloseReason)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CloseReason {
    /// The close call.
    Asked,
    /// A tap on a quick reply with `conversationState` `end`.
    Button,
    Expired,
    /// Its customer was merged with one that already had a conversation, which continues.
    Merged,
}

impl CloseReason {
    pub const ALL: [Self; 4] = [Self::Asked, Self::Button, Self::Expired, Self::Merged];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "ASKED",
            Self::Button => "BUTTON",
            Self::Expired => "EXPIRED",
            Self::Merged => "MERGED",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationState {
    Active,
    Closed,
}

impl ConversationState {
    pub const ALL: [Self; 2] = [Self::Active, Self::Closed];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Closed => "CLOSED",
        }
    }
}

impl Conversation {
    /// The time and reason of its end, exact also if the expiry is not stored yet. `None` while it is active.
    pub fn closed_by(&self, now: DateTime<Utc>) -> Option<(DateTime<Utc>, CloseReason)> {
        self.closed.or_else(|| (self.expires_at <= now).then_some((self.expires_at, CloseReason::Expired)))
    }

    pub fn state(&self, now: DateTime<Utc>) -> ConversationState {
        if self.closed_by(now).is_some() { ConversationState::Closed } else { ConversationState::Active }
    }

    /// Whole seconds until its time is over, begun ones counted: 0 exactly when it takes no more messages.
    pub fn remaining_seconds(&self, now: DateTime<Utc>) -> i64 {
        if self.closed_by(now).is_some() {
            return 0;
        }
        let left = self.expires_at - now;
        left.num_seconds() + i64::from(left.subsec_nanos() > 0)
    }
}

pub fn expires_at(now: DateTime<Utc>, lifetime: std::time::Duration) -> DateTime<Utc> {
    TimeDelta::from_std(lifetime)
        .ok()
        .and_then(|lifetime| now.checked_add_signed(lifetime))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// The conversation that a message belongs to, as webhooks name it (SPEC 6.1, 6.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRef {
    pub id: ConversationId,
    pub participant: ConversationParticipantId,
    /// The conversation's own tracking id: `ctId` of the first free text into it that had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ct_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn moment(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn conversation() -> Conversation {
        Conversation {
            id: ConversationId(Uuid::nil()),
            inbox: InboxId(Uuid::nil()),
            sender: "27820001001".to_owned(),
            client_ref: "acme".to_owned(),
            participant: ConversationParticipantId(Uuid::nil()),
            recipient: Some("27820000001".to_owned()),
            customer_user_id: None,
            ct_id: None,
            tqrmt_id: None,
            created_at: moment("2026-11-01T12:00:00Z"),
            expires_at: moment("2026-12-01T12:00:00Z"),
            closed: None,
        }
    }

    #[test]
    fn a_conversation_is_active_until_the_moment_its_time_is_over() {
        let one = conversation();
        assert_eq!(one.state(moment("2026-12-01T11:59:59.999Z")), ConversationState::Active);
        assert_eq!(one.state(moment("2026-12-01T12:00:00Z")), ConversationState::Closed);
        let over = one.closed_by(moment("2027-01-01T00:00:00Z"));
        assert_eq!(
            over,
            Some((one.expires_at, CloseReason::Expired)),
            "it closed when its time was over, not when read"
        );
    }

    #[test]
    fn the_remaining_time_is_in_whole_seconds_and_0_only_when_it_is_over() {
        let one = conversation();
        assert_eq!(one.remaining_seconds(one.created_at), 30 * 24 * 3600);
        assert_eq!(one.remaining_seconds(moment("2026-12-01T11:59:58.500Z")), 2);
        assert_eq!(one.remaining_seconds(moment("2026-12-01T11:59:59.999Z")), 1);
        assert_eq!(one.remaining_seconds(moment("2026-12-01T12:00:00Z")), 0);
        assert_eq!(one.remaining_seconds(moment("2026-12-09T12:00:00Z")), 0);
    }

    #[test]
    fn a_closed_conversation_keeps_its_first_close_reason() {
        let at = moment("2026-11-05T00:00:00Z");
        let one = Conversation { closed: Some((at, CloseReason::Asked)), ..conversation() };
        assert_eq!(one.state(at), ConversationState::Closed);
        assert_eq!(one.remaining_seconds(at), 0);
        assert_eq!(one.closed_by(moment("2027-01-01T00:00:00Z")), Some((at, CloseReason::Asked)));
    }

    #[test]
    fn a_lifetime_beyond_the_calendar_ends_at_its_last_moment() {
        let now = moment("2026-11-01T12:00:00Z");
        assert_eq!(expires_at(now, std::time::Duration::from_secs(60)), moment("2026-11-01T12:01:00Z"));
        assert_eq!(expires_at(now, std::time::Duration::MAX), DateTime::<Utc>::MAX_UTC);
    }
}
