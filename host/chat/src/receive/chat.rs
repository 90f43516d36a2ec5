//! Finds the chat of a message and its handler: the client's active chatbot, or else the unassigned queue (DESIGN 5).

use base::{Context, Error, Result};
use domain::{
    chat::{ArrivedMessage, ParticipantEvent, ParticipantMove, ParticipantState},
    ids::{ClientId, InboxId, ParticipantEventId, ParticipantId},
};
use plugin_host::World;
use plugins::slots::{self, Slots};
use storage::{
    PgConnection,
    chat::{
        conversations,
        participant_events::{self, NewParticipantEvent},
        participants::{self, Participant},
    },
};

use super::arrival::Arrival;
use crate::conversation::{event_facts::PreviousOwner, ratings::RatingTap, responsible_plugin};

const NO_CHATBOT: &str = "no chatbot is active on this number";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversationStart {
    No,
    First,
    Again,
}

pub(super) struct RoutedChat {
    pub(super) participant: Participant,
    pub(super) opened: ConversationStart,
    /// The holder before. `None` for a new chat.
    pub(super) was: Option<PreviousOwner>,
    router: bool,
    last_team: Option<String>,
}

pub(super) struct ActivePlugins {
    routers: Slots,
    chatbots: Slots,
}

impl ActivePlugins {
    pub(super) async fn on(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<Self> {
        let worlds = [World::Router, World::Chatbot];
        let [routers, chatbots] = slots::in_force_of_each(db, client, worlds, inbox).await?;
        Ok(Self { routers, chatbots })
    }
}

pub(super) async fn route(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    arrival: &Arrival<'_>,
    ActivePlugins { routers, chatbots }: &ActivePlugins,
) -> Result<RoutedChat> {
    let inbox = arrival.inbox.id;
    let mut customer = arrival.customer.id;
    let mut known = participants::lock_of_customer(db, client, inbox, customer).await?;
    if known.is_none() {
        // The customer may have been merged since it was read. From here on it cannot be.
        customer = conversations::hold_customer(db, client, customer).await?;
        if customer != arrival.customer.id {
            known = participants::lock_of_customer(db, client, inbox, customer).await?;
        }
    }
    let router = responsible_plugin::routes(routers);
    // A router handles the chat first, and may give it to another chatbot than the one of the inbox.
    let bot = router
        || known.as_ref().is_some_and(|known| known.state == ParticipantState::Bot && known.bot_plugin.is_some())
        || is_answered(chatbots, known.as_ref());
    let mut participant = match known {
        Some(known) => known,
        None => {
            let id: ParticipantId = ctx.mint();
            let new = participants::NewParticipant {
                id,
                inbox,
                customer,
                channel: arrival.inbox.channel(),
                state: ParticipantState::first(bot),
            };
            let begun = participants::insert(db, client, new, arrival.written_at).await?;
            if let Some(mut participant) = begun {
                participant.queued_reason = (!bot).then(|| NO_CHATBOT.to_owned());
                return Ok(RoutedChat {
                    participant,
                    opened: ConversationStart::First,
                    was: None,
                    router,
                    last_team: None,
                });
            }
            let begun_by_other = participants::lock_of_customer(db, client, inbox, customer).await?;
            begun_by_other.ok_or(Error::Storage(storage::Error::Inconsistent {
                table: "participant",
                column: "customer_id",
                value: customer.to_string(),
            }))?
        }
    };
    let (was, last_team) =
        (Some(PreviousOwner::from(&participant)), participant.team.as_ref().map(|team| team.name.clone()));
    let opened = if participant.state == ParticipantState::Closed && arrival.answered.is_reaction() {
        // A reaction to the end of a conversation does not begin a new one.
        ConversationStart::No
    } else {
        decide(&mut participant, bot, arrival.answered.rating)
    };
    if opened == ConversationStart::Again {
        participant_events::remove_timers(db, client, participant.id).await?;
    }
    Ok(RoutedChat { participant, opened, was, router, last_team })
}

fn is_answered(chatbots: &Slots, participant: Option<&Participant>) -> bool {
    // A canary without a live version answers only for its share, which depends on the id of the chat.
    match participant {
        Some(participant) => chatbots.answering(participant.id.0).is_some(),
        None => chatbots.live.is_some() || chatbots.canary.is_some(),
    }
}

/// Moves an existing chat. A rating ends a conversation and does not begin one. A rating for another ticket is about an
/// earlier conversation.
fn decide(participant: &mut Participant, bot: bool, rated: Option<RatingTap>) -> ConversationStart {
    let of_ticket = rated.and_then(|rated| rated.ticket);
    let asked = participant.send_rating || of_ticket.is_some();
    let late_rating = rated.is_some() && participant.state == ParticipantState::Closed && asked;
    if rated.is_some() && (of_ticket.is_none() || of_ticket == participant.ticket) {
        participant.send_rating = false;
    }
    if late_rating {
        return ConversationStart::No;
    }
    let closed = participant.state == ParticipantState::Closed;
    if participant.state == ParticipantState::Bot && !bot {
        // The chatbot was switched off while it had the chat. From `Bot` this move is always allowed.
        if participant.apply(ParticipantMove::BotFailed).is_ok() {
            participant.queued_reason = Some(NO_CHATBOT.to_owned());
        }
    } else if participant.apply(ParticipantMove::CustomerWrote { bot }).is_ok() && closed && !bot {
        participant.queued_reason = Some(NO_CHATBOT.to_owned());
    }
    if closed { ConversationStart::Again } else { ConversationStart::No }
}

/// Queues the message for the chatbot, if the chatbot has the chat. At the start of a conversation, events for that and
/// for the router go first.
pub(super) async fn queue_bot_event(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    arrival: &Arrival<'_>,
    routed: &RoutedChat,
) -> Result<bool> {
    let RoutedChat { participant, opened, router, last_team, .. } = routed;
    if participant.state != ParticipantState::Bot {
        return Ok(false);
    }
    let begins = *opened != ConversationStart::No;
    let arrived = ArrivedMessage {
        message: arrival.id,
        reopened: *opened == ConversationStart::Again,
        template: arrival.last_template.clone(),
        last_team: last_team.clone().filter(|_| begins && *router),
        rating: arrival.answered.rating.map(|rated| rated.rating.as_str().to_owned()),
    };
    let message = if arrived.rating.is_some() { ParticipantEvent::Rating } else { ParticipantEvent::Message };
    let route = (begins && *router).then(|| ParticipantEvent::Route(arrived.clone()));
    let started = begins.then(|| ParticipantEvent::Started(arrived.clone()));
    let events: Vec<NewParticipantEvent> = route
        .into_iter()
        .chain(started)
        .chain([message(arrived)])
        .map(|event| NewParticipantEvent { id: ctx.mint::<ParticipantEventId>(), event })
        .collect();
    participant_events::append(db, client, participant.id, &events, ctx.now()).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use domain::{chat::Rating, ids::TicketId};
    use uuid::Uuid;

    use super::*;
    use crate::conversation::sample::participant;

    const RATED: Option<RatingTap> = Some(RatingTap { rating: Rating::Poor, ticket: None });

    #[test]
    fn a_closed_chat_is_reopened_for_the_chatbot_and_starts_over() {
        let mut chat = participant(ParticipantState::Closed);
        assert_eq!(decide(&mut chat, true, None), ConversationStart::Again);
        assert_eq!((chat.state, chat.control_version, chat.bot_state.as_str()), (ParticipantState::Bot, 8, ""));
        assert_eq!((chat.missed, chat.team, chat.tags.len()), (false, None, 1));
    }

    #[test]
    fn a_closed_chat_without_a_chatbot_opens_in_the_queue() {
        let mut chat = participant(ParticipantState::Closed);
        assert_eq!(decide(&mut chat, false, None), ConversationStart::Again);
        assert_eq!(chat.state, ParticipantState::Queued);
        assert_eq!(chat.queued_reason.as_deref(), Some(NO_CHATBOT));
    }

    #[test]
    fn a_chat_of_agents_stays_with_them_and_keeps_its_control_version() {
        for state in [ParticipantState::Queued, ParticipantState::Active] {
            let mut chat = participant(state);
            assert_eq!(decide(&mut chat, true, None), ConversationStart::No);
            assert_eq!((chat.state, chat.control_version), (state, 7));
        }
    }

    #[test]
    fn a_chat_of_a_disabled_chatbot_goes_to_the_agents() {
        let mut chat = participant(ParticipantState::Bot);
        assert_eq!(decide(&mut chat, false, None), ConversationStart::No);
        assert_eq!((chat.state, chat.control_version), (ParticipantState::Queued, 8));
        assert_eq!(chat.queued_reason.as_deref(), Some(NO_CHATBOT));
    }

    #[test]
    fn a_rating_after_the_end_does_not_open_the_chat_again() {
        let mut chat = participant(ParticipantState::Closed);
        chat.send_rating = true;
        assert_eq!(decide(&mut chat, true, RATED), ConversationStart::No);
        assert_eq!((chat.state, chat.send_rating), (ParticipantState::Closed, false));
        assert_eq!(decide(&mut chat, true, RATED), ConversationStart::Again, "the second one was not asked for");
    }
    #[test]
    fn a_rating_of_a_ticket_never_opens_a_chat() {
        let ticket = TicketId(Uuid::from_u128(7));
        let mut chat = participant(ParticipantState::Closed);
        chat.send_rating = true;
        let rated = |ticket| Some(RatingTap { rating: Rating::Poor, ticket: Some(ticket) });
        assert_eq!(decide(&mut chat, true, rated(ticket)), ConversationStart::No);
        assert!(chat.send_rating, "the ticket of now is still to be rated");
        chat.ticket = Some(ticket);
        assert_eq!(decide(&mut chat, true, rated(ticket)), ConversationStart::No);
        assert_eq!((chat.state, chat.send_rating), (ParticipantState::Closed, false));
        assert_eq!(decide(&mut chat, true, rated(ticket)), ConversationStart::No, "nor does the second one");
    }
}
