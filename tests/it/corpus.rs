//! Two hundred wrong sends. Each is refused with a reason before anything is stored. The simulator, which refuses as
//! Meta does, refuses the same send too (SPEC 2.3, PROVIDERS A.2, A.3, A.11).

use harness::{SharedPatchbay, TestClient};
use serde_json::{Value, json};

const PHONE: &str = "27829999998";
const FILE: &str = "https://files.example/a.png";

struct Case {
    what: String,
    template: &'static str,
    components: Value,
}

/// The correct components of a template.
fn right(template: &str) -> Value {
    let body = |parameters: Value| json!({ "type": "body", "parameters": parameters });
    let header = |format: &str| json!({ "type": "header", "format": format, "url": FILE });
    let card = |colour: &str| json!({ "components": [header("IMAGE"), body(json!([colour]))] });
    match template {
        "order_ready" => json!([body(json!(["Thandi", "#42"])), { "type": "button", "parameters": ["42"] }]),
        "invoice" => json!([header("DOCUMENT"), body(json!(["INV-7"]))]),
        "promo_image" => json!([header("IMAGE"), body(json!(["shoes"]))]),
        "promo_video" => json!([header("VIDEO")]),
        "coupon" => json!([{ "type": "button", "parameters": ["SUN20"] }]),
        "named_greeting" => json!([body(json!(["Thandi"]))]),
        "summer_carousel" => json!([{ "type": "carousel", "cards": [card("blue"), card("red")] }]),
        _ => json!([]),
    }
}

/// JSON pointers to the component lists: of the template, or of each of its cards.
fn levels(template: &str) -> Vec<String> {
    match template {
        "summer_carousel" => vec!["/0/cards/0/components".to_owned(), "/0/cards/1/components".to_owned()],
        _ => vec![String::new()],
    }
}

fn place_of(components: &Value, level: &str, kind: &str) -> Option<usize> {
    components.pointer(level)?.as_array()?.iter().position(|component| component["type"] == kind)
}

/// The correct components of a template with one change in the list at `level`.
fn changed(template: &str, level: &str, change: impl FnOnce(&mut Vec<Value>)) -> Value {
    let mut components = right(template);
    change(components.pointer_mut(level).unwrap().as_array_mut().unwrap());
    components
}

/// The same with a change of the component of one kind.
fn with(template: &str, level: &str, kind: &str, change: impl FnOnce(&mut Value)) -> Value {
    let at = place_of(&right(template), level, kind).unwrap();
    changed(template, level, |components| change(&mut components[at]))
}

fn bodies(cases: &mut Vec<Case>) {
    let long = "x".repeat(1025);
    let values =
        ["", " ", "  ", "a\nb", "\n", "\n\n", "a\tb", "a     b", "a      b", "     a", "a\r\nb", "a\rb", &long];
    for template in ["order_ready", "invoice", "promo_image", "named_greeting", "summer_carousel"] {
        for level in levels(template) {
            let at = place_of(&right(template), &level, "body").unwrap();
            let count = right(template).pointer(&format!("{level}/{at}/parameters")).unwrap().as_array().unwrap().len();
            for (parameter, value) in (0..count).flat_map(|parameter| values.map(|value| (parameter, value))) {
                let components = with(template, &level, "body", |body| body["parameters"][parameter] = json!(value));
                let what = format!("{template}{level} body parameter {parameter} is {value:.12?}");
                cases.push(Case { what, template, components });
            }
            for given in (0..count + 3).filter(|given| *given != count) {
                let components = with(template, &level, "body", |body| body["parameters"] = json!(vec!["one"; given]));
                cases.push(Case { what: format!("{template}{level} has {given} parameters"), template, components });
            }
            let components = changed(template, &level, |components| drop(components.remove(at)));
            cases.push(Case { what: format!("{template}{level} has no body"), template, components });
        }
    }
    for template in ["welcome", "promo_video", "coupon", "survey"] {
        for given in 1..3 {
            let body = json!({ "type": "body", "parameters": vec!["one"; given] });
            let components = changed(template, "", |components| components.push(body));
            cases.push(Case { what: format!("{template} takes no parameters and has {given}"), template, components });
        }
    }
}

