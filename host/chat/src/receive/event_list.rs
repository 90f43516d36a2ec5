use domain::{
    chat::Rating,
    content::OutboundContent,
    event::{AnsweredMessage, AnsweredTemplate, ChatOpened, ChatRated, Event, EventChat, MessageCame},
};
use events::NewEvent;

use super::{
    answers::AnswerTarget,
    arrival::Arrival,
    chat::{ConversationStart, RoutedChat},
};
use crate::conversation::event_facts;

/// All events, in order. `chat`: the chat with the new message. `ticket`: the event of its ticket. `rated`: the rating
/// that counts.
pub(super) fn events(
    arrival: &Arrival<'_>,
    routed: &RoutedChat,
    chat: EventChat,
    ticket: Option<Event>,
    rated: Option<Rating>,
) -> Vec<NewEvent> {
    let (participant, message) = (&routed.participant, arrival.id);
    let opened = (routed.opened != ConversationStart::No).then(|| {
        let again = routed.opened == ConversationStart::Again;
        Event::ChatOpened(ChatOpened {
            participant: participant.id,
            state: participant.state,
            again,
            message: Some(message),
        })
    });
    let moved = routed.was.filter(|was| routed.opened == ConversationStart::No && was.state != participant.state);
    let came = Event::MessageCame(Box::new(came(arrival, chat)));
    let rated = rated.map(|rating| Event::ChatRated(ChatRated { participant: participant.id, message, rating }));
    let moved = moved.map(|was| event_facts::moved_event(was, participant));
    let inbox = arrival.inbox.id;
    let order_key = event_facts::order_key(inbox, arrival.customer);
    let all = opened.into_iter().chain([came]).chain(rated).chain(moved).chain(ticket);
    all.map(|event| NewEvent { inbox: Some(inbox), order_key, at: arrival.written_at, event }).collect()
}

fn came(arrival: &Arrival<'_>, chat: EventChat) -> MessageCame {
    let answered = &arrival.answered;
    MessageCame {
        message: arrival.id,
        chat,
        customer: event_facts::customer(arrival.customer),
        content: answered.content.clone(),
        carousel: answered.carousel,
        asks: answered.asks(),
        media_url: arrival.media_url.clone(),
        answers: answered.target.as_ref().map(answers),
        quoted_provider_id: answered.quoted_provider_id.clone(),
        last_template: arrival.last_template.clone(),
        conversation: arrival.conversation.clone(),
        cost: arrival.cost.clone(),
        referral: arrival.referral.clone(),
    }
}

fn answers(target: &AnswerTarget) -> AnsweredMessage {
    let quoted = &target.quoted;
    AnsweredMessage {
        chat_message: quoted.chat_message,
        message: quoted.outbound_message,
        gst_id: quoted.gst_id.clone(),
        ct_id: quoted.ct_id.clone(),
        text: target.text(),
        template: match &target.sent {
            Some(OutboundContent::Template(template)) => Some(AnsweredTemplate {
                id: template.id.clone(),
                parameters: template.body.iter().map(|parameter| parameter.text.clone()).collect(),
            }),
            _ => None,
        },
    }
}
