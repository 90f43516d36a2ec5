//! Ratings (SPEC 2.8 `RATING`): a message with three buttons, and the tap on one of them.

use domain::content::{OutboundContent, ReplyButton, ReplyButtons};
use plugin_host::chatbot::RatingScore;

const PREFIX: &str = "pb1:rating:";
const SCORES: [(RatingScore, &str, &str); 3] = [
    (RatingScore::Poor, "POOR", "Poor"),
    (RatingScore::Average, "AVERAGE", "Average"),
    (RatingScore::Excellent, "EXCELLENT", "Excellent"),
];

/// The message that asks for a rating.
pub(crate) fn question() -> OutboundContent {
    let button = |(_, name, title): &(RatingScore, &str, &str)| ReplyButton {
        id: format!("{PREFIX}{name}"),
        title: (*title).to_owned(),
    };
    OutboundContent::Buttons(ReplyButtons {
        header: None,
        body: "How was our service?".to_owned(),
        footer: None,
        buttons: SCORES.iter().map(button).collect(),
    })
}

/// The rating behind the payload of a tapped button.
pub(crate) fn of_payload(payload: &str) -> Option<RatingScore> {
    payload.strip_prefix(PREFIX).and_then(of_name)
}

/// The name that is stored and that clients see.
pub(crate) fn name(score: RatingScore) -> &'static str {
    SCORES.iter().find(|(known, ..)| *known == score).map_or("AVERAGE", |(_, name, _)| name)
}

/// From its name.
pub(crate) fn of_name(name: &str) -> Option<RatingScore> {
    SCORES.iter().find(|(_, known, _)| *known == name).map(|(score, ..)| *score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_of_the_question_is_a_rating() {
        let OutboundContent::Buttons(question) = question() else { panic!("not a message with buttons") };
        let scores: Vec<_> = question.buttons.iter().filter_map(|button| of_payload(&button.id)).collect();
        assert_eq!(scores, [RatingScore::Poor, RatingScore::Average, RatingScore::Excellent]);
        assert!(scores.iter().all(|score| of_name(name(*score)) == Some(*score)));
    }

    #[test]
    fn the_payload_of_another_button_is_no_rating() {
        assert_eq!(of_payload("EXCELLENT"), None);
        assert_eq!(of_payload("pb1:rating:SUPERB"), None);
    }
}
