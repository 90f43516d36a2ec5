pub(crate) use events::chat_facts::{PreviousOwner, chat, customer, moved_event, order_key, ticket_moved};

#[cfg(test)]
mod tests {
    use domain::{
        chat::{ParticipantMove, ParticipantState},
        event::Event,
        ids::UserId,
    };
    use uuid::Uuid;

    use super::*;
    use crate::conversation::sample::participant;

    const THANDI: UserId = UserId(Uuid::from_u128(1));
    const SIPHO: UserId = UserId(Uuid::from_u128(2));

    #[test]
    fn a_chat_returned_to_its_chatbot_has_no_agent() {
        let mut chat = participant(ParticipantState::Active);
        chat.assigned_agent = Some(THANDI);
        let had = PreviousOwner::from(&chat);
        chat.apply(ParticipantMove::Released).unwrap();
        let Event::ChatChangedHands(changed) = moved_event(had, &chat) else { panic!("it has another owner") };
        assert_eq!((changed.to, changed.previous_agent), (ParticipantState::Bot, Some(THANDI)));
        assert_eq!(changed.assignment(), None);
    }

    #[test]
    fn the_agent_of_a_closing_chat_is_its_current_one_and_not_the_recorded_last_one() {
        let mut chat = participant(ParticipantState::Active);
        chat.assigned_agent = Some(THANDI);
        let had = PreviousOwner::from(&chat);
        chat.apply(ParticipantMove::Terminated).unwrap();
        chat.last_assigned_agent = Some(SIPHO);
        let Event::ChatClosed(closed) = moved_event(had, &chat) else { panic!("it is over") };
        assert_eq!(closed.agent, Some(THANDI));
    }
}
