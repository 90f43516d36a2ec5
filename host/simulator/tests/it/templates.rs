//! Templates: the catalogue and sends against it.

use serde_json::{Value, json};

use crate::host::{Outside, PHONE};

fn template(name: &str, components: Value) -> Value {
    json!({"type": "template", "template":
        {"name": name, "language": {"code": "en"}, "components": components}})
}

fn body(values: &[&str]) -> Value {
    let parameters: Vec<Value> = values.iter().map(|value| json!({"type": "text", "text": value})).collect();
    json!({"type": "body", "parameters": parameters})
}

fn header(kind: &str) -> Value {
    json!({"type": "header", "parameters": [
        {"type": kind, kind: {"link": "https://host.example/file"}}]})
}

fn button(kind: &str, index: &str, parameter: Value) -> Value {
    json!({"type": "button", "sub_type": kind, "index": index, "parameters": [parameter]})
}

fn order_ready() -> Value {
    template(
        "order_ready",
        json!([
            body(&["Thandi", "#42"]),
            button("quick_reply", "0", json!({"type": "payload", "payload": "TRACK"})),
            button("url", "1", json!({"type": "text", "text": "42"})),
        ]),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_shown_on_the_phone_with_its_values() {
    let outside = Outside::start().await;
    let wamid = outside.sent(order_ready()).await;
    let inbox = outside.inbox(PHONE, 1).await;
    assert_eq!(inbox[0]["text"], "Hi Thandi, order #42 is ready.\nSample Shop");
    assert_eq!(inbox[0]["buttons"][0]["title"], "Track");
    assert_eq!(inbox[0]["buttons"][0]["id"], "TRACK");
    assert_eq!(inbox[0]["buttons"][1]["id"], "https://shop.example/o/42");
    let statuses = outside.sink.statuses(&wamid, 2).await;
    let pricing = json!({"billable": true, "pricing_model": "PMP", "type": "regular", "category": "utility"});
    assert_eq!(statuses[0]["pricing"], pricing);
    assert_eq!(statuses[1]["pricing"], pricing);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_approved_sample_can_be_sent() {
    let outside = Outside::start().await;
    let card =
        |index: usize, colour: &str| json!({"card_index": index, "components": [header("image"), body(&[colour])]});
    let greeting = json!({"type": "body", "parameters": [
        {"type": "text", "parameter_name": "first_name", "text": "Zo"}]});
    let coupon = json!({"type": "coupon_code", "coupon_code": "SUN20"});
    let cases = [
        (order_ready(), "Hi Thandi, order #42 is ready.\nSample Shop"),
        (template("welcome", json!([])), "Welcome! Reply to this message to talk to us."),
        (template("invoice", json!([header("document"), body(&["7"])])), "Your invoice 7 is attached."),
        (template("promo_image", json!([header("image"), body(&["hats"])])), "New this week: hats."),
        (template("promo_video", json!([header("video")])), "See what is new this week."),
        (template("coupon", json!([button("copy_code", "0", coupon)])), "A gift for you: use this code before Sunday."),
        (template("survey", json!([])), "How was our service?"),
        (
            template("summer_carousel", json!([{"type": "carousel", "cards": [card(0, "blue"), card(1, "red")]}])),
            "Summer is here. Look what came in:\n[1] Our blue range\n[2] Our red range",
        ),
        (template("named_greeting", json!([greeting])), "Hello Zo, good to see you."),
    ];
    for (position, (message, text)) in cases.into_iter().enumerate() {
        let to = format!("2782000010{position}");
        let mut message = message;
        message["to"] = json!(to);
        outside.sent(message).await;
        assert_eq!(outside.inbox(&to, 1).await[0]["text"], text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_do_not_fit_are_refused_with_metas_codes() {
    let outside = Outside::start().await;
    let track = || button("quick_reply", "0", json!({"type": "payload", "payload": "T"}));
    let open = || button("url", "1", json!({"type": "text", "text": "42"}));
    let mut unnamed = body(&["Zo"]);
    let cases = [
        (400, 132_000, template("order_ready", json!([body(&["one"]), track(), open()]))),
        (400, 132_000, template("order_ready", json!([track(), open()]))),
        (400, 132_000, template("welcome", json!([body(&["x"])]))),
        (404, 132_001, template("no_such_template", json!([]))),
        (404, 132_001, template("rejected_offer", json!([]))),
        (400, 132_015, template("paused_offer", json!([]))),
        (400, 132_012, template("invoice", json!([header("image"), body(&["7"])]))),
        (400, 132_012, template("invoice", json!([body(&["7"])]))),
        (400, 131_008, template("order_ready", json!([body(&["a", "b"]), track()]))),
        (400, 131_008, template("coupon", json!([]))),
        (400, 132_018, template("survey", json!([button("url", "0", json!({"type": "text", "text": "x"}))]))),
        (400, 132_018, template("order_ready", json!([body(&["a\nb", "c"]), open()]))),
        (400, 132_005, template("order_ready", json!([body(&["a", &"b".repeat(1024)]), open()]))),
        (400, 132_000, template("summer_carousel", json!([{"type": "carousel", "cards": []}]))),
        (400, 100, template("named_greeting", json!([unnamed.take()]))),
    ];
    for (status, code, message) in cases {
        let (found_status, found, details) = outside.refused(message.clone()).await;
        assert_eq!((found_status, found), (status, code), "{message}: {details}");
    }
    let mut german = order_ready();
    german["template"]["language"]["code"] = json!("de");
    assert_eq!(outside.refused(german).await.1, 132_001);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_is_listed_in_pages_and_ids_are_stable() {
    let outside = Outside::start().await;
    let first = outside.get("/v25.0/900/message_templates?limit=6&fields=id,name,status").await;
    assert_eq!(first["data"].as_array().unwrap().len(), 6);
    assert_eq!(first["data"][0].as_object().unwrap().len(), 3);
    let next = first["paging"]["next"].as_str().unwrap();
    let second = outside.get(next).await;
    assert_eq!(second["data"].as_array().unwrap().len(), 5);
    assert_eq!(second["data"][0].as_object().unwrap().len(), 3);
    assert!(second["paging"].get("next").is_none());
    let after = first["paging"]["cursors"]["after"].as_str().unwrap();
    let path = format!("/v25.0/900/message_templates?limit=100&after={after}");
    assert_eq!(outside.get(&path).await["data"].as_array().unwrap().len(), 5);

    let id = first["data"][0]["id"].as_str().unwrap();
    assert!(id.parse::<u64>().is_ok());
    let node = outside.get(&format!("/v24.0/{id}")).await;
    assert_eq!(node["name"], "order_ready");
    let other = outside.get("/v25.0/901/message_templates?name=order_ready").await;
    assert_ne!(other["data"][0]["id"], id);
    let again = Outside::start().await;
    let same = again.get("/v25.0/900/message_templates?name=order_ready").await;
    assert_eq!(same["data"][0]["id"], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_is_filtered_by_name_status_and_language() {
    let outside = Outside::start().await;
    let count = async |query: &str| {
        let path = format!("/v25.0/900/message_templates?{query}");
        outside.get(&path).await["data"].as_array().unwrap().len()
    };
    assert_eq!(count("limit=100").await, 11);
    assert_eq!(count("name=promo").await, 2);
    assert_eq!(count("status=PAUSED").await, 1);
    assert_eq!(count("language=en").await, 11);
    assert_eq!(count("language=de").await, 0);
    let (status, error) = outside.call("GET", "/v25.0/900/message_templates?limit=0", None).await;
    assert_eq!((status, error["error"]["code"].as_i64()), (400, Some(100)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_created_sent_and_deleted() {
    let outside = Outside::start().await;
    let asked = json!({"name": "pickup", "language": "en", "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Pick up at {{1}}."}]});
    let created = outside.post("/v25.0/900/message_templates", asked.clone()).await;
    assert_eq!(created["status"], "APPROVED");
    let announced = outside.sink.wait("the approval", |posts| posts.first().cloned()).await;
    let change = &announced.json["entry"][0]["changes"][0];
    assert_eq!(change["field"], "message_template_status_update");
    assert_eq!(change["value"]["message_template_id"].as_u64().unwrap().to_string(), created["id"]);

    outside.sent(template("pickup", json!([body(&["noon"])]))).await;
    assert_eq!(outside.inbox(PHONE, 1).await[0]["text"], "Pick up at noon.");
    let (status, twice) = outside.call("POST", "/v25.0/900/message_templates", Some(asked)).await;
    assert_eq!((status, twice["error"]["error_subcode"].as_i64()), (400, Some(2_388_024)));

    let path = "/v25.0/900/message_templates?name=pickup";
    assert_eq!(outside.call("DELETE", path, None).await.0, 200);
    assert_eq!(outside.call("DELETE", path, None).await.0, 400);
    assert_eq!(outside.refused(template("pickup", json!([body(&["noon"])]))).await.1, 132_001);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_one_time_code_has_the_words_of_meta_and_goes_to_numbers_only() {
    let outside = Outside::start().await;
    let asked = json!({"name": "code", "language": "en", "category": "AUTHENTICATION", "components": [
        {"type": "BODY", "add_security_recommendation": true},
        {"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy code"}]},
    ]});
    outside.post("/v25.0/900/message_templates", asked).await;
    let listed = outside.get("/v25.0/900/message_templates?name=code").await;
    let parts = &listed["data"][0]["components"];
    assert_eq!(parts[0]["text"], "*{{1}}* is your verification code.");
    assert_eq!(parts[1]["buttons"][0]["type"], "URL");
    let filled = button("url", "0", json!({"type": "text", "text": "0815"}));
    let mut message = template("code", json!([body(&["0815"]), filled]));
    outside.sent(message.clone()).await;
    assert_eq!(outside.inbox(PHONE, 1).await[0]["text"], "*0815* is your verification code.");

    let phone = outside.get(&format!("/phones/{PHONE}")).await;
    message["to"] = Value::Null;
    message["recipient"] = phone["userId"].clone();
    assert_eq!(outside.refused(message.clone()).await.1, 131_062);
    message["template"] = json!({"name": "welcome", "language": {"code": "en"}});
    outside.sent(message).await;
}
