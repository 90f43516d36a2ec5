//! The checks of flows, by the findings that authors read.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

/// The findings as text.
fn findings(flow: &Value) -> Vec<String> {
    flow_model::check(&flow.to_string()).iter().map(ToString::to_string).collect()
}

/// A flow with these nodes and a node `end`, which the first one must reach.
fn flow(nodes: &Value) -> Value {
    let mut nodes = nodes.clone();
    nodes["end"] = json!({"type": "close"});
    json!({"start": "a", "nodes": nodes})
}

#[track_caller]
fn only(flow: &Value, expected: &str) {
    let found = findings(flow);
    assert!(found.len() == 1 && found[0].contains(expected), "expected `{expected}`, found {found:#?}");
}

#[test]
fn a_flow_without_faults_has_no_findings() {
    assert_eq!(findings(&flow(&json!({"a": {"type": "message", "text": "Hi {name}", "next": "end"}}))), [""; 0]);
}

#[test]
fn an_unknown_target_is_named_with_its_field() {
    only(
        &flow(&json!({"a": {"type": "menu", "text": "Hi", "options": [
            {"id": "x", "title": "X", "next": "end"}, {"id": "y", "title": "Y", "next": "nowhere"}]}})),
        "node `a`, options/1/next: leads to `nowhere`, and there is no such node",
    );
    let mut wrong = flow(&json!({"a": {"type": "close"}}));
    wrong["nodes"].as_object_mut().unwrap().remove("end");
    wrong["start"] = json!("b");
    let found = findings(&wrong);
    assert!(found.iter().any(|found| found.starts_with("flow, start: leads to `b`")), "{found:?}");
}

#[test]
fn a_node_without_a_way_on_is_a_dead_end() {
    for (node, field) in [
        (json!({"type": "message", "text": "Hi"}), "next"),
        (json!({"type": "question", "text": "Who?", "save": "x"}), "next"),
        (json!({"type": "menu", "text": "Hi", "options": [{"id": "x", "title": "X"}]}), "options/0/next"),
        (json!({"type": "http", "url": "https://a.example/", "next": "end"}), "failed"),
        (json!({"type": "condition", "cases": [{"channel": "web", "next": "end"}]}), "otherwise"),
        (json!({"type": "wait", "seconds": 1}), "next"),
    ] {
        let found = findings(&json!({"start": "a", "released": "end", "nodes": {"a": node, "end": {"type": "close"}}}));
        assert_eq!(found, [format!("node `a`, {field}: is missing: the conversation has no way on here (dead end)")]);
    }
}

#[test]
fn a_node_to_which_no_way_leads_is_unreachable() {
    only(
        &flow(
            &json!({"a": {"type": "message", "text": "Hi", "next": "end"}, "b": {"type": "message", "text": "B", "next": "end"}}),
        ),
        "node `b`: is not reachable",
    );
    let mut by_command = flow(&json!({"a": {"type": "close"}}));
    by_command["commands"] = json!([{"words": ["end"], "next": "end"}]);
    assert_eq!(findings(&by_command), [""; 0]);
}

#[test]
fn a_loop_without_input_is_named_with_its_nodes() {
    let say = |next: &str| json!({"type": "message", "text": "Hi", "next": next});
    let nodes = json!({
        "a": {"type": "condition", "cases": [{"channel": "web", "next": "end"}], "otherwise": "b"},
        "b": say("c"),
        "c": {"type": "wait", "seconds": 60, "next": "a", "onMessage": "end"},
    });
    only(&flow(&nodes), "node `a`: is in an endless loop without input of the customer: a -> b -> c -> a");
    let mut with_input = nodes;
    with_input["b"] = json!({"type": "question", "text": "Who?", "save": "x", "next": "c"});
    assert_eq!(findings(&flow(&with_input)), [""; 0]);
}

#[test]
fn translations_that_are_missing_or_unknown_are_named() {
    let mut two = flow(&json!({"a": {"type": "message", "text": {"en": "Hi", "fr": "Salut"}, "next": "b"},
        "b": {"type": "message", "text": "Hi", "next": "c"}, "c": {"type": "message", "text": "1 + 1 = 2", "next": "end"}}));
    two["languages"] = json!(["en", "de"]);
    let found = findings(&two);
    assert_eq!(
        found,
        [
            "node `a`, text: has a text for `fr`, which is not in `languages`",
            "node `a`, text: has no translation for de",
            "node `b`, text: has no translations: give a text for each of en, de",
        ]
    );
}

