//! Bodies, headers and the rendered text.

use super::*;
use crate::content::{HeaderParameter, MediaKind, TextParameter};

fn two_placeholders() -> Template {
    template(json!([{"type": "BODY", "text": "Hi {{1}}, order {{2}} is ready."}]))
}

fn texts(parameters: &[TextParameter]) -> Vec<(Option<&str>, &str)> {
    parameters.iter().map(|parameter| (parameter.name.as_deref(), parameter.text.as_str())).collect()
}

#[test]
fn body_parameters_fill_the_placeholders_in_order() {
    let send = resolve(&two_placeholders(), json!([{"type": "body", "parameters": ["Thandi", "#42"]}])).unwrap();
    assert_eq!(texts(&send.body), [(None, "Thandi"), (None, "#42")]);
    assert_eq!(send.rendered_text, "Hi Thandi, order #42 is ready.");
    assert_eq!((send.id.as_str(), send.name.as_str(), send.language.as_str()), ("920", "order_ready", "en"));
}

#[test]
fn the_number_of_body_parameters_must_match() {
    let template = two_placeholders();
    for parameters in [json!([]), json!(["a"]), json!(["a", "b", "c"])] {
        let field = fault_field(&template, json!([{"type": "body", "parameters": parameters}]), "takes 2");
        assert_eq!(field, "messages[0].components[0].parameters");
    }
    assert_eq!(fault_field(&template, json!([]), "add a `body` component"), "messages[0].components");
    let field = fault_field(&template, json!([{"type": "body"}]), "has 0 entries");
    assert_eq!(field, "messages[0].components[0].parameters");
}

#[test]
fn a_body_without_placeholders_takes_no_parameters() {
    let template = template(json!([{"type": "BODY", "text": "Hello"}]));
    assert_eq!(resolve(&template, json!([])).unwrap().rendered_text, "Hello");
    assert!(resolve(&template, json!([{"type": "body", "parameters": []}])).is_ok());
    fault_field(&template, json!([{"type": "body", "parameters": ["x"]}]), "takes none");
}

#[test]
fn a_placeholder_used_twice_takes_one_parameter_and_numbers_decide_the_order() {
    let template = template(json!([{"type": "BODY", "text": "{{2}} {{1}} {{2}}"}]));
    let send = resolve(&template, json!([{"type": "body", "parameters": ["one", "two"]}])).unwrap();
    assert_eq!(send.rendered_text, "two one two");
}

#[test]
fn named_parameters_go_by_first_appearance_and_carry_their_names() {
    let body = json!([{"type": "BODY", "text": "Hi {{first_name}}, {{order}} for {{first_name}}"}]);
    let send = resolve(&template_of("NAMED", body), json!([{"type": "body", "parameters": ["Zo", "#1"]}])).unwrap();
    assert_eq!(texts(&send.body), [(Some("first_name"), "Zo"), (Some("order"), "#1")]);
    assert_eq!(send.rendered_text, "Hi Zo, #1 for Zo");
}

#[test]
fn a_parameter_that_looks_like_a_placeholder_stays_text() {
    let send = resolve(&two_placeholders(), json!([{"type": "body", "parameters": ["{{2}}", "x"]}])).unwrap();
    assert_eq!(send.rendered_text, "Hi {{2}}, order x is ready.");
}

#[test]
fn braces_without_a_placeholder_stay() {
    for (text, rendered) in [
        ("{{}} {{ x", "{{}} {{ x"),
        ("{{{1}}}", "{A}"),
        ("{{+1}} {{1}}", "{{+1}} A"),
        ("{{0}}{{1}}", "{{0}}A"),
        ("{{ 1 }}", "A"),
        ("é{{1}}é}}", "éAé}}"),
    ] {
        let template = template(json!([{"type": "BODY", "text": text}]));
        let takes_one = rendered.contains('A');
        let parameters = if takes_one { json!(["A"]) } else { json!([]) };
        let send = resolve(&template, json!([{"type": "body", "parameters": parameters}])).unwrap();
        assert_eq!(send.rendered_text, rendered);
    }
}