fn headers(cases: &mut Vec<Case>) {
    let long = format!("https://files.example/{}", "x".repeat(2100));
    for (template, format) in
        [("invoice", "DOCUMENT"), ("promo_image", "IMAGE"), ("promo_video", "VIDEO"), ("summer_carousel", "IMAGE")]
    {
        for level in levels(template) {
            let at = place_of(&right(template), &level, "header").unwrap();
            let components = changed(template, &level, |components| drop(components.remove(at)));
            cases.push(Case { what: format!("{template}{level} has no header"), template, components });
            for other in ["DOCUMENT", "IMAGE", "VIDEO"].into_iter().filter(|other| *other != format) {
                let components = with(template, &level, "header", |header| header["format"] = json!(other));
                cases.push(Case { what: format!("{template}{level} has a header {other}"), template, components });
            }
            for url in ["", " ", "shoes.png", "ftp://files.example/a.png", "file:///etc/passwd", &long] {
                let components = with(template, &level, "header", |header| header["url"] = json!(url));
                cases.push(Case { what: format!("{template}{level} has the link {url:.30?}"), template, components });
            }
            let components =
                with(template, &level, "header", |header| drop(header.as_object_mut().unwrap().remove("url")));
            cases.push(Case { what: format!("{template}{level} has no link"), template, components });
        }
    }
    for template in ["order_ready", "welcome", "coupon", "survey", "named_greeting"] {
        for format in ["DOCUMENT", "IMAGE", "VIDEO"] {
            let header = json!({ "type": "header", "format": format, "url": FILE });
            let components = changed(template, "", |components| components.push(header));
            cases.push(Case { what: format!("{template} has no header and gets {format}"), template, components });
        }
    }
}

fn buttons(cases: &mut Vec<Case>) {
    let (suffix, code, payload) = ("x".repeat(2001), "x".repeat(21), "x".repeat(257));
    let wrong = [
        ("order_ready", json!([""])),
        ("order_ready", json!([" "])),
        ("order_ready", json!([suffix])),
        ("order_ready", json!([])),
        ("order_ready", json!(["1", "2", "3"])),
        ("coupon", json!([""])),
        ("coupon", json!([" "])),
        ("coupon", json!([code])),
        ("coupon", json!([])),
        ("coupon", json!(["A", "B"])),
        ("survey", json!(["", "B"])),
        ("survey", json!(["A", " "])),
        ("survey", json!([payload, "B"])),
        ("survey", json!(["A", "B", "C"])),
        ("welcome", json!(["A"])),
        ("invoice", json!(["A"])),
        ("promo_image", json!(["A"])),
        ("promo_video", json!(["A"])),
        ("named_greeting", json!(["A"])),
    ];
    for (template, parameters) in wrong {
        let what = format!("{template} has the button parameters {:.40}", parameters.to_string());
        let components = changed(template, "", |components| {
            components.retain(|component| component["type"] != "button");
            components.push(json!({ "type": "button", "parameters": parameters }));
        });
        cases.push(Case { what, template, components });
    }
    for template in ["order_ready", "coupon"] {
        let components = changed(template, "", |all| all.retain(|component| component["type"] != "button"));
        cases.push(Case { what: format!("{template} has no button"), template, components });
    }
}

fn carousels(cases: &mut Vec<Case>) {
    let template = "summer_carousel";
    let card = right(template)[0]["cards"][0].clone();
    for given in [0, 1, 3] {
        let components = json!([{ "type": "carousel", "cards": vec![card.clone(); given] }]);
        cases.push(Case { what: format!("a carousel of {given} cards"), template, components });
    }
    cases.push(Case { what: "a carousel without its component".to_owned(), template, components: json!([]) });
    for template in ["welcome", "order_ready", "survey", "named_greeting", "promo_image"] {
        let carousel = json!({ "type": "carousel", "cards": [card] });
        let components = changed(template, "", |components| components.push(carousel));
        cases.push(Case { what: format!("{template} is no carousel"), template, components });
    }
    for template in ["paused_offer", "rejected_offer"] {
        cases.push(Case { what: format!("{template} may not be sent"), template, components: json!([]) });
    }
}

