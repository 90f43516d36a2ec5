//! Attributes of contacts: definitions, values, chatbots, merges and erasure (ADR 0071).

use harness::{ClientReply, SharedPatchbay, TestClient, TestPhone, eventually, guest};
use reqwest::Method;
use serde_json::{Value, json};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";
const ATTRIBUTES: &str = "/messaging-service/WhatsApp/contact-attributes";
const CHATS: &str = "/chat-service/api/v2/chats";
const BOT: &str = "errands";

async fn define(client: &TestClient, name: &str, body: &Value) -> ClientReply {
    client.request(Method::PUT, &format!("{ATTRIBUTES}/{name}"), Some(body), &[]).await
}

/// `plan` (gold, silver), `visits`, `vip` and `city`.
async fn define_some(client: &TestClient) {
    for (name, kind) in [("visits", "NUMBER"), ("vip", "BOOLEAN"), ("city", "TEXT"), ("born", "DATE")] {
        let defined = define(client, name, &json!({ "label": name, "type": kind })).await;
        assert_eq!(defined.status, 201, "{}", defined.text);
    }
    let plan = json!({ "label": "Plan", "type": "CHOICE", "choices": ["gold", "silver"] });
    assert_eq!(define(client, "plan", &plan).await.status, 201);
}

async fn contact(client: &TestClient, name: &str, number: &str) -> String {
    let made = client.post(CONTACTS, &json!({ "fullName": name, "phoneNumber": number })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()["id"].as_str().unwrap().to_owned()
}

async fn set(client: &TestClient, contact: &str, attributes: &Value) -> ClientReply {
    let path = format!("{CONTACTS}/{contact}/attributes");
    client.request(Method::PUT, &path, Some(&json!({ "attributes": attributes })), &[]).await
}

async fn values(client: &TestClient, contact: &str) -> Value {
    client.get(&format!("{CONTACTS}/{contact}/attributes")).await.ok()["attributes"].clone()
}

async fn remove(client: &TestClient, path: &str) -> u16 {
    client.request(Method::DELETE, path, None, &[]).await.status
}

#[tokio::test]
async fn an_attribute_is_defined_replaced_listed_and_deleted_with_its_values() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let silver = json!({ "label": "Plan", "type": "CHOICE", "choices": ["silver"] });
    let made = define(&client, "plan", &silver).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.json(), json!({ "name": "plan", "label": "Plan", "type": "CHOICE", "choices": ["silver"] }));
    let thandi = contact(&client, "Thandi", "27820000001").await;
    set(&client, &thandi, &json!({ "plan": "silver" })).await.ok();

    let gold = json!({ "label": "Tariff", "type": "CHOICE", "choices": ["gold"] });
    assert_eq!(define(&client, "plan", &gold).await.status, 200);
    assert_eq!(values(&client, &thandi).await, json!({ "plan": "silver" }), "it stays, and cannot be set again");
    assert_eq!(set(&client, &thandi, &json!({ "plan": "silver" })).await.faulty_fields(), ["attributes.plan"]);
    let other_type = define(&client, "plan", &json!({ "label": "Plan", "type": "TEXT" })).await;
    assert_eq!(other_type.status, 409, "{}", other_type.text);
    define(&client, "age", &json!({ "label": "Age", "type": "NUMBER" })).await;
    let listed = client.get(ATTRIBUTES).await.ok();
    let age = json!({ "name": "age", "label": "Age", "type": "NUMBER", "choices": [] });
    let plan = json!({ "name": "plan", "label": "Tariff", "type": "CHOICE", "choices": ["gold"] });
    assert_eq!(listed, json!({ "attributes": [age, plan] }));

    assert_eq!(remove(&client, &format!("{ATTRIBUTES}/plan")).await, 204);
    assert_eq!(remove(&client, &format!("{ATTRIBUTES}/plan")).await, 404);
    assert_eq!(remove(&client, &format!("{ATTRIBUTES}/No%20Name")).await, 404);
    assert_eq!(values(&client, &thandi).await, json!({}));
    let text = json!({ "label": "Plan", "type": "TEXT" });
    assert_eq!(define(&client, "plan", &text).await.status, 201);
    assert_eq!(values(&client, &thandi).await, json!({}), "the values of the former one are gone");
}

