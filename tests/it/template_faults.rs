//! Template sends that are refused as a whole: 400 with the faulty field, and nothing stored (SPEC 2.3, DESIGN 6).

use harness::{SharedPatchbay, TestClient};
use serde_json::{Value, json};

const PHONE: &str = "27829999999";
const IMAGE: &str = "https://files.example/a.png";

/// Sends a payload that must be refused. Returns the (field, message) pairs of the refusal.
async fn refused(patchbay: &SharedPatchbay, client: &TestClient, payload: &Value) -> Vec<(String, String)> {
    let before = patchbay.rows_of(&client.client_ref).await;
    let reply = client.send(payload).await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before, "something was stored");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let details = reply.json()["details"].as_array().unwrap().clone();
    details.iter().map(|detail| (text(&detail["field"]), text(&detail["message"]))).collect()
}

/// The only faulty field of a template send with these components, and its message.
async fn fault(template: &str, components: Value) -> (String, String) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut faults = refused(&patchbay, &client, &client.template(template, PHONE, components)).await;
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[tokio::test]
async fn a_paused_template_is_refused() {
    let (field, message) = fault("paused_offer", json!([])).await;
    assert_eq!(field, "templateId");
    assert!(message.contains("PAUSED"), "{message}");
}

#[tokio::test]
async fn a_rejected_template_is_refused() {
    let (field, message) = fault("rejected_offer", json!([])).await;
    assert_eq!(field, "templateId");
    assert!(message.contains("REJECTED"), "{message}");
}

#[tokio::test]
async fn an_unknown_template_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut payload = client.order_ready(&[PHONE]);
    payload["templateId"] = json!("1");

    assert_eq!(refused(&patchbay, &client, &payload).await[0].0, "templateId");
}

#[tokio::test]
async fn a_template_of_another_client_is_as_unknown_as_any_other() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_client().await);
    let mut payload = client.order_ready(&[PHONE]);
    payload["templateId"] = json!("1");
    let unknown = refused(&patchbay, &client, &payload).await;
    payload["templateId"] = json!(other.template_id("order_ready"));

    assert_eq!(refused(&patchbay, &client, &payload).await, unknown);
}

#[tokio::test]
async fn a_name_that_is_not_that_of_the_id_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut payload = client.order_ready(&[PHONE]);
    payload["templateName"] = json!("welcome");

    assert_eq!(refused(&patchbay, &client, &payload).await[0].0, "templateName");
}

#[tokio::test]
async fn a_notification_needs_both_name_and_id() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut payload = client.order_ready(&[PHONE]);
    payload.as_object_mut().unwrap().remove("templateName");
    payload.as_object_mut().unwrap().remove("templateId");

    let fields: Vec<String> = refused(&patchbay, &client, &payload).await.into_iter().map(|(field, _)| field).collect();

    assert_eq!(fields, ["templateName", "templateId"]);
}

#[tokio::test]
async fn a_missing_body_component_is_named_with_the_placeholders() {
    let (field, message) = fault("order_ready", json!([{ "type": "button", "parameters": ["42"] }])).await;
    assert_eq!(field, "messages[0].components");
    assert!(message.contains("`body`") && message.contains("{{2}}"), "{message}");
}

#[tokio::test]
async fn a_wrong_number_of_body_parameters_is_named() {
    for wrong in [json!(["Thandi"]), json!(["Thandi", "#42", "more"]), json!([])] {
        let components = json!([{ "type": "button", "parameters": ["42"] }, { "type": "body", "parameters": wrong }]);
        let (field, message) = fault("order_ready", components).await;
        assert_eq!(field, "messages[0].components[1].parameters");
        assert!(message.contains("takes 2"), "{message}");
    }
}

#[tokio::test]
async fn a_missing_header_component_is_named() {
    let (field, message) = fault("invoice", json!([{ "type": "body", "parameters": ["INV-7"] }])).await;
    assert_eq!(field, "messages[0].components");
    assert!(message.contains("`header`") && message.contains("DOCUMENT"), "{message}");
}

#[tokio::test]
async fn a_header_of_another_format_is_named() {
    let components = json!([
        { "type": "header", "format": "IMAGE", "url": IMAGE },
        { "type": "body", "parameters": ["INV-7"] },
    ]);
    let (field, message) = fault("invoice", components).await;
    assert_eq!(field, "messages[0].components[0].format");
    assert!(message.contains("IMAGE") && message.contains("DOCUMENT"), "{message}");
}

#[tokio::test]
async fn a_header_without_its_link_is_named() {
    let body = json!({ "type": "body", "parameters": ["shoes"] });
    let (field, _) = fault("promo_image", json!([{ "type": "header", "format": "IMAGE" }, body])).await;
    assert_eq!(field, "messages[0].components[0].url");
}

