//! Ratings (SPEC 2.8 `RATING`): a message with three buttons, and the tap on one of them.

use domain::{
    chat::Rating,
    content::{OutboundContent, ReplyButton, ReplyButtons},
};

const PREFIX: &str = "pb1:rating:";

/// The message that asks for a rating.
pub(crate) fn question() -> OutboundContent {
    let button =
        |rating: Rating| ReplyButton { id: format!("{PREFIX}{}", rating.as_str()), title: title(rating).to_owned() };
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

/// The rating behind the payload of a tapped button.
pub(crate) fn of_payload(payload: &str) -> Option<Rating> {
    payload.strip_prefix(PREFIX).and_then(Rating::from_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_of_the_question_is_a_rating() {
        let OutboundContent::Buttons(question) = question() else { panic!("not a message with buttons") };
        let ratings: Vec<_> = question.buttons.iter().filter_map(|button| of_payload(&button.id)).collect();
        assert_eq!(ratings, Rating::ALL);
    }

    #[test]
    fn the_payload_of_another_button_is_no_rating() {
        assert_eq!(of_payload("EXCELLENT"), None);
        assert_eq!(of_payload("pb1:rating:SUPERB"), None);
    }
}
