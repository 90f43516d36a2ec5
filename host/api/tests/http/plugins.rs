//! Plugins (CONTRACT 6), with the components that ship with the program.

use serde_json::{Value, json};

use super::service::{Call, Options, Service};

const BASE: &str = "/plugin-service/api/v1/plugins";

async fn service() -> Service {
    Service::with(Options { built_ins: true, ..Options::default() }).await
}

#[tokio::test]
async fn plugins_are_listed_by_name_with_their_facts() {
    let service = service().await;
    let body = service.get(&format!("{BASE}?size=100")).await.json();
    let names: Vec<&str> =
        body["content"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && names.contains(&"default-chatbot"), "{names:?}");
    let one = service.get(&format!("{BASE}/default-chatbot")).await.json();
    assert_eq!((&one["world"], &one["state"], &one["activations"]), (&json!("chatbot"), &json!("READY"), &json!([])));
    assert_eq!(one["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(service.get(&format!("{BASE}/nothing")).await.error().0, 404);
}

#[tokio::test]
async fn a_plugin_is_activated_and_deactivated() {
    let service = service().await;
    let answer = service.post(&format!("{BASE}/default-chatbot/activate"), &json!({"mode": "live"})).await;
    let mut activation = answer.json();
    assert_eq!(answer.status, 200, "{activation}");
    assert_eq!(activation.as_object_mut().unwrap().remove("kept"), Some(json!([])));
    assert_eq!(activation.as_object_mut().unwrap().remove("replaced"), Some(Value::Null));
    assert_eq!((&activation["mode"], &activation["whatsAppNumberId"]), (&json!("live"), &Value::Null));
    let one = service.get(&format!("{BASE}/default-chatbot")).await.json();
    assert_eq!(one["activations"], json!([activation]));

    let off = || Call::post(&format!("{BASE}/default-chatbot/deactivate"), "").key(&service.key);
    let answer = service.send(off()).await;
    assert_eq!((answer.status.as_u16(), answer.bytes.len()), (204, 0));
    assert_eq!(service.send(off()).await.error().0, 404);
}

#[tokio::test]
async fn a_plugin_is_activated_for_one_of_the_clients_numbers() {
    let service = service().await;
    let path = format!("{BASE}/default-chatbot/activate");
    let of = |id: String| json!({"whatsAppNumberId": id, "config": {"greeting": "Hi"}});
    assert_eq!(service.post(&path, &of(service.number.id.to_string())).await.status, 200);
    for not_yours in ["nonsense".to_owned(), service.number.link_id.to_string()] {
        assert_eq!(service.post(&path, &of(not_yours)).await.field(), "whatsAppNumberId");
    }
}

#[tokio::test]
async fn a_configuration_that_the_plugin_refuses_at_run_time_is_refused_at_activation() {
    let service = service().await;
    let topic = |id: &str, title: &str| json!({"id": id, "title": title, "answer": "Yes"});
    for (plugin, config, field) in [
        ("default-chatbot", json!({"hours": {"monday": ["25:00-26:00"]}}), "hours/monday/0"),
        ("default-chatbot", json!({"hours": {"monday": ["24:00-08:00"]}}), "hours/monday/0"),
        ("default-chatbot", json!({"hours": {"sunday": ["08:00-08:00"]}}), "hours/sunday/0"),
        ("default-chatbot", json!({"personTitle": "A title of 24 characters"}), "personTitle"),
        ("default-chatbot", json!({"topics": [topic("a", "A title of 24 characters")]}), "topics/0/title"),
        ("default-chatbot", json!({"topics": [topic("a", "One"), topic("a", "Two")]}), "topics/1/id"),
        ("default-chatbot", json!({"topics": [topic("person", "One")]}), "topics/0/id"),
        ("default-chatbot", json!({"topics": [topic("a", " ")]}), "topics/0/title"),
        ("default-chatbot", json!({"greeting": " {name} "}), "greeting"),
        ("default-chatbot", json!({"thanks": " "}), "thanks"),
        ("router", json!({"hours": {"friday": ["12:61-13:00"]}}), "hours/friday/0"),
    ] {
        let answer = service.post(&format!("{BASE}/{plugin}/activate"), &json!({"config": config})).await;
        assert_eq!(answer.status, 400, "{config}");
        assert_eq!(answer.field(), format!("config/{field}"), "{config}");
    }
    let wrong = json!({"thanks": " ", "topics": [topic("a", "One"), topic("a", " ")]});
    let answer = service.post(&format!("{BASE}/default-chatbot/activate"), &json!({"config": wrong})).await;
    let details = answer.json()["details"].as_array().unwrap().clone();
    let fields: Vec<&str> = details.iter().map(|detail| detail["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["config/topics/1/title", "config/topics/1/id", "config/thanks"], "every fault is named");
    for config in [
        json!({}),
        json!({"hours": {"monday": ["8:00 - 24:00"]}}),
        json!({"hours": {"monday": ["17:00 - 08:00"]}}),
        json!({"personTitle": "A title of 24 characters", "topics": [topic("a", "One"), topic("b", "Two")]}),
        json!({"greeting": "{name}, hi"}),
    ] {
        let answer = service.post(&format!("{BASE}/default-chatbot/activate"), &json!({"config": config})).await;
        assert_eq!(answer.status, 200, "{config}: {}", answer.json());
    }
}

#[tokio::test]
async fn each_fault_of_a_flow_is_refused_at_activation_with_its_node_and_field() {
    let service = service().await;
    let path = format!("{BASE}/flow/activate");
    let option = json!({"id": "x", "title": "A title of thirty characters..", "next": "nowhere"});
    let wrong = json!({"start": "a", "nodes": {
        "a": {"type": "menu", "text": "Hi", "options": [option]},
        "b": {"type": "message", "text": "Nobody comes here"},
    }});
    let answer = service.post(&path, &json!({"config": wrong})).await;
    assert_eq!(answer.status, 400);
    let details = answer.json()["details"].to_string();
    for field in
        ["config/nodes/a/options/0/title", "config/nodes/a/options/0/next", "config/nodes/b", "config/nodes/b/next"]
    {
        assert!(details.contains(&format!("\"{field}\"")), "{field}: {details}");
    }
    let unfit = service.post(&path, &json!({"config": {"start": "a", "nodes": {"a": {"type": "letter"}}}})).await;
    assert_eq!((unfit.status.as_u16(), unfit.field()), (400, "config/nodes/a/type".to_owned()));
    assert_eq!(service.post(&path, &json!({})).await.status, 400, "a flow needs a configuration");

    let faq = include_str!("../../../../plugins/flow/flows/faq/flow.json");
    let faq: serde_json::Value = serde_json::from_str(faq).unwrap();
    let answer = service.post(&path, &json!({"config": faq})).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
}

#[tokio::test]
async fn a_version_that_cannot_be_activated_is_refused_with_the_reason() {
    let service = service().await;
    let path = format!("{BASE}/default-chatbot/activate");
    for (body, field) in [
        (json!({"mode": "shadow"}), "mode"),
        (json!({"mode": "canary", "percent": 101}), "percent"),
        (json!({"mode": "dead"}), "mode"),
        (json!({"version": 4711}), "version"),
        (json!({"config": [1]}), "config"),
    ] {
        assert_eq!(service.post(&path, &body).await.field(), field);
    }
    assert_eq!(service.post(&format!("{BASE}/nothing/activate"), &json!({})).await.error().0, 404);
}

#[tokio::test]
async fn calls_of_a_plugin_are_a_page() {
    let service = service().await;
    let body = service.get(&format!("{BASE}/default-chatbot/invocations?outcome=trapped")).await.json();
    assert_eq!((&body["content"], &body["totalElements"]), (&json!([]), &json!(0)));
}
