//! Cards of a carousel.

use super::*;
use crate::content::MediaKind;

fn card(body: &str) -> Value {
    json!({"components": [
        {"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": body},
        {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Buy"}, {"type": "URL", "text": "See", "url": "https://a.example/{{1}}"}]},
    ]})
}

fn carousel() -> Template {
    template(json!([
        {"type": "BODY", "text": "Hi {{1}}"},
        {"type": "CAROUSEL", "cards": [card("Blue {{1}}"), card("Red {{1}}")]},
    ]))
}

fn filled_card(colour: &str) -> Value {
    json!({"components": [
        {"type": "header", "format": "IMAGE", "url": "https://a.example/i.jpg"},
        {"type": "body", "parameters": [colour]},
        {"type": "button", "parameters": [colour], "conversationParameters": [{"payload": "buy", "conversationState": "start"}]},
    ]})
}

fn request(cards: Value) -> Value {
    json!([{"type": "body", "parameters": ["Zo"]}, {"type": "carousel", "cards": cards}])
}

#[test]
fn each_card_gets_its_own_parameters() {
    let send = resolve(&carousel(), request(json!([filled_card("1"), filled_card("2")]))).unwrap();
    assert_eq!(send.cards.len(), 2);
    assert_eq!(send.cards[1].body[0].text, "2");
    assert_eq!(send.cards[1].header.as_ref().unwrap().kind, MediaKind::Image);
    assert_eq!(send.cards[1].buttons.len(), 2);
    assert_eq!(
        send.tokened_buttons().map(|button| button.provider_value()).collect::<Vec<_>>(),
        ["token-1", "token-2"]
    );
    assert_eq!(send.rendered_text, "Hi Zo\nBlue 1\nhttps://a.example/1\nRed 2\nhttps://a.example/2");
}

#[test]
fn text_of_a_card_is_separate_from_text_of_the_template() {
    let send = resolve(&carousel(), request(json!([filled_card("1"), filled_card("2")]))).unwrap();
    let texts: Vec<&str> = send.cards.iter().map(|card| card.rendered_text.as_str()).collect();
    assert_eq!(texts, ["Blue 1\nhttps://a.example/1", "Red 2\nhttps://a.example/2"]);
    assert_eq!(send.text_without_cards(), "Hi Zo");
    assert!(send.cards.iter().all(|card| card.replies.len() == 1 && card.replies[0].label == "Buy"));
    assert_eq!((send.replies.len(), send.replies_without_cards().len()), (2, 0));
    let plain = template(json!([{"type": "BODY", "text": "Hi {{1}}"}]));
    let send = resolve(&plain, json!([{"type": "body", "parameters": ["Zo"]}])).unwrap();
    assert_eq!(send.text_without_cards(), "Hi Zo");
}

#[test]
fn the_number_of_cards_must_match() {
    let three = json!([filled_card("1"), filled_card("2"), filled_card("3")]);
    for cards in [json!([]), json!([filled_card("1")]), three] {
        assert_eq!(fault_field(&carousel(), request(cards), "the template has 2"), "messages[0].components[1].cards");
    }
}

#[test]
fn a_carousel_needs_its_component_and_nothing_else_takes_one() {
    let without = json!([{"type": "body", "parameters": ["Zo"]}]);
    assert_eq!(fault_field(&carousel(), without, "add a `carousel` component"), "messages[0].components");
    let plain = template(json!([{"type": "BODY", "text": "Hi {{1}}"}]));
    assert_eq!(fault_field(&plain, request(json!([])), "not a carousel"), "messages[0].components[1]");
}

#[test]
fn a_fault_in_a_card_names_the_card() {
    let mut second = filled_card("2");
    second["components"][1]["parameters"] = json!(["a", "b"]);
    let field = fault_field(&carousel(), request(json!([filled_card("1"), second])), "takes 1");
    assert_eq!(field, "messages[0].components[1].cards[1].components[1].parameters");
    let field = fault_field(
        &carousel(),
        request(json!([filled_card("1"), {"components": filled_card("2")["components"].as_array().unwrap()[1..]}])),
        "media header",
    );
    assert_eq!(field, "messages[0].components[1].cards[1].components");
}

#[test]
fn a_carousel_inside_a_card_is_refused() {
    let mut first = filled_card("1");
    first["components"].as_array_mut().unwrap().push(json!({"type": "carousel", "cards": []}));
    let field = fault_field(&carousel(), request(json!([first, filled_card("2")])), "cannot hold a carousel");
    assert_eq!(field, "messages[0].components[1].cards[0].components[3]");
}
