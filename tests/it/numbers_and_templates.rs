//! Business numbers and the template catalogue (SPEC 2.13, 4.7; PROVIDERS F).

use harness::{SharedPatchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const NUMBERS: &str = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";
const TEMPLATES: &str = "/messaging-service/WhatsApp/templates";
const PHONE: &str = "27829999996";

/// Adds Lite numbers, which need no provider.
fn add_numbers(patchbay: &SharedPatchbay, client: &TestClient, numbers: &[&str]) {
    for number in numbers {
        let line = ["number", "add", "--client", &client.client_ref, "--number", number, "--provider", "WHATSAPP_LITE"];
        patchbay.admin(&line);
    }
}

fn digits(page: &Value) -> Vec<&str> {
    let rows = page["content"].as_array().unwrap();
    rows.iter().map(|row| row["whatsAppNumber"]["number"].as_str().unwrap()).collect()
}

/// The id of the client's business account in the Graph API.
fn account(client: &TestClient) -> String {
    format!("2{}", client.number)
}

#[tokio::test]
async fn a_number_shows_its_link_and_itself() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let page = client.get(NUMBERS).await.ok();

    let row = &page["content"][0];
    assert_eq!(
        row["whatsAppNumber"],
        json!({
            "id": client.number_id, "number": client.number, "whatsAppProvider": "WHATSAPP_CLOUD",
        })
    );
    assert!(row["id"].as_str().unwrap().parse::<uuid::Uuid>().is_ok());
    assert_ne!(row["id"], row["whatsAppNumber"]["id"], "the link has an id of its own");
    assert_eq!(row.as_object().unwrap().len(), 2, "no token, no account: {row}");
}

#[tokio::test]
async fn a_list_is_wrapped_in_a_page() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add_numbers(&patchbay, &client, &["27210000001", "27210000002", "27210000003"]);

    let mut first = client.get(&format!("{NUMBERS}?size=2")).await.ok();
    let last = client.get(&format!("{NUMBERS}?page=1&size=2")).await.ok();
    let beyond = client.get(&format!("{NUMBERS}?page=7&size=2")).await.ok();

    assert_eq!(digits(&first), ["27210000001", "27210000002"]);
    assert_eq!(digits(&last), ["27210000003"]);
    assert_eq!(digits(&beyond), Vec::<&str>::new());
    first.as_object_mut().unwrap().remove("content");
    let shape = json!({ "totalElements": 3, "totalPages": 2, "size": 2, "number": 0, "first": true, "last": false });
    for (name, value) in shape.as_object().unwrap() {
        assert_eq!(first[name], *value, "{name}");
    }
    assert_eq!((&last["first"], &last["last"], &last["number"]), (&json!(false), &json!(true), &json!(1)));
    assert_eq!(client.get(NUMBERS).await.ok()["size"], 10, "unless the caller says");
}

#[tokio::test]
async fn a_search_finds_parts_of_numbers() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add_numbers(&patchbay, &client, &["27310000001", "27310000022", "44310000022"]);

    for (search, expected) in [
        ("0022", vec!["27310000022", "44310000022"]),
        ("2731", vec!["27310000001", "27310000022"]),
        ("%2B27", vec!["27310000001", "27310000022"]),
        ("+27", vec!["27310000001", "27310000022"]),
        ("%2B27%2031%20000%200022", vec!["27310000022"]),
        ("(27)-31.0000%20022", vec!["27310000022"]),
        ("27x31", vec![]),
        ("99", vec![]),
        ("%25", vec![]),
        ("_", vec![]),
        ("", vec!["27310000001", "27310000022", "44310000022"]),
    ] {
        let page = client.get(&format!("{NUMBERS}?searchString={search}")).await.ok();
        assert_eq!(digits(&page), expected, "{search:?}");
        assert_eq!(page["totalElements"], expected.len());
    }
}

#[tokio::test]
async fn an_invalid_page_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (query, field) in [
        ("page=-1", "page"),
        ("page=one", "page"),
        ("page=99999999999", "page"),
        ("size=0", "size"),
        ("size=501", "size"),
        ("size=1.5", "size"),
        ("searchString=%00", "searchString"),
    ] {
        for path in [NUMBERS, TEMPLATES] {
            assert_eq!(client.get(&format!("{path}?{query}")).await.faulty_fields(), [field], "{query}");
        }
    }
    let all_wrong = client.get(&format!("{NUMBERS}?size=0&page=-1&searchString={}", "a".repeat(201))).await;
    assert_eq!(all_wrong.faulty_fields(), ["page", "size", "searchString"]);
}

#[tokio::test]
async fn a_trailing_slash_never_matters() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    assert_eq!(digits(&client.get(&format!("{NUMBERS}/?size=5")).await.ok()), [client.number.as_str()]);
    let sent = client.post("/whatsapp-api-service/v2/channels/whatsapp/", &client.order_ready(&["nobody"])).await;
    assert_eq!(sent.status, 202);
}

