//! Requests about plugins, and the texts of their answers.

use harness::{SharedPatchbay, TestClient, guest};
use serde_json::{Value, json};

use crate::plugin_uploads::{PLUGINS, bot};

async fn shop() -> (SharedPatchbay, TestClient) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.upload("shop", bot(1)).await;
    (patchbay, client)
}

#[tokio::test]
async fn a_field_that_no_call_has_is_refused_by_its_name() {
    let (_patchbay, client) = shop().await;
    for (call, field) in [
        ("activate", "percentage"),
        ("activate", "allowed_hosts"),
        ("activate", "whatsappNumberId"),
        ("rollback", "number"),
        ("deactivate", "mode"),
        ("invoke", "sessions"),
        ("recording", "max_calls"),
        ("replay", "first"),
    ] {
        let reply = client.post(&format!("{PLUGINS}/shop/{call}"), &json!({ field: 5 })).await;
        assert_eq!((reply.status, reply.faulty_fields()), (400, vec![field.to_owned()]), "{call}: {}", reply.text);
        let names_the_right_one = ["expected", "did you mean"].iter().any(|said| reply.text.contains(said));
        assert!(reply.text.contains("is not a field here") && names_the_right_one, "{call}: {}", reply.text);
    }
    assert_eq!(client.in_force("shop").await, Vec::<Value>::new(), "nothing went live");
}

#[tokio::test]
async fn canary_fields_are_refused_in_other_modes() {
    let (_patchbay, client) = shop().await;
    let activate = async |body: Value| client.post(&format!("{PLUGINS}/shop/activate"), &body).await;
    for (body, fields) in [
        (json!({ "percent": 5 }), vec!["percent"]),
        (json!({ "mode": "live", "percent": 99 }), vec!["percent"]),
        (json!({ "mode": "shadow", "percent": 5, "errorThreshold": 1 }), vec!["percent", "errorThreshold"]),
        (json!({ "minimumCalls": 3 }), vec!["minimumCalls"]),
    ] {
        let reply = activate(body.clone()).await;
        assert_eq!(
            (reply.status, reply.faulty_fields()),
            (400, fields.iter().map(|f| (*f).to_owned()).collect()),
            "{body}"
        );
        assert!(reply.text.contains("canary"), "{}", reply.text);
    }
    assert_eq!(client.in_force("shop").await, Vec::<Value>::new());
    assert_eq!(activate(json!({ "percent": 100 })).await.status, 200, "a live version is live for all of them");
    assert_eq!(activate(json!({ "mode": "canary", "percent": 5, "config": { "a": 1 } })).await.status, 200);
}

#[tokio::test]
async fn an_activation_reports_the_values_kept_from_the_previous_one() {
    let (_patchbay, client) = shop().await;
    client.upload("shop", bot(2)).await;
    let activate = async |body: Value| client.post(&format!("{PLUGINS}/shop/activate"), &body).await.ok();
    let first = activate(json!({ "version": 1, "config": { "a": 1 }, "allowedHosts": ["api.example.org"] })).await;
    assert_eq!(first["kept"], json!([]));

    let second = activate(json!({ "version": 2 })).await;
    assert_eq!(second["kept"], json!(["config", "allowedHosts"]));
    assert_eq!((&second["config"], &second["allowedHosts"]), (&json!({ "a": 1 }), &json!(["api.example.org"])));

    let third = activate(json!({ "version": 1, "allowedHosts": [] })).await;
    assert_eq!(
        (&third["kept"], &third["allowedHosts"]),
        (&json!(["config"]), &json!([])),
        "an empty list takes them away"
    );
    let again = activate(json!({ "version": 1, "allowedHosts": [] })).await;
    assert_eq!((&again["kept"], &again["id"]), (&json!(["config"]), &third["id"]), "a repeated one says it too");
}

