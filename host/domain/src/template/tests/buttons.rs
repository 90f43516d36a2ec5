//! The assignment of parameters to buttons.

use super::*;

/// Quick reply, dynamic URL, static URL, coupon code, quick reply.
fn mixed() -> Template {
    template(json!([{"type": "BODY", "text": "B"}, {"type": "BUTTONS", "buttons": [
        {"type": "QUICK_REPLY", "text": "Yes"},
        {"type": "URL", "text": "Open", "url": "https://a.example/{{1}}"},
        {"type": "URL", "text": "Home", "url": "https://a.example/"},
        {"type": "COPY_CODE", "text": "Copy"},
        {"type": "QUICK_REPLY", "text": "No"},
    ]}]))
}

fn replies() -> Template {
    template(json!([{"type": "BODY", "text": "B"}, {"type": "BUTTONS", "buttons": [
        {"type": "QUICK_REPLY", "text": "Yes"}, {"type": "QUICK_REPLY", "text": "No"},
    ]}]))
}

fn filled(template: &Template, components: Value) -> Vec<(u8, ButtonKind, String)> {
    let send = resolve(template, components).unwrap();
    send.buttons.into_iter().map(|button| (button.index, button.kind, button.value)).collect()
}

fn entry(index: u8, kind: ButtonKind, value: &str) -> (u8, ButtonKind, String) {
    (index, kind, value.to_owned())
}

#[test]
fn as_many_parameters_as_dynamic_buttons_fill_those() {
    assert_eq!(
        filled(&mixed(), json!([{"type": "button", "parameters": ["42", "CODE"]}])),
        [entry(1, ButtonKind::Url, "42"), entry(3, ButtonKind::CopyCode, "CODE")]
    );
}

#[test]
fn as_many_parameters_as_fillable_buttons_fill_all_in_order() {
    assert_eq!(
        filled(&mixed(), json!([{"type": "button", "parameters": ["y", "42", "CODE", "n"]}])),
        [
            entry(0, ButtonKind::QuickReply, "y"),
            entry(1, ButtonKind::Url, "42"),
            entry(3, ButtonKind::CopyCode, "CODE"),
            entry(4, ButtonKind::QuickReply, "n"),
        ]
    );
}

#[test]
fn another_number_of_parameters_is_a_fault() {
    for count in [0, 1, 3, 5] {
        let parameters = vec!["x"; count];
        let field = fault_field(&mixed(), json!([{"type": "button", "parameters": parameters}]), "give 2");
        assert_eq!(field, "messages[0].components[0].parameters");
    }
}

#[test]
fn dynamic_buttons_require_the_component_and_quick_replies_do_not() {
    assert_eq!(fault_field(&mixed(), json!([]), "2 dynamic button(s)"), "messages[0].components");
    assert!(filled(&replies(), json!([])).is_empty());
    assert!(filled(&replies(), json!([{"type": "button", "parameters": []}])).is_empty());
    fault_field(&replies(), json!([{"type": "button", "parameters": ["one"]}]), "2 quick replies");
}

#[test]
fn a_template_without_fillable_buttons_takes_no_parameters() {
    let template = template(json!([{"type": "BODY", "text": "B"}]));
    let field = fault_field(&template, json!([{"type": "button", "parameters": ["x"]}]), "no button");
    assert_eq!(field, "messages[0].components[0].parameters");
    let effect = json!([{"type": "button", "conversationParameters": [{"payload": "p", "conversationState": "end"}]}]);
    let field = fault_field(&template, effect, "0 quick replies");
    assert_eq!(field, "messages[0].components[0].conversationParameters");
}

#[test]
fn several_button_components_are_read_as_one() {
    let components = json!([{"type": "button", "parameters": ["42"]}, {"type": "button", "parameters": ["CODE"]}]);
    assert_eq!(filled(&mixed(), components), [entry(1, ButtonKind::Url, "42"), entry(3, ButtonKind::CopyCode, "CODE")]);
}

