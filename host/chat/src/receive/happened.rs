//! The events that a message causes.

use domain::{
    chat::Rating,
    content::OutboundContent,
    event::{AnsweredMessage, AnsweredTemplate, Chat, ChatOpened, ChatRated, Event, MessageCame},
};
use events::NewEvent;

use super::{
    answers::Target,
    arrival::Arrival,
    chat::{Opened, Routed},
};
use crate::conversation::as_event;

/// All events, in order. `chat`: the chat with the new message. `ticket`: the event of its ticket. `rated`: the rating
/// that counts.
pub(super) fn events(
    arrival: &Arrival<'_>,
    routed: &Routed,
    chat: Chat,
    (ticket, rated): (Option<Event>, Option<Rating>),
) -> Vec<NewEvent> {
    let (participant, message) = (&routed.participant, arrival.id);
    let opened = (routed.opened != Opened::No).then(|| {
        let again = routed.opened == Opened::Again;
        Event::ChatOpened(ChatOpened {
            participant: participant.id,
            state: participant.state,
            again,
            message: Some(message),
        })
    });
    let moved = routed.was.filter(|was| routed.opened == Opened::No && was.state != participant.state);
    let came = Event::MessageCame(Box::new(came(arrival, chat)));
    let rated = rated.map(|rating| Event::ChatRated(ChatRated { participant: participant.id, message, rating }));
    let moved = moved.map(|was| as_event::moved(was, participant));
    let inbox = arrival.inbox.id;
    let order_key = as_event::order_key(inbox, arrival.customer);
    let all = opened.into_iter().chain([came]).chain(rated).chain(moved).chain(ticket);
    all.map(|event| NewEvent { inbox: Some(inbox), order_key, at: arrival.written_at, event }).collect()
}

fn came(arrival: &Arrival<'_>, chat: Chat) -> MessageCame {
    let answered = &arrival.answered;
    MessageCame {
        message: arrival.id,
        chat,
        customer: as_event::customer(arrival.customer),
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

fn answers(target: &Target) -> AnsweredMessage {
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