#[tokio::test]
async fn a_wrong_definition_is_refused_with_its_field() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (name, body, fields) in [
        ("Plan", json!({ "label": "Plan", "type": "TEXT" }), vec!["name"]),
        (&*"a".repeat(41), json!({ "label": "Plan", "type": "TEXT" }), vec!["name"]),
        ("plan", json!({}), vec!["label", "type"]),
        ("plan", json!({ "label": "", "type": "LIST" }), vec!["label", "type"]),
        ("plan", json!({ "label": "Plan", "type": "CHOICE" }), vec!["choices"]),
        ("plan", json!({ "label": "Plan", "type": "DATE", "choices": ["a"] }), vec!["choices"]),
        ("plan", json!({ "label": "Plan", "type": "CHOICE", "choices": ["a", "a"] }), vec!["choices[1]"]),
        ("plan", json!({ "label": "Plan", "type": "TEXT", "name": "plan" }), vec!["name"]),
    ] {
        assert_eq!(define(&client, name, &body).await.faulty_fields(), fields, "{name} {body}");
    }
    assert_eq!(client.get(ATTRIBUTES).await.ok(), json!({ "attributes": [] }));
}

#[tokio::test]
async fn a_client_has_50_attributes_at_most() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let text = json!({ "label": "A", "type": "TEXT" });
    for at in 0..50 {
        assert_eq!(define(&client, &format!("a-{at}"), &text).await.status, 201);
    }
    let refused = define(&client, "b", &text).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(define(&client, "a-0", &text).await.status, 200);
    assert_eq!(remove(&client, &format!("{ATTRIBUTES}/a-1")).await, 204);
    assert_eq!(define(&client, "b", &text).await.status, 201);
}

#[tokio::test]
async fn values_are_set_removed_and_shown_with_the_contact() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    define_some(&client).await;
    let thandi = contact(&client, "Thandi", "27820000001").await;
    let all = json!({ "plan": "gold", "visits": 7, "vip": false, "city": "Durban", "born": "1990-05-31" });
    assert_eq!(set(&client, &thandi, &all).await.ok(), json!({ "attributes": all }));
    let changed = set(&client, &thandi, &json!({ "visits": 7.5, "city": null, "vip": null })).await.ok();
    let left = json!({ "plan": "gold", "visits": 7.5, "born": "1990-05-31" });
    assert_eq!(changed, json!({ "attributes": left }));
    assert_eq!(values(&client, &thandi).await, left);
    contact(&client, "Sipho", "27820000002").await;
    let page = client.get(CONTACTS).await.ok();
    assert_eq!((&page["content"][0]["attributes"], &page["content"][1]["attributes"]), (&json!({}), &left));
    let path = format!("{CONTACTS}/{thandi}");
    let renamed = client.request(Method::PUT, &path, Some(&json!({ "fullName": "T" })), &[]).await.ok();
    assert_eq!(renamed["attributes"], left);

    assert_eq!(remove(&client, &path).await, 204);
    let again = contact(&client, "Thandi", "27820000001").await;
    assert_eq!(values(&client, &again).await, left, "they belong to the customer");
}

#[tokio::test]
async fn a_wrong_value_is_refused_with_its_name_and_nothing_is_stored() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    define_some(&client).await;
    let thandi = contact(&client, "Thandi", "27820000001").await;
    for (name, good, bad) in [
        (
            "city",
            vec![json!("é".repeat(1_000))],
            vec![json!("é".repeat(1_001)), json!(" "), json!(7), json!(["Durban"])],
        ),
        (
            "visits",
            vec![json!(9_007_199_254_740_991_i64)],
            vec![json!(9_007_199_254_740_992_i64), json!("7"), json!(true)],
        ),
        ("vip", vec![json!(true)], vec![json!("true"), json!(1)]),
        (
            "born",
            vec![json!("0001-01-01"), json!("9999-12-31")],
            vec![json!("31.5.1990"), json!("2023-02-29"), json!(7)],
        ),
        ("plan", vec![json!("silver")], vec![json!("Silver"), json!(""), json!({})]),
    ] {
        for value in bad {
            let refused = set(&client, &thandi, &json!({ name: value, "unknown": 1 })).await;
            let mut expected = [format!("attributes.{name}"), "attributes.unknown".to_owned()];
            expected.sort();
            assert_eq!(refused.faulty_fields(), expected, "{value}");
        }
        assert_eq!(values(&client, &thandi).await[name], Value::Null);
        for value in good {
            assert_eq!(set(&client, &thandi, &json!({ name: value })).await.ok()["attributes"][name], value);
        }
    }
    let path = format!("{CONTACTS}/{thandi}/attributes");
    let put = async |body: Value| client.request(Method::PUT, &path, Some(&body), &[]).await.faulty_fields();
    assert_eq!(put(json!({})).await, ["attributes"]);
    assert_eq!(put(json!({ "attributes": [] })).await, ["attributes"]);
}

