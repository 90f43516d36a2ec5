//! Finds the message that another one quotes, taps or reacts to, and replaces our opaque payload of a tap by the
//! client's (PROVIDERS A.3).

use domain::{
    content::{ButtonParameter, ConversationEffect, OutboundContent},
    ids::{ChatMessageId, ClientId, CustomerId, MessageId},
    inbound::{InboundContent, InboundMessage},
};
use outbound::open_calls;
use storage::{
    PgConnection,
    chat::chat_messages::{self, QuotedMessage},
    inboxes::Inbox,
    outbound::in_doubt::OpenCalls,
};

use super::lite_choices;
use crate::conversation::{
    ratings::{self, RatingTap},
    readable_text,
};
use base::Result;

/// Prefix of our payloads. A client's own may have it too, so it is only a hint.
const TOKEN_PREFIX: &str = "pb1:";

/// A message that is no repetition.
#[derive(Clone, Copy)]
pub(super) struct FreshMessage<'a> {
    pub(super) id: ChatMessageId,
    pub(super) message: &'a InboundMessage,
    /// True if it may be too early.
    pub(super) may_wait: bool,
}

pub(super) struct AnswerStep {
    /// Its content with the client's payloads.
    pub(super) content: InboundContent,
    pub(super) carousel: bool,
    pub(super) rating: Option<RatingTap>,
    pub(super) effect: Option<ConversationEffect>,
    /// The message that it quotes, taps or reacts to, if known.
    pub(super) target: Option<AnswerTarget>,
    /// Provider id of the quoted or tapped message, even if the provider did not name it.
    pub(super) quoted_provider_id: Option<String>,
    /// True if its choices led to the target, and not a provider id.
    is_guess: bool,
}

impl AnswerStep {
    /// True if the message needs an answer. A reaction does not, nor does the rating of a ticket.
    pub(super) fn asks(&self) -> bool {
        let of_ticket = self.rating.is_some_and(|rated| rated.ticket.is_some());
        !of_ticket && !self.is_reaction()
    }

    pub(super) fn is_reaction(&self) -> bool {
        matches!(self.content, InboundContent::Reaction { .. })
    }

    /// The calls whose outcome may name the target. `None`: nothing is to be named.
    fn calls_for(&self, message: &InboundMessage) -> Option<OpenCalls> {
        match &self.target {
            Some(_) => self.is_guess.then_some(OpenCalls::InFlight),
            None => message.answered_provider_id().map(|_| OpenCalls::All),
        }
    }
}

pub(super) struct AnswerTarget {
    pub(super) quoted: QuotedMessage,
    pub(super) sent: Option<OutboundContent>,
}

impl AnswerTarget {
    pub(super) fn text(&self) -> Option<String> {
        self.quoted.body.clone().or_else(|| self.sent.as_ref().and_then(readable_text::of_outbound))
    }
}

/// Reads the answer. `None`: the message that it answers is not known by a provider id, and a call to its customer has no
/// outcome yet. Then the answer may be one to that call. Only if the message may wait.
pub(super) async fn read_known(
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
    customer: CustomerId,
    FreshMessage { message, may_wait, .. }: FreshMessage<'_>,
) -> Result<Option<AnswerStep>> {
    let answered = read(db, client, inbox, customer, message).await?;
    let Some(calls) = answered.calls_for(message).filter(|_| may_wait) else {
        warn_of_unknown_button(message, &answered);
        return Ok(Some(answered));
    };
    if open_calls::is_any_to(db, client, inbox.id, customer, calls).await? {
        return Ok(None);
    }
    // The outcome may have been stored since the first look.
    let answered = read(db, client, inbox, customer, message).await?;
    warn_of_unknown_button(message, &answered);
    Ok(Some(answered))
}

fn warn_of_unknown_button(message: &InboundMessage, answered: &AnswerStep) {
    if answered.target.is_none()
        && matches!(&message.content, InboundContent::Button { payload, .. } if payload.starts_with(TOKEN_PREFIX))
    {
        tracing::warn!("a tapped button is not known any more; its text is used as its payload");
    }
}