#[tokio::test]
async fn an_unresolved_name_is_not_cached() {
    let (_patchbay, client) = shop().await;
    for list in ["invocations", "events", "differences", "recordings"] {
        assert_eq!(client.get(&format!("{PLUGINS}/nobody/{list}")).await.status, 404, "{list}");
        assert_eq!(client.get(&format!("{PLUGINS}/shop/{list}")).await.status, 200, "{list}");
    }
}

#[tokio::test]
async fn an_unknown_outcome_or_mode_is_refused_with_the_allowed_ones() {
    let (_patchbay, client) = shop().await;
    let list = async |query: &str| client.get(&format!("{PLUGINS}/shop/invocations?{query}")).await;
    for (query, field, valid) in [
        ("outcome=nonsense", "outcome", "answered, refused, trapped, timed-out, limit-exceeded, bad-answer"),
        ("outcome=Answered", "outcome", "not-started"),
        ("mode=dead", "mode", "live, shadow, canary"),
    ] {
        let reply = list(query).await;
        assert_eq!((reply.status, reply.faulty_fields()), (400, vec![field.to_owned()]), "{query}");
        assert!(reply.text.contains(valid), "{query}: {}", reply.text);
    }
    for query in ["outcome=trapped&mode=canary", "outcome=not-started", "outcome=key-values-unavailable", "outcome="] {
        assert_eq!(list(query).await.status, 200, "{query}");
    }
}

#[tokio::test]
async fn a_call_has_the_same_form_in_every_answer() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.install("hostile", guest("hostile-bot")).await;
    client.post(&format!("{PLUGINS}/hostile/recording"), &json!({})).await.ok();
    let phone = patchbay.new_phone();
    phone.write(&client.number, "log 5").await;
    let line = json!([{ "level": "info", "message": "xxxxx" }]);

    let is_it = |entry: &Value| entry["logs"].as_array().is_some_and(|lines| !lines.is_empty());
    let invocation = client.keeps("hostile", "invocations", is_it).await;
    assert_eq!(invocation["logs"], json!(["info: xxxxx"]));
    assert_eq!(invocation["version"], json!(1));

    let body = json!({ "event": { "text": "log 5" } });
    let invoked = client.post(&format!("{PLUGINS}/hostile/invoke"), &body).await.ok();
    assert_eq!(invoked["logs"], line);
    let failed = json!({ "event": { "text": "panic" } });
    let failed = client.post(&format!("{PLUGINS}/hostile/invoke"), &failed).await.ok();
    assert_eq!((&failed["error"]["kind"], &failed["logs"]), (&json!("trapped"), &json!([])));

    let is_it = |entry: &Value| entry["recording"]["result"]["logs"] == line;
    let recorded = client.keeps("hostile", "recordings", is_it).await;
    let recording = &recorded["recording"];
    assert_eq!(recording["config"], json!({}));
    assert_eq!(recording["question"]["event"]["message"]["content"]["text"], "log 5");
    assert_eq!(recording["result"]["actions"][0]["type"], "reply-text");
    for rust in ["ReplyText", "\"Info\"", "Participant\"", "{\\\""] {
        assert!(!recorded.to_string().contains(rust), "{rust} in {recorded}");
    }

    let page = client.get(&format!("{PLUGINS}/hostile/recordings?form=exact")).await.ok();
    let exact = page["content"].as_array().unwrap().iter().find(|entry| entry["id"] == recorded["id"]).unwrap();
    assert!(exact["recording"]["result"].as_str().unwrap().contains("\"Info\""), "as it is kept: {exact}");
    let other = client.get(&format!("{PLUGINS}/hostile/recordings?subjectId=nobody")).await;
    assert_eq!(other.faulty_fields(), ["subjectId"], "{}", other.text);
    let none = client.get(&format!("{PLUGINS}/hostile/recordings?subjectId={}", uuid::Uuid::nil())).await.ok();
    assert_eq!(none["totalElements"], 0, "{none}");
    let other = client.get(&format!("{PLUGINS}/hostile/recordings?form=pretty")).await;
    assert_eq!(other.faulty_fields(), ["form"]);
}