#[tokio::test]
async fn a_header_whose_link_is_no_address_is_named() {
    for url in ["shoes.png", "ftp://files.example/a.png", "file:///etc/passwd", "https://user:pw@files.example/a.png"] {
        let header = json!({ "type": "header", "format": "IMAGE", "url": url });
        let (field, _) = fault("promo_image", json!([header, { "type": "body", "parameters": ["shoes"] }])).await;
        assert_eq!(field, "messages[0].components[0].url", "{url}");
    }
}

#[tokio::test]
async fn a_component_that_the_template_does_not_have_is_named() {
    let components = json!([
        { "type": "body", "parameters": ["Thandi", "#42"] },
        { "type": "button", "parameters": ["42"] },
        { "type": "header", "format": "IMAGE", "url": IMAGE },
    ]);
    let (field, _) = fault("order_ready", components).await;
    assert_eq!(field, "messages[0].components[2]");
    let (field, _) = fault("welcome", json!([{ "type": "carousel", "cards": [] }])).await;
    assert_eq!(field, "messages[0].components[0]");
}

#[tokio::test]
async fn a_missing_button_component_is_named_where_a_button_is_dynamic() {
    let (field, message) = fault("order_ready", json!([{ "type": "body", "parameters": ["Thandi", "#42"] }])).await;
    assert_eq!(field, "messages[0].components");
    assert!(message.contains("`button`"), "{message}");
    let (field, _) = fault("coupon", json!([])).await;
    assert_eq!(field, "messages[0].components");
}

#[tokio::test]
async fn a_wrong_number_of_button_parameters_is_named() {
    let (field, _) = fault("coupon", json!([{ "type": "button", "parameters": ["A", "B"] }])).await;
    assert_eq!(field, "messages[0].components[0].parameters");
    let effects = json!([{ "payload": "A" }, { "payload": "B" }, { "payload": "C" }]);
    let (field, _) = fault("survey", json!([{ "type": "button", "conversationParameters": effects }])).await;
    assert_eq!(field, "messages[0].components[0].conversationParameters");
}

#[tokio::test]
async fn a_carousel_needs_its_component_and_as_many_cards_as_the_template_has() {
    let (field, message) = fault("summer_carousel", json!([])).await;
    assert_eq!(field, "messages[0].components");
    assert!(message.contains("`carousel`"), "{message}");
    let (field, _) = fault("summer_carousel", json!([{ "type": "carousel", "cards": [{ "components": [] }] }])).await;
    assert_eq!(field, "messages[0].components[0].cards");
}

#[tokio::test]
async fn every_fault_of_every_card_is_named_at_once() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let whole = json!({ "type": "header", "format": "VIDEO", "url": IMAGE });
    let cards = json!([{ "components": [whole, { "type": "body", "parameters": ["blue"] }] }, { "components": [] }]);
    let payload = client.template("summer_carousel", PHONE, json!([{ "type": "carousel", "cards": cards }]));

    let faults = refused(&patchbay, &client, &payload).await;

    let cards = "messages[0].components[0].cards";
    let fields: Vec<&str> = faults.iter().map(|(field, _)| field.as_str()).collect();
    let expected = [
        format!("{cards}[0].components[0].format"),
        format!("{cards}[1].components"),
        format!("{cards}[1].components"),
    ];
    assert_eq!(fields, expected, "{faults:?}");
}

#[tokio::test]
async fn a_second_component_of_a_kind_is_named() {
    let body = json!({ "type": "body", "parameters": ["Thandi"] });
    let (field, _) = fault("named_greeting", json!([body, body])).await;
    assert_eq!(field, "messages[0].components[1]");
}

#[tokio::test]
async fn the_unified_endpoint_names_fields_below_payload() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let payload = client.template("order_ready", PHONE, json!([{ "type": "body", "parameters": ["Thandi", "#42"] }]));

    assert_eq!(client.send_unified(&payload).await.faulty_fields(), ["payload.messages[0].components"]);
}

#[tokio::test]
async fn a_conversation_id_is_not_taken_on_a_notification() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut payload = client.order_ready(&[PHONE]);
    payload["messages"][0]["conversationId"] = json!("0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40");

    assert_eq!(refused(&patchbay, &client, &payload).await[0].0, "messages[0].conversationId");
}

#[tokio::test]
async fn one_wrong_element_of_messages_refuses_the_others_too() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut payload = client.order_ready(&[PHONE]);
    payload["messages"].as_array_mut().unwrap().push(json!({ "recipients": [{ "to": PHONE }], "components": [] }));

    let faults = refused(&patchbay, &client, &payload).await;

    assert!(faults.iter().all(|(field, _)| field.starts_with("messages[1].components")), "{faults:?}");
}