#[tokio::test]
async fn clients_have_attributes_of_their_own() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    define_some(&client).await;
    assert_eq!(define(&other, "city", &json!({ "label": "City", "type": "NUMBER" })).await.status, 201);
    let (ours, theirs) = (contact(&client, "A", "27820000001").await, contact(&other, "B", "27820000001").await);
    set(&client, &ours, &json!({ "city": "Durban" })).await.ok();
    assert_eq!(values(&other, &theirs).await, json!({}));
    assert_eq!(set(&other, &theirs, &json!({ "plan": "gold" })).await.faulty_fields(), ["attributes.plan"]);
    assert_eq!(set(&other, &ours, &json!({ "city": 1 })).await.status, 404);
    assert_eq!(remove(&other, &format!("{ATTRIBUTES}/city")).await, 204);
    assert_eq!(values(&client, &ours).await, json!({ "city": "Durban" }));
}

#[tokio::test]
async fn an_agent_sets_values_and_a_masked_one_sees_neither_texts_nor_numbers_nor_dates() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    define_some(&client).await;
    let thandi = contact(&client, "Thandi", "27820000001").await;
    let user = patchbay.new_user(&client.client_ref, &format!("agent@{}.example", client.client_ref), "AGENT");
    let mut agent = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
    let all = json!({ "plan": "gold", "visits": 7, "vip": true, "city": "Durban", "born": "1990-05-31" });
    assert_eq!(set(&agent, &thandi, &all).await.ok()["attributes"], all);
    assert_eq!(agent.get(ATTRIBUTES).await.ok()["attributes"].as_array().unwrap().len(), 5);
    assert_eq!(define(&agent, "x", &json!({ "label": "X", "type": "TEXT" })).await.status, 403);

    let masked = json!({ "popiaCompliant": true });
    client.request(Method::PUT, "/api/v1/clients/me/popia-compliance", Some(&masked), &[]).await.ok();
    let shown = json!({ "plan": "gold", "visits": null, "vip": true, "city": null, "born": null });
    assert_eq!(values(&agent, &thandi).await, shown);
    assert_eq!(agent.get(CONTACTS).await.ok()["content"][0]["attributes"], shown);
    assert_eq!(set(&agent, &thandi, &json!({ "vip": false })).await.ok()["attributes"]["city"], Value::Null);
    assert_eq!(values(&client, &thandi).await["city"], "Durban");
}

#[tokio::test]
async fn a_merge_shows_the_newest_values_and_an_undo_gives_each_contact_its_own() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    define_some(&client).await;
    let kept = contact(&client, "Thandi", "27820000001").await;
    let second = contact(&client, "Mokoena", "27820000002").await;
    set(&client, &second, &json!({ "plan": "silver", "visits": 2 })).await.ok();
    set(&client, &kept, &json!({ "plan": "gold", "city": "Durban" })).await.ok();
    let merges = format!("{CONTACTS}/{kept}/merges");
    assert_eq!(client.post(&merges, &json!({ "contactId": second })).await.status, 201);
    let both = json!({ "plan": "gold", "city": "Durban", "visits": 2 });
    for id in [&kept, &second] {
        assert_eq!(values(&client, id).await, both);
    }
    assert_eq!(client.get(CONTACTS).await.ok()["content"][0]["attributes"], both);
    set(&client, &second, &json!({ "vip": true })).await.ok();

    assert_eq!(remove(&client, &format!("{merges}/{second}")).await, 204);
    assert_eq!(values(&client, &kept).await, json!({ "plan": "gold", "city": "Durban", "vip": true }));
    assert_eq!(values(&client, &second).await, json!({ "plan": "silver", "visits": 2 }));
}