#[test]
fn texts_beyond_the_limits_of_channels_are_named_with_their_length() {
    let menu = |count: usize, title: &str| {
        let option = |at: usize| json!({"id": format!("o{at}"), "title": format!("{title}{at}"), "next": "end"});
        let options: Vec<Value> = (0..count).map(option).collect();
        let mut menu = json!({"type": "menu", "text": "Hi", "options": options});
        if count > 3 {
            menu["label"] = json!("Menu");
        }
        flow(&json!({"a": menu}))
    };
    only(
        &menu(1, "a title of 30 characters inde"),
        "options/0/title: `a title of 30 characters inde0` has 30 characters; 20 are",
    );
    assert_eq!(findings(&menu(4, "a title of 24 charactrs")), [""; 0]);
    assert_eq!(findings(&menu(4, "a title of 25 characters")).len(), 4);
    only(&menu(11, "t"), "options: a menu has 1 to 10 options; this one has 11");
    only(
        &flow(&json!({"a": {"type": "message", "text": "x".repeat(4_097), "next": "end"}})),
        "has 4097 characters; 4096 are",
    );
    only(
        &flow(&json!({"a": {"type": "message", "text": "{name}", "next": "end"}})),
        "must say something apart from placeholders",
    );
}

#[test]
fn a_list_needs_a_label_and_buttons_have_none() {
    let options = |count: usize| -> Vec<Value> {
        (0..count).map(|at| json!({"id": format!("o{at}"), "title": format!("T{at}"), "next": "end"})).collect()
    };
    only(&flow(&json!({"a": {"type": "menu", "text": "Hi", "options": options(4)}})), "node `a`, label: is missing");
    only(
        &flow(&json!({"a": {"type": "menu", "text": "Hi", "label": "M", "options": options(3)}})),
        "label: is not shown",
    );
}

#[test]
fn a_field_of_another_kind_of_node_is_refused() {
    only(
        &flow(&json!({"a": {"type": "message", "text": "Hi", "next": "end", "team": "Sales"}})),
        "node `a`, team: a message has no such field; its fields are: text, media, next",
    );
    only(&flow(&json!({"a": {"type": "question", "text": "Who?", "next": "end"}})), "node `a`, save: is missing");
    only(
        &flow(&json!({"a": {"type": "message", "text": "Hi", "next": "end", "colour": 1}})),
        "node `a`: cannot be read: unknown field `colour`",
    );
}

#[test]
fn a_placeholder_must_be_a_fact_or_an_attribute_that_a_node_sets() {
    only(&flow(&json!({"a": {"type": "message", "text": "Hi {colour}", "next": "end"}})), "`{colour}` is neither");
    let set = json!({"a": {"type": "set", "set": {"colour": "red"}, "next": "b"}, "b": {"type": "message", "text": "Hi {colour} {", "next": "end"}});
    assert_eq!(findings(&flow(&set)), [""; 0]);
    only(&flow(&json!({"a": {"type": "set", "set": {"phone": "1"}, "next": "end"}})), "set/phone: `phone` is a fact");
}

#[test]
fn secrets_are_for_requests_and_their_values_are_never_shown() {
    let mut with_secret = flow(&json!({
        "a": {"type": "http", "url": "https://a.example/{secret.key}", "headers": {"x": "{secret.other}"}, "next": "b", "failed": "b"},
        "b": {"type": "message", "text": "The key is {secret.key}", "next": "end"}
    }));
    with_secret["secrets"] = json!({"key": "hunter2"});
    let found = findings(&with_secret);
    assert_eq!(
        found,
        [
            "node `a`, headers/x: `{secret.other}` is not in `secrets`",
            "node `b`, text: `{secret.key}` is for http nodes only"
        ]
    );
    with_secret["secrets"] = json!({"key": 4711});
    assert!(!findings(&with_secret).join(" ").contains("4711"));
}

#[test]
fn the_host_of_a_request_has_no_placeholder() {
    let request = |url: &str| flow(&json!({"a": {"type": "http", "url": url, "next": "end", "failed": "end"}}));
    for url in
        ["https://{name}.example/", "https://a.example{name}", "a.example/x", "{name}", "https://user@a.example/"]
    {
        only(&request(url), "node `a`, url: must begin with https://");
    }
    assert_eq!(findings(&request("https://a.example:8443/x/{phone}?y={date}")), [""; 0]);
}

#[test]
fn a_condition_has_one_subject_and_one_comparison() {
    let case = |case: Value| {
        let mut case = case;
        case["next"] = json!("end");
        flow(&json!({"a": {"type": "condition", "cases": [case], "otherwise": "end"}}))
    };
    only(&case(json!({})), "cases/0: needs one of `open`, `channel` and `attribute`");
    only(&case(json!({"open": true})), "`open` needs the `hours` of the flow");
    only(&case(json!({"attribute": "name"})), "`attribute` needs one of");
    only(&case(json!({"attribute": "colour", "exists": true})), "compares `colour`, which no node sets");
    only(&case(json!({"channel": "pigeon"})), "`channel` must be one of whatsapp");
}

