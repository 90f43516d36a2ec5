use chrono::{DateTime, Utc};
use domain::{
    chat::SentTemplate, conversation::ConversationRef, ids::ChatMessageId, inbound::InboundMessage, referral::Referral,
};
use storage::{inboxes::Inbox, people::customers::Customer};

use super::answers::AnswerStep;

pub(super) struct Arrival<'a> {
    pub(super) id: ChatMessageId,
    pub(super) message: &'a InboundMessage,
    /// Its content and the message it answers, translated.
    pub(super) answered: AnswerStep,
    pub(super) customer: &'a Customer,
    pub(super) inbox: &'a Inbox,
    /// The last template sent to the customer, if no free-form message followed.
    pub(super) last_template: Option<SentTemplate>,
    /// The long-lived conversation that is active, or that this message ends.
    pub(super) conversation: Option<ConversationRef>,
    pub(super) cost: Option<String>,
    pub(super) media_url: Option<String>,
    pub(super) written_at: DateTime<Utc>,
    pub(super) referral: Option<Box<Referral>>,
}
