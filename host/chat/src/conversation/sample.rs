use chrono::DateTime;
use domain::{
    channel::Channel,
    chat::{ChatTeam, ParticipantState},
    ids::{CustomerId, InboxId, ParticipantId, TeamId, UserId},
};
use storage::chat::participants::Participant;
use uuid::Uuid;

pub(crate) fn participant(state: ParticipantState) -> Participant {
    Participant {
        id: ParticipantId(Uuid::nil()),
        inbox: InboxId(Uuid::nil()),
        customer: CustomerId(Uuid::nil()),
        channel: Channel::Whatsapp,
        state,
        control_version: 7,
        next_sequence: 3,
        events_handled: 2,
        bot_state: "menu".to_owned(),
        bot_state_plugin: None,
        tags: vec!["vip".to_owned()],
        missed: true,
        missed_by: None,
        after_hours: false,
        send_rating: false,
        assigned_agent: None,
        last_assigned_agent: Some(UserId(Uuid::nil())),
        team: Some(ChatTeam { id: TeamId(Uuid::nil()), name: "sales".to_owned() }),
        unread: 0,
        queued_reason: None,
        bot_plugin: None,
        ticket: None,
        found_by: String::new(),
        last_message_at: DateTime::UNIX_EPOCH,
        created_at: DateTime::UNIX_EPOCH,
    }
}