#[tokio::test]
async fn a_client_sees_its_own_numbers_and_templates_only() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_bare_client());
    assert_eq!(client.get(NUMBERS).await.ok()["totalElements"], 1);
    assert_eq!(other.get(NUMBERS).await.ok()["totalElements"], 0);
    assert_eq!(other.get(TEMPLATES).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn a_number_that_cannot_be_added_is_refused_with_the_reason() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_bare_client());
    let add = |client_ref: &str, number: &str, more: &[&str]| {
        let mut line = vec!["number", "add", "--client", client_ref, "--number", number, "--provider"];
        line.extend(more);
        patchbay.refused(&line)
    };
    let node = format!("1{}", client.number);
    let taken = ["WHATSAPP_CLOUD", "--phone-number-id", &node, "--waba-id", "9", "--access-token", "t"];

    assert!(add(&client.client_ref, &client.number, &["WHATSAPP_LITE"]).contains("already"));
    assert!(add(&other.client_ref, "27410000001", &taken).contains(&node), "its callbacks would fit two numbers");
    assert!(add(&other.client_ref, "0410000001", &["WHATSAPP_LITE"]).contains("0410000001"));
    assert!(add("no-such-client", "27410000001", &["WHATSAPP_LITE"]).contains("no-such-client"));
    assert!(add(&other.client_ref, "27410000001", &["WHATSAPP_CLOUD"]).contains("--phone-number-id"));
    assert!(add(&other.client_ref, "27410000001", &["TELEGRAM"]).contains("WHATSAPP_LITE"));
    assert_eq!(other.get(NUMBERS).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn the_catalogue_is_listed_as_the_provider_has_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let page = client.get(&format!("{TEMPLATES}?searchString=offer")).await.ok();

    let row = |name: &str| page["content"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
    assert_eq!(page["totalElements"], 2);
    assert_eq!(row("paused_offer")["status"], "PAUSED");
    let rejected = row("rejected_offer");
    assert_eq!((&rejected["status"], &rejected["category"]), (&json!("REJECTED"), &json!("MARKETING")));
    assert_eq!((&rejected["language"], &rejected["wabaId"]), (&json!("en"), &json!(account(&client))));
    assert_eq!(rejected["components"][0]["text"], "An offer you cannot refuse.");
}

#[tokio::test]
async fn a_new_template_can_be_sent_after_a_sync() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let url = format!("{}/v25.0/{}/message_templates", patchbay.simulator_url(), account(&client));
    let components = json!([{ "type": "BODY", "text": "Seats: {{1}}", "example": { "body_text": [["12A"]] } }]);
    let new = json!({ "name": "seats", "language": "en", "category": "UTILITY", "components": components });
    let created: Value =
        patchbay.http.post(url).bearer_auth("t").json(&new).send().await.unwrap().json().await.unwrap();
    let id = created["id"].as_str().expect("the simulator created it");

    let synced = client.request(Method::POST, &format!("{TEMPLATES}/sync"), None, &[]).await.ok();

    assert!(synced["synced"].as_u64().unwrap() >= 12, "{synced}");
    let mut payload = client.template("welcome", &phone.msisdn, json!([{ "type": "body", "parameters": ["14C"] }]));
    payload["templateName"] = json!("seats");
    payload["templateId"] = json!(id);
    client.send(&payload).await.accepted();
    phone.receives("the new template", |message| message["text"] == "Seats: 14C").await;
}

#[tokio::test]
async fn a_template_that_the_provider_pauses_is_refused_soon() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    assert_eq!(client.send(&client.order_ready(&["nobody"])).await.status, 202);
    let event =
        json!({ "type": "template_status", "wabaId": account(&client), "name": "order_ready", "event": "PAUSED" });

    patchbay.simulate("/simulator/events", &event).await;

    let refused = eventually("the catalogue to follow", || async {
        let reply = client.send(&client.order_ready(&["nobody"])).await;
        (reply.status == 400).then_some(reply)
    })
    .await;
    assert_eq!(refused.faulty_fields(), ["templateId"]);
    assert!(refused.text.contains("PAUSED"), "{}", refused.text);
}

#[tokio::test]
async fn a_template_that_is_gone_from_the_provider_is_gone_after_a_sync() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let url = format!("{}/v25.0/{}/message_templates?name=order_ready", patchbay.simulator_url(), account(&client));
    assert!(patchbay.http.delete(url).bearer_auth("t").send().await.unwrap().status().is_success());

    client.request(Method::POST, &format!("{TEMPLATES}/sync"), None, &[]).await.ok();

    assert_eq!(client.send(&client.order_ready(&[PHONE])).await.faulty_fields(), ["templateId"]);
}
