//! Answers to numbered lines. On Lite a number or label takes the place of a tap (ADR 0024). On Messenger lists are
//! such lines too, and a tap on a quick reply does not name its message (ADR 0028).

use domain::{
    ids::{ClientId, CustomerId, InboxId, MessageId},
    inbound::{InboundContent, InboundMessage},
    lite::{ChoiceKind, NumberedChoice, chosen, offered, place_of, tapped},
};
use storage::{
    PgConnection,
    chat::chat_messages,
    people::lite_offers::{self, Offer, OfferMessage},
};

use base::Result;

pub(super) struct LiteTap {
    pub(super) message: InboundMessage,
    /// The tapped message, if its call has no stored outcome. Then the provider id that the tap names is not known yet.
    pub(super) in_flight: Option<MessageId>,
}

/// The chat whose offers are searched.
#[derive(Clone, Copy)]
struct OfferOwner {
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
}

/// A tap that names the place of a choice in the message `sent`.
struct PlaceTap<'a> {
    label: &'a str,
    payload: &'a str,
    sent: &'a str,
}

/// The tap that a text means. `None` for an ordinary text.
pub(super) async fn tap(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
    message: &InboundMessage,
) -> Result<Option<LiteTap>> {
    let owner = OfferOwner { client, inbox, customer };
    match (&message.content, message.quoted_provider_id.as_deref()) {
        (InboundContent::Text { body }, Some(quoted)) => {
            // A quote selects the message, even if others were sent since.
            let quoted = chat_messages::find_quoted(db, client, quoted).await?;
            let choices = quoted.and_then(|quoted| quoted.content).map(|content| offered(&content)).unwrap_or_default();
            let tapped = chosen(&choices, body, true).map(|choice| as_tap(message, choice));
            Ok(tapped.map(|message| LiteTap { message, in_flight: None }))
        }
        (InboundContent::Text { body }, None) => {
            of_offers(db, owner, message, |offer| chosen(&offer.choices, body, offer.is_last).cloned()).await
        }
        (InboundContent::Interactive { text, payload }, Some(sent)) if place_of(payload).is_some() => {
            at_place(db, owner, message, PlaceTap { label: text, payload, sent }).await.map(Some)
        }
        (InboundContent::Interactive { payload, .. }, None) => {
            of_offers(db, owner, message, |offer| tapped(&offer.choices, payload).cloned()).await
        }
        _ => Ok(None),
    }
}

/// The tap on a button that stands for the place of a choice in the message `sent`. If the message is not known, because
/// no answer to its call came, the label finds it among the offers. Otherwise the label is the payload.
async fn at_place(
    db: &mut PgConnection,
    owner: OfferOwner,
    message: &InboundMessage,
    PlaceTap { label, payload, sent }: PlaceTap<'_>,
) -> Result<LiteTap> {
    let known = chat_messages::find_quoted(db, owner.client, sent).await?;
    let choices = known.and_then(|known| known.content).map(|content| offered(&content)).unwrap_or_default();
    let place = place_of(payload).and_then(|place| place.checked_sub(1));
    if let Some(choice) = place.and_then(|place| choices.get(place)) {
        return Ok(LiteTap { message: as_tap(message, choice), in_flight: None });
    }
    let choose = |offer: &Offer| chosen(&offer.choices, label, false).cloned();
    if let Some(tap) = of_offers(db, owner, message, choose).await? {
        return Ok(tap);
    }
    let content = InboundContent::Interactive { text: label.to_owned(), payload: label.to_owned() };
    Ok(LiteTap { message: InboundMessage { content, ..message.clone() }, in_flight: None })
}

/// The tap on the newest offer in which `choose` finds a choice.
async fn of_offers(
    db: &mut PgConnection,
    OfferOwner { client, inbox, customer }: OfferOwner,
    message: &InboundMessage,
    choose: impl Fn(&Offer) -> Option<NumberedChoice>,
) -> Result<Option<LiteTap>> {
    let offers = lite_offers::of(db, client, inbox, customer).await?;
    let found = offers.iter().find_map(|offer| Some((offer, choose(offer)?)));
    Ok(found.map(|(offer, choice)| {
        let tap = as_tap(message, &choice);
        match &offer.by {
            OfferMessage::Taken(provider_id) => {
                let quoted_provider_id = Some(provider_id.clone());
                LiteTap { message: InboundMessage { quoted_provider_id, ..tap }, in_flight: None }
            }
            OfferMessage::InFlight(sent) => LiteTap { message: tap, in_flight: Some(*sent) },
        }
    }))
}

fn as_tap(message: &InboundMessage, choice: &NumberedChoice) -> InboundMessage {
    let (text, payload) = (choice.label.clone(), choice.payload.clone());
    let content = match choice.kind {
        ChoiceKind::Button => InboundContent::Button { text, payload },
        ChoiceKind::Interactive => InboundContent::Interactive { text, payload },
    };
    InboundMessage { content, ..message.clone() }
}
