//! Ratings (SPEC 2.8 `RATING`): the question with three buttons, and the tap on one of them.

use base::Result;
use domain::{
    channel::Channel,
    chat::Rating,
    content::{OutboundContent, ReplyButton, ReplyButtons},
    ids::{ClientId, TicketId},
};
use storage::{PgConnection, chat::participants::Participant, web::sites};

const PREFIX: &str = "pb1:rating:";
const QUESTION: &str = "How was our service?";
/// The text of a site that replaces the question.
const SITE_TEXT: &str = "rate";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RatingTap {
    pub(crate) rating: Rating,
    pub(crate) ticket: Option<TicketId>,
}

/// The question for the customer of this chat. A site of web chat may have a text of its own for it.
pub(crate) async fn question_in(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    ticket: Option<TicketId>,
) -> Result<OutboundContent> {
    let site = if chat.channel == Channel::Web { sites::by_id(db, client, chat.inbox).await? } else { None };
    let own = site.as_ref().and_then(|site| site.settings.texts.own(SITE_TEXT));
    Ok(question(own.unwrap_or(QUESTION), ticket))
}

fn question(text: &str, ticket: Option<TicketId>) -> OutboundContent {
    let of = ticket.map(|ticket| format!(":{ticket}")).unwrap_or_default();
    let button = |rating: Rating| ReplyButton {
        id: format!("{PREFIX}{}{of}", rating.as_str()),
        title: title(rating).to_owned(),
    };
    OutboundContent::Buttons(ReplyButtons {
        header: None,
        body: text.to_owned(),
        footer: None,
        buttons: Rating::ALL.into_iter().map(button).collect(),
    })
}

fn title(rating: Rating) -> &'static str {
    match rating {
        Rating::Poor => "Poor",
        Rating::Average => "Average",
        Rating::Excellent => "Excellent",
    }
}

pub(crate) fn of_payload(payload: &str) -> Option<RatingTap> {
    let said = payload.strip_prefix(PREFIX)?;
    let (name, ticket) = match said.split_once(':') {
        Some((name, ticket)) => (name, Some(ticket.parse().ok()?)),
        None => (said, None),
    };
    Some(RatingTap { rating: Rating::from_name(name)?, ticket })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_of_the_question_is_a_rating() {
        for ticket in [None, Some(TicketId(uuid::Uuid::from_u128(7)))] {
            let OutboundContent::Buttons(question) = question(QUESTION, ticket) else {
                panic!("not a message with buttons")
            };
            let rated: Vec<_> = question.buttons.iter().filter_map(|button| of_payload(&button.id)).collect();
            assert_eq!(rated, Rating::ALL.map(|rating| RatingTap { rating, ticket }));
        }
    }

    #[test]
    fn the_payload_of_another_button_is_no_rating() {
        assert_eq!(of_payload("EXCELLENT"), None);
        assert_eq!(of_payload("pb1:rating:SUPERB"), None);
        assert_eq!(of_payload("pb1:rating:POOR:7"), None, "7 is no ticket");
    }
}