async fn read(
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
    customer: CustomerId,
    message: &InboundMessage,
) -> Result<AnswerStep> {
    if inbox.kind().facts().keeps_choices
        && let Some(tap) = lite_choices::tap(db, client, inbox.id, customer, message).await?
    {
        let named = message.answered_provider_id();
        let is_other = named.is_some() && named != tap.message.answered_provider_id();
        let is_guess = is_other || tap.in_flight.is_some();
        return Ok(AnswerStep { is_guess, ..read_plain(db, client, &tap.message, tap.in_flight).await? });
    }
    read_plain(db, client, message, None).await
}

/// `in_flight`: the tapped message, if it has no provider id yet.
async fn read_plain(
    db: &mut PgConnection,
    client: ClientId,
    message: &InboundMessage,
    in_flight: Option<MessageId>,
) -> Result<AnswerStep> {
    let target = match (in_flight, message.answered_provider_id()) {
        (Some(sent), _) => chat_messages::quoted_outbound(db, client, sent).await?,
        (None, Some(id)) => chat_messages::find_quoted(db, client, id).await?,
        (None, None) => None,
    };
    let target = target.map(|quoted| {
        let sent = quoted.content.clone();
        AnswerTarget { quoted, sent }
    });
    let sent = target.as_ref().and_then(|target| target.sent.as_ref());
    let (content, carousel, rating) = interpret(&message.content, sent);
    let effect = effect(&message.content, sent);
    let quoted_provider_id = message.quoted_provider_id.clone();
    Ok(AnswerStep { content, carousel, rating, effect, target, quoted_provider_id, is_guess: false })
}

/// The content with the client's payloads, a flag for carousels, and the rating.
fn interpret(content: &InboundContent, sent: Option<&OutboundContent>) -> (InboundContent, bool, Option<RatingTap>) {
    match content {
        InboundContent::Button { text, payload } => {
            let carousel = matches!(sent, Some(OutboundContent::Template(template)) if !template.cards.is_empty());
            let button = sent.and_then(|sent| find_button(sent, payload));
            let payload = match button {
                Some(button) => button.value.clone(),
                None if payload.starts_with(TOKEN_PREFIX) && !is_clients_own(sent, payload) => text.clone(),
                None => payload.clone(),
            };
            (InboundContent::Button { text: text.clone(), payload }, carousel, None)
        }
        InboundContent::Interactive { text, payload } => match ratings::of_payload(payload) {
            Some(rated) => {
                let payload = rated.rating.as_str().to_owned();
                (InboundContent::Interactive { text: text.clone(), payload }, false, Some(rated))
            }
            None => (content.clone(), false, None),
        },
        other => (other.clone(), false, None),
    }
}

fn find_button<'s>(sent: &'s OutboundContent, payload: &str) -> Option<&'s ButtonParameter> {
    let OutboundContent::Template(template) = sent else { return None };
    template.tokened_buttons().find(|button| button.token.as_deref() == Some(payload))
}

/// True if the template had a quick reply with exactly this payload. Then it is not our token.
fn is_clients_own(sent: Option<&OutboundContent>, payload: &str) -> bool {
    let Some(OutboundContent::Template(template)) = sent else { return false };
    let of_cards = template.cards.iter().flat_map(|card| &card.buttons);
    template.buttons.iter().chain(of_cards).any(|button| button.token.is_none() && button.value == payload)
}