/// The components in the format of the provider, without any check.
fn naive(template: &str, components: &Value) -> Vec<Value> {
    let mut graph = Vec::new();
    for component in components.as_array().unwrap() {
        let values: Vec<&Value> =
            component["parameters"].as_array().map(|all| all.iter().collect()).unwrap_or_default();
        match component["type"].as_str().unwrap() {
            "body" => {
                let text = |(at, value): (usize, &&Value)| match (template, at) {
                    ("named_greeting", 0) => json!({ "type": "text", "parameter_name": "first_name", "text": value }),
                    _ => json!({ "type": "text", "text": value }),
                };
                let parameters: Vec<Value> = values.iter().enumerate().map(text).collect();
                graph.push(json!({ "type": "body", "parameters": parameters }));
            }
            "header" => {
                let kind = component["format"].as_str().unwrap().to_lowercase();
                let file = match component.get("url") {
                    Some(url) => json!({ "link": url }),
                    None => json!({}),
                };
                let mut parameter = json!({ "type": kind });
                parameter[&kind] = file;
                graph.push(json!({ "type": "header", "parameters": [parameter] }));
            }
            "carousel" => {
                let card = |(at, card): (usize, &Value)| json!({ "card_index": at, "components": naive(template, &card["components"]) });
                let cards: Vec<Value> = component["cards"].as_array().unwrap().iter().enumerate().map(card).collect();
                graph.push(json!({ "type": "carousel", "cards": cards }));
            }
            _ => graph.extend(values.iter().enumerate().map(|(at, value)| button(template, at, value))),
        }
    }
    graph
}

fn button(template: &str, at: usize, value: &Value) -> Value {
    let (sub_type, index, parameter) = match template {
        "coupon" => ("copy_code", at, json!({ "type": "coupon_code", "coupon_code": value })),
        "survey" => ("quick_reply", at, json!({ "type": "payload", "payload": value })),
        _ => ("url", at + 1, json!({ "type": "text", "text": value })),
    };
    json!({ "type": "button", "sub_type": sub_type, "index": index.to_string(), "parameters": [parameter] })
}

/// The status with which the provider answers the same send.
async fn provider(patchbay: &SharedPatchbay, client: &TestClient, template: &str, components: &Value) -> u16 {
    let url = format!("{}/v25.0/1{}/messages", patchbay.simulator_url(), client.number);
    let body = json!({
        "messaging_product": "whatsapp", "to": PHONE, "type": "template",
        "template": { "name": template, "language": { "code": "en" }, "components": naive(template, components) },
    });
    patchbay.http.post(url).bearer_auth("token").json(&body).send().await.unwrap().status().as_u16()
}

fn corpus() -> Vec<Case> {
    let mut cases = Vec::new();
    bodies(&mut cases);
    headers(&mut cases);
    buttons(&mut cases);
    carousels(&mut cases);
    cases
}

#[tokio::test]
async fn two_hundred_wrong_sends_are_caught_before_the_provider_refuses_them() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let cases = corpus();
    assert!(cases.len() >= 200, "only {} cases", cases.len());
    let mut missed = Vec::new();
    for Case { what, template, components } in &cases {
        let reply = client.send(&client.template(template, PHONE, components.clone())).await;
        let refused = provider(&patchbay, &client, template, components).await;
        let reasons = reply.json_or_null()["details"].as_array().cloned().unwrap_or_default();
        let in_words = reasons.iter().all(|fault| fault["message"].as_str().is_some_and(|said| said.len() > 10));
        if reply.status != 400 || reasons.is_empty() || !in_words || refused < 400 {
            missed.push(format!("{what}: we say {}, the provider {refused}", reply.status));
        }
    }
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), cases.len(), missed.join("\n"));
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 0);
}

#[tokio::test]
async fn the_same_correct_sends_are_accepted_by_both() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    for template in [
        "order_ready",
        "welcome",
        "invoice",
        "promo_image",
        "promo_video",
        "coupon",
        "survey",
        "summer_carousel",
        "named_greeting",
    ] {
        let components = right(template);
        client.send(&client.template(template, PHONE, components.clone())).await.accepted();
        assert_eq!(provider(&patchbay, &client, template, &components).await, 200, "{template}");
    }
}