#[tokio::test]
async fn an_export_has_the_values_of_a_person_and_an_erasure_deletes_them_and_no_others() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    define_some(&client).await;
    let thandi = contact(&client, "Thandi", "27820000001").await;
    let sipho = contact(&client, "Sipho", "27820000002").await;
    set(&client, &thandi, &json!({ "city": "Durban" })).await.ok();
    set(&client, &sipho, &json!({ "city": "Pretoria" })).await.ok();
    let person = json!({ "phoneNumber": "27820000001" });
    let export = client.post("/chat-service/api/v2/people/export", &person).await.ok().to_string();
    assert!(export.contains("contact_attribute_value") && export.contains("Durban"), "{export}");
    assert!(!export.contains("Pretoria"), "{export}");
    client.post("/chat-service/api/v2/people/erase", &person).await.ok();
    let again = contact(&client, "Thandi", "27820000001").await;
    assert_eq!(values(&client, &again).await, json!({}));
    assert_eq!(values(&client, &sipho).await, json!({ "city": "Pretoria" }));
}

async fn asks(phone: &TestPhone, client: &TestClient, text: &str, answer: &str) {
    phone.write(&client.number, text).await;
    phone.receives(answer, |message| message["text"] == answer).await;
}

async fn chat(client: &TestClient) -> Value {
    let page = client.get(&format!("{CHATS}?scope=all")).await.ok();
    page["content"][0].clone()
}

#[tokio::test]
async fn a_chatbot_reads_and_sets_the_attributes_of_its_customer() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    define_some(&client).await;
    client.install(BOT, guest("errand-bot")).await;
    let phone = patchbay.new_phone();
    asks(&phone, &client, "attributes", "no attributes").await;
    asks(&phone, &client, "attribute plan choice gold", "set").await;
    phone.write(&client.number, "attribute visits number 7").await;
    phone.write(&client.number, "attributes").await;
    phone.receives("both", |message| message["text"] == "plan=gold, visits=7").await;

    let id = chat(&client).await["id"].as_str().unwrap().to_owned();
    let panel = client.get(&format!("{CHATS}/{id}/customer")).await.ok();
    assert_eq!(json!([panel["contactId"], panel["attributes"]]), json!([null, { "plan": "gold", "visits": 7 }]));
    let thandi = contact(&client, "Thandi", &phone.msisdn).await;
    assert_eq!(values(&client, &thandi).await, json!({ "plan": "gold", "visits": 7 }));
    set(&client, &thandi, &json!({ "born": "1990-05-31", "visits": null })).await.ok();
    phone.write(&client.number, "attributes").await;
    phone.receives("the change", |message| message["text"] == "born=1990-05-31, plan=gold").await;
}

#[tokio::test]
async fn an_unknown_attribute_or_another_type_gives_the_chat_to_people_with_a_reason_for_the_author() {
    let patchbay = SharedPatchbay::with_guests().await;
    for (text, said) in [
        ("attribute height number 180", "contacts have no attribute `height`; define it first"),
        ("attribute plan choice bronze", "`plan` must be one of `gold`, `silver`"),
        ("attribute vip text yes", "`vip` must be a BOOLEAN; the value is a TEXT"),
    ] {
        let client = patchbay.new_client().await;
        define_some(&client).await;
        client.install(BOT, guest("errand-bot")).await;
        let phone = patchbay.new_phone();
        phone.write(&client.number, text).await;
        let call = client.keeps(BOT, "invocations", |call| call["outcome"] == "bad-answer").await;
        assert!(call["error"].as_str().unwrap().contains(said), "{call}");
        let queued = || async {
            let chat = chat(&client).await;
            chat["queuedReason"].as_str().is_some_and(|reason| reason.contains(said)).then_some(())
        };
        eventually("the chat in the queue", queued).await;
        assert!(phone.inbox().await.is_empty(), "nothing of the answer is carried out");
    }
}