fn effect(content: &InboundContent, sent: Option<&OutboundContent>) -> Option<ConversationEffect> {
    match content {
        InboundContent::Button { payload, .. } => find_button(sent?, payload)?.conversation_state,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        chat::Rating,
        content::{ButtonKind, CardParameters, TemplateSend},
    };

    use super::*;

    fn button(token: Option<&str>) -> ButtonParameter {
        ButtonParameter {
            index: 0,
            kind: ButtonKind::QuickReply,
            value: "TRACK".to_owned(),
            conversation_state: token.map(|_| ConversationEffect::Start),
            token: token.map(str::to_owned),
        }
    }

    fn template(buttons: Vec<ButtonParameter>, cards: Vec<CardParameters>) -> OutboundContent {
        OutboundContent::Template(TemplateSend {
            id: "1".to_owned(),
            name: "order_ready".to_owned(),
            language: "en".to_owned(),
            header: None,
            header_text: Vec::new(),
            body: Vec::new(),
            buttons,
            cards,
            rendered_text: "Ready".to_owned(),
            replies: Vec::new(),
        })
    }

    fn tap(payload: &str) -> InboundContent {
        InboundContent::Button { text: "Track".to_owned(), payload: payload.to_owned() }
    }

    #[test]
    fn a_tap_gives_the_clients_payload_back_in_place_of_our_token() {
        let sent = template(vec![button(Some("pb1:abc"))], Vec::new());
        assert_eq!(interpret(&tap("pb1:abc"), Some(&sent)), (tap("TRACK"), false, None));
    }

    #[test]
    fn a_tap_has_the_effect_of_the_button_whose_token_it_brings() {
        let end = ButtonParameter { conversation_state: Some(ConversationEffect::End), ..button(Some("pb1:end")) };
        let sent = template(vec![button(Some("pb1:abc")), end, button(None)], Vec::new());
        assert_eq!(effect(&tap("pb1:abc"), Some(&sent)), Some(ConversationEffect::Start));
        assert_eq!(effect(&tap("pb1:end"), Some(&sent)), Some(ConversationEffect::End));
        assert_eq!(effect(&tap("TRACK"), Some(&sent)), None);
        assert_eq!(effect(&tap("pb1:end"), None), None);
        assert_eq!(effect(&InboundContent::Text { body: "pb1:end".to_owned() }, Some(&sent)), None);
    }

    #[test]
    fn an_expired_token_is_not_shown() {
        assert_eq!(interpret(&tap("pb1:gone"), None), (tap("Track"), false, None));
        let sent = template(vec![button(Some("pb1:abc"))], Vec::new());
        assert_eq!(interpret(&tap("pb1:gone"), Some(&sent)), (tap("Track"), false, None));
        let own = ButtonParameter { value: "pb1:mine".to_owned(), ..button(None) };
        let sent = template(vec![own], Vec::new());
        assert_eq!(interpret(&tap("pb1:mine"), Some(&sent)), (tap("pb1:mine"), false, None), "the client's own");
    }

    #[test]
    fn a_tap_on_a_card_is_a_carousel_tap_and_gives_the_cards_payload_back() {
        let card = CardParameters { buttons: vec![button(Some("pb1:card"))], ..CardParameters::default() };
        let sent = template(Vec::new(), vec![card]);
        assert_eq!(interpret(&tap("pb1:card"), Some(&sent)), (tap("TRACK"), true, None));
        assert_eq!(interpret(&tap("BUY_1"), Some(&sent)), (tap("BUY_1"), true, None));
    }

    #[test]
    fn a_payload_that_is_no_token_stays_as_it_is() {
        let sent = template(vec![button(None)], Vec::new());
        assert_eq!(interpret(&tap("TRACK"), Some(&sent)), (tap("TRACK"), false, None));
        assert_eq!(interpret(&tap("TRACK"), None), (tap("TRACK"), false, None));
    }

    #[test]
    fn a_tap_on_a_rating_button_is_a_rating() {
        let tap = InboundContent::Interactive { text: "Poor".to_owned(), payload: "pb1:rating:POOR".to_owned() };
        let (content, _, rating) = interpret(&tap, None);
        assert_eq!(rating, Some(RatingTap { rating: Rating::Poor, ticket: None }));
        assert_eq!(content, InboundContent::Interactive { text: "Poor".to_owned(), payload: "POOR".to_owned() });
    }
}