fn with_header(format: &str) -> Template {
    template(json!([{"type": "HEADER", "format": format}, {"type": "BODY", "text": "Hello"}]))
}

#[test]
fn a_media_header_needs_its_file() {
    let template = with_header("DOCUMENT");
    let header =
        json!({"type": "header", "format": "DOCUMENT", "url": "https://a.example/i.pdf", "filename": "Invoice.pdf"});
    let send = resolve(&template, json!([header])).unwrap();
    let expected = HeaderParameter {
        kind: MediaKind::Document,
        url: "https://a.example/i.pdf".to_owned(),
        filename: Some("Invoice.pdf".to_owned()),
    };
    assert_eq!(send.header, Some(expected));
    assert_eq!(send.rendered_text, "Hello");

    assert_eq!(fault_field(&template, json!([]), "add a `header` component"), "messages[0].components");
    let wrong = json!([{"type": "header", "format": "IMAGE", "url": "https://a.example/i.pdf"}]);
    assert_eq!(fault_field(&template, wrong, "header is DOCUMENT"), "messages[0].components[0].format");
    let no_url = json!([{"type": "header", "format": "DOCUMENT"}]);
    assert_eq!(fault_field(&template, no_url, "is required"), "messages[0].components[0].url");
    let no_format = json!([{"type": "header", "url": "https://a.example/i.pdf"}]);
    assert_eq!(fault_field(&template, no_format, "DOCUMENT"), "messages[0].components[0].format");
    assert_eq!(faults(&template, json!([{"type": "header"}])).len(), 2);
}

#[test]
fn an_image_header_takes_no_gif() {
    let template = with_header("IMAGE");
    let header = |url: &str| json!([{"type": "header", "format": "IMAGE", "url": url}]);
    let field = fault_field(&template, header("https://a.example/i.GIF?x=1"), "is a GIF");
    assert_eq!(field, "messages[0].components[0].url");
    assert!(resolve(&template, header("https://a.example/i.png")).is_ok());
}

#[test]
fn a_file_name_is_for_documents_only() {
    let named = |component: Value| resolve(&with_header("DOCUMENT"), json!([component])).unwrap().header.unwrap();
    let typed = json!({"type": "header", "format": "DOCUMENT", "url": " https://a.example/a%20b.pdf\r\n"});
    let read = named(typed);
    assert_eq!((read.url.as_str(), read.filename.as_deref()), ("https://a.example/a%20b.pdf", Some("a b.pdf")));
    let lying =
        json!({"type": "header", "format": "DOCUMENT", "url": "https://a.example/i", "filename": "../\u{202e}x.pdf"});
    assert_eq!(named(lying).filename.as_deref(), Some("x.pdf"));
    let wrong = json!([{"type": "header", "format": "DOCUMENT", "url": "https://a.example/a b.pdf"}]);
    assert_eq!(fault_field(&with_header("DOCUMENT"), wrong, "space"), "messages[0].components[0].url");
    let image = json!([{"type": "header", "format": "IMAGE", "url": "https://a.example/i.jpg", "filename": "x"}]);
    assert_eq!(resolve(&with_header("IMAGE"), image).unwrap().header.unwrap().filename, None);
}

#[test]
fn a_header_on_a_template_without_one_is_refused() {
    let template = template(json!([{"type": "BODY", "text": "Hello"}]));
    let header = json!([{"type": "header", "format": "IMAGE", "url": "https://a.example/i.jpg"}]);
    assert_eq!(fault_field(&template, header, "has no header"), "messages[0].components[0]");
}