#[test]
fn conversation_parameters_fill_the_quick_replies_in_order() {
    let components = json!([{"type": "button", "parameters": ["42", "CODE"], "conversationParameters": [
        {"payload": "more", "conversationState": "start"}, {"payload": "bye", "conversationState": "end"},
    ]}]);
    let send = resolve(&mixed(), components).unwrap();
    let effects: Vec<_> = send.tokened_buttons().collect();
    assert_eq!(effects.iter().map(|button| button.index).collect::<Vec<_>>(), [0, 4]);
    assert_eq!(effects[0].value, "more");
    assert_eq!(effects[0].conversation_state, Some(ConversationEffect::Start));
    assert_eq!(effects[0].provider_value(), "token-1");
    assert_eq!(effects[1].conversation_state, Some(ConversationEffect::End));
    assert_eq!(effects[1].provider_value(), "token-2");
    assert_eq!(send.buttons.len(), 4);
    assert_eq!(send.buttons[1].provider_value(), "42");
}

#[test]
fn conversation_parameters_win_over_a_payload_and_may_be_fewer_than_the_quick_replies() {
    let components = json!([{"type": "button", "parameters": ["a", "b"], "conversationParameters": [
        {"payload": "c", "conversationState": "end"},
    ]}]);
    let send = resolve(&replies(), components).unwrap();
    assert_eq!(send.buttons.iter().map(|button| button.value.as_str()).collect::<Vec<_>>(), ["c", "b"]);
    assert_eq!(send.buttons[1].token, None);
    let many =
        json!([{"type": "button", "conversationParameters": [{"payload": "1"}, {"payload": "2"}, {"payload": "3"}]}]);
    let field = fault_field(&replies(), many, "has 3 entries");
    assert_eq!(field, "messages[0].components[0].conversationParameters");
}

#[test]
fn a_conversation_parameter_without_state_is_a_plain_payload() {
    let components = json!([{"type": "button", "conversationParameters": [{"payload": "p"}]}]);
    let send = resolve(&replies(), components).unwrap();
    assert_eq!(send.buttons[0].provider_value(), "p");
    assert_eq!(send.tokened_buttons().count(), 0);
}

#[test]
fn a_one_time_code_button_is_filled_like_an_address_and_never_shown() {
    for button in [
        json!({"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy"}),
        json!({"type": "URL", "text": "Copy", "url": "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}"}),
    ] {
        let template =
            template(json!([{"type": "BODY", "text": "Code {{1}}"}, {"type": "BUTTONS", "buttons": [button]}]));
        let components = json!([{"type": "body", "parameters": ["123"]}, {"type": "button", "parameters": ["123"]}]);
        let send = resolve(&template, components).unwrap();
        assert_eq!((send.buttons[0].kind, send.buttons[0].value.as_str()), (ButtonKind::Url, "123"));
        assert_eq!(send.rendered_text, "Code 123");
    }
}

#[test]
fn a_one_time_code_with_a_button_needs_a_number_and_nothing_else_does() {
    let listed = "https://www.whatsapp.com/otp/code/?otp_type=ONE_TAP&code=otp{{1}}";
    let otp = json!({"type": "OTP", "otp_type": "ZERO_TAP", "text": "Autofill"});
    let as_listed = json!({"type": "URL", "text": "Autofill", "url": listed});
    let copy = json!({"type": "COPY_CODE", "text": "Copy"});
    let reply = json!({"type": "QUICK_REPLY", "text": "Not me"});
    let needs = |category: &str, button: &Value| {
        let components = json!([{"type": "BODY", "text": "{{1}}"}, {"type": "BUTTONS", "buttons": [button]}]);
        Template { category: category.into(), ..template(components) }.needs_a_number()
    };
    assert!([&otp, &as_listed, &copy].into_iter().all(|button| needs("AUTHENTICATION", button)));
    assert!(!needs("AUTHENTICATION", &reply) && !needs("MARKETING", &copy) && !needs("UTILITY", &reply));
}