#[test]
fn opening_hours_may_end_on_the_next_day() {
    let mut with_hours =
        flow(&json!({"a": {"type": "condition", "cases": [{"open": true, "next": "end"}], "otherwise": "end"}}));
    with_hours["hours"] = json!({"monday": ["17:00 - 08:00", "8:00-24:00"]});
    assert_eq!(findings(&with_hours), [""; 0]);
    for span in ["08:00-08:00", "24:00-01:00", "9 to 5", "08:61-09:00"] {
        with_hours["hours"] = json!({"monday": [span]});
        only(&with_hours, "flow, hours/monday/0: `");
    }
}

#[test]
fn ways_that_are_too_long_for_one_call_are_named() {
    let chain = |count: usize, node: &dyn Fn(&str) -> Value| {
        let mut nodes = json!({});
        for at in 0..count {
            let id = if at == 0 { "a".to_owned() } else { format!("n{at}") };
            let next = if at + 1 == count { "end".to_owned() } else { format!("n{}", at + 1) };
            nodes[id] = node(&next);
        }
        flow(&nodes)
    };
    let say = |next: &str| json!({"type": "message", "text": "Hi", "next": next});
    assert_eq!(findings(&chain(26, &say)), [""; 0]);
    only(&chain(27, &say), "node `a`: begins a way with 27 messages, tags and attributes of the contact");
    let ask = |next: &str| json!({"type": "http", "url": "https://a.example/", "next": next, "failed": "end"});
    only(&chain(9, &ask), "node `a`: begins a way with 9 HTTP requests");
}

#[test]
fn a_text_that_is_no_flow_is_one_finding() {
    for text in ["", "[]", "{}", r#"{"start": "a", "nodes": {}, "extra": 1}"#] {
        let found = flow_model::check(text);
        assert!(found.len() == 1 && found[0].message.starts_with("cannot be read"), "{text}: {found:?}");
    }
}

#[test]
fn a_flow_of_the_largest_configuration_is_checked_without_deep_recursion() {
    let mut nodes = json!({});
    for at in 0..1_300 {
        nodes[format!("n{at}")] = json!({"type": "set", "set": {"x": "1"}, "next": format!("n{}", at + 1)});
    }
    nodes["n1300"] = json!({"type": "close"});
    let large = json!({"start": "n0", "nodes": nodes});
    assert!(large.to_string().len() > 64 * 1024);
    only(&large, "node `n0`: begins a way with 1300 nodes");
}

#[test]
fn an_attribute_of_the_contact_is_declared_with_its_type() {
    let with = |node: Value| {
        let mut flow = flow(&json!({ "a": node }));
        flow["contactAttributes"] = json!({"plan": "choice", "visits": "number", "vip": "boolean", "born": "date"});
        flow
    };
    let set = |contact: Value| with(json!({"type": "set", "contact": contact, "next": "end"}));
    let values = json!({"plan": "gold", "visits": "7,5", "vip": "Yes", "born": "1990-05-31"});
    assert_eq!(findings(&set(values)), [""; 0]);
    assert_eq!(findings(&set(json!({"plan": "", "visits": "{contact.visits}"}))), [""; 0]);
    for (name, text, fault) in [
        ("city", "Cape Town", "`city` is not in `contactAttributes` of the flow"),
        ("visits", "many", "must be a number"),
        ("vip", "maybe", "must be true or false"),
        ("born", "31.5.1990", "must be a date such as 2026-12-31"),
    ] {
        let mut contact = json!({});
        contact[name] = json!(text);
        only(&set(contact), &format!("node `a`, contact/{name}: {fault}"));
    }
    only(&set(json!({"plan": "x".repeat(101)})), "node `a`, contact/plan: is too long for a choice");

    let says = |text: &str| with(json!({"type": "message", "text": text, "next": "end"}));
    assert_eq!(findings(&says("Your plan is {contact.plan}.")), [""; 0]);
    only(&says("Hi {contact.city}"), "node `a`, text: `{contact.city}` is not in `contactAttributes` of the flow");
    let compares = |name: &str| {
        let case = json!({"attribute": name, "exists": true, "next": "end"});
        with(json!({"type": "condition", "cases": [case], "otherwise": "end"}))
    };
    assert_eq!(findings(&compares("contact.plan")), [""; 0]);
    only(&compares("contact.city"), "compares `contact.city`, which is not in `contactAttributes` of the flow");

    let mut wrong = flow(&json!({"a": {"type": "close"}}));
    wrong["nodes"].as_object_mut().unwrap().remove("end");
    wrong["contactAttributes"] = json!({"Plan": "text"});
    only(&wrong, "flow, contactAttributes/Plan: the name has 1 to 40 lower-case letters");
}