#[test]
fn a_text_header_takes_parameters_but_no_file() {
    let template =
        template(json!([{"type": "HEADER", "format": "TEXT", "text": "For {{1}}"}, {"type": "BODY", "text": "B"}]));
    let send = resolve(&template, json!([{"type": "header", "parameters": ["Zo"]}])).unwrap();
    assert_eq!(texts(&send.header_text), [(None, "Zo")]);
    assert_eq!(send.rendered_text, "For Zo\nB");
    fault_field(&template, json!([]), "add a `header` component");
    let file = json!([{"type": "header", "format": "IMAGE", "url": "https://a.example/i.jpg"}]);
    assert_eq!(fault_field(&template, file, "takes no file"), "messages[0].components[0]");
}

#[test]
fn a_text_header_has_at_most_sixty_characters_with_its_parameters() {
    let template =
        template(json!([{"type": "HEADER", "format": "TEXT", "text": "For {{1}}"}, {"type": "BODY", "text": "B"}]));
    let header = |length: usize| json!([{"type": "header", "parameters": ["é".repeat(length)]}]);
    assert!(resolve(&template, header(56)).is_ok());
    let field = fault_field(&template, header(57), "more than 60 characters");
    assert_eq!(field, "messages[0].components[0].parameters");
}

#[test]
fn a_parameter_with_a_line_break_of_any_kind_is_refused() {
    for value in ["a\nb", "a\rb", "a\r\nb"] {
        let body = json!([{"type": "body", "parameters": [value, "x"]}]);
        assert_eq!(fault_field(&two_placeholders(), body, "line break"), "messages[0].components[0].parameters[0]");
    }
}

#[test]
fn a_header_that_a_request_cannot_express_is_refused() {
    fault_field(&with_header("LOCATION"), json!([]), "LOCATION header");
}

#[test]
fn a_component_that_comes_twice_is_refused() {
    let body = json!({"type": "body", "parameters": ["a", "b"]});
    let faults = faults(&two_placeholders(), json!([body, body]));
    assert_eq!(faults[0].0, "messages[0].components[1]");
}

#[test]
fn all_faults_are_reported_at_once() {
    let template = template(json!([
        {"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "{{1}}"},
        {"type": "BUTTONS", "buttons": [{"type": "URL", "text": "Open", "url": "https://a.example/{{1}}"}]},
    ]));
    assert_eq!(faults(&template, json!([])).len(), 3);
}

#[test]
fn the_rendered_text_has_header_body_footer_and_addresses() {
    let template = template(json!([
        {"type": "HEADER", "format": "TEXT", "text": "Shop"}, {"type": "BODY", "text": "Hi {{1}}\nBye"},
        {"type": "FOOTER", "text": "Stop: reply STOP"},
        {"type": "BUTTONS", "buttons": [
            {"type": "QUICK_REPLY", "text": "Track"}, {"type": "URL", "text": "Open", "url": "https://a.example/o/{{1}}"},
            {"type": "URL", "text": "Home", "url": "https://a.example/"}, {"type": "PHONE_NUMBER", "text": "Call"},
        ]},
    ]));
    let components = json!([{"type": "body", "parameters": ["Zo"]}, {"type": "button", "parameters": ["42"]}]);
    assert_eq!(
        resolve(&template, components).unwrap().rendered_text,
        "Shop\nHi Zo\nBye\nStop: reply STOP\nhttps://a.example/o/42\nhttps://a.example/"
    );
}

/// With quadratic time, each of these would take very long.
#[test]
fn long_texts_are_taken_apart_in_one_pass() {
    let many: String = (0..20_000).map(|number| format!("{{{{n{number}}}}}")).collect();
    let pattern = Pattern::parse(&many, ParameterFormat::Named);
    assert_eq!((pattern.parameter_count(), pattern.placeholders()[19_999].as_str()), (20_000, "n19999"));
    let unclosed = format!("{}{{{{1}}}}{}", "{{a ".repeat(200_000), "{{a ".repeat(200_000));
    let pattern = Pattern::parse(&unclosed, ParameterFormat::Positional);
    assert_eq!(pattern.fill(&["x".to_owned()]).len(), unclosed.len() - 4);
}
