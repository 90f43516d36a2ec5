//! Ratings (SPEC 2.8 `RATING`): the question with three buttons, and the tap on one of them.

use domain::{
    chat::Rating,
    content::{OutboundContent, ReplyButton, ReplyButtons},
    ids::TicketId,
};

const PREFIX: &str = "pb1:rating:";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RatingTap {
    pub(crate) rating: Rating,
    pub(crate) ticket: Option<TicketId>,
}

pub(crate) fn question(ticket: Option<TicketId>) -> OutboundContent {
    let of = ticket.map(|ticket| format!(":{ticket}")).unwrap_or_default();
    let button = |rating: Rating| ReplyButton {
        id: format!("{PREFIX}{}{of}", rating.as_str()),
        title: title(rating).to_owned(),
    };
    OutboundContent::Buttons(ReplyButtons {
        header: None,
        body: "How was our service?".to_owned(),
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
            let OutboundContent::Buttons(question) = question(ticket) else { panic!("not a message with buttons") };
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
