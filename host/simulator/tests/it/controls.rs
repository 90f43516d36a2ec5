//! Faults, events, the request log, numbers, start and stop.

use serde_json::{Value, json};
use simulator::{Simulator, SimulatorError};

use crate::host::{BUSINESS, Outside, PHONE, config, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_port_is_a_clear_error() {
    let outside = Outside::start().await;
    let mut taken = config(String::new());
    taken.listen = outside.simulator.http_addr();
    let error = Simulator::start(taken).await.err().unwrap();
    assert!(matches!(error, SimulatorError::Listen { .. }));
    assert!(error.to_string().contains("simulator.listen"));
    let mut taken = config(String::new());
    taken.smsc_listen = outside.simulator.smsc_addr();
    let error = Simulator::start(taken).await.err().unwrap();
    assert!(matches!(error, SimulatorError::ListenSmsc { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_simulator_frees_its_ports() {
    let outside = Outside::start().await;
    let (http, smsc) = (outside.simulator.http_addr(), outside.simulator.smsc_addr());
    outside.sent(text("x")).await;
    drop(outside.http);
    outside.simulator.stop().await;
    let mut again = config(String::new());
    (again.listen, again.smsc_listen) = (http, smsc);
    Simulator::start(again).await.unwrap().stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_request_log_counts_sends_by_their_opaque_data() {
    let outside = Outside::start().await;
    for opaque in ["a", "b", "a"] {
        let mut message = text("x");
        message["biz_opaque_callback_data"] = json!(opaque);
        outside.sent(message).await;
    }
    let mut wrong = text("");
    wrong["biz_opaque_callback_data"] = json!("a");
    outside.refused(wrong).await;
    assert_eq!(outside.get("/simulator/requests?count=true").await["count"], 4);
    assert_eq!(outside.get("/simulator/requests?count=true&opaque=a").await["count"], 3);
    let accepted = "/simulator/requests?count=true&opaque=a&accepted=true";
    assert_eq!(outside.get(accepted).await["count"], 2);
    let grouped = outside.get("/simulator/requests?groupBy=opaque&accepted=true").await;
    assert_eq!(grouped["counts"], json!({"a": 2, "b": 1}));
    let listed = outside.get("/simulator/requests?limit=1").await;
    let last = &listed["requests"][0];
    assert_eq!(last["path"], format!("/v25.0/{BUSINESS}/messages"));
    assert_eq!((&last["status"], &last["code"]), (&json!(400), &json!(131_009)));
    assert_eq!(last["body"]["biz_opaque_callback_data"], "a");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_does_not_exist_is_named_and_a_reset_clears_the_others() {
    let outside = Outside::start().await;
    let (status, error) = outside.call("POST", "/simulator/faults", Some(json!({"skipDelivrd": true}))).await;
    assert_eq!(status, 400);
    assert!(error["error"].as_str().unwrap().contains("skipDelivrd"));
    outside.faults(json!({"skipDelivered": true})).await;
    outside.faults(json!({"delayMillis": 5})).await;
    assert_eq!(outside.get("/simulator/faults").await["skipDelivered"], true);
    outside.call("DELETE", "/simulator/faults", None).await;
    assert_eq!(outside.get("/simulator/faults").await["skipDelivered"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_node_shows_the_number_and_follows_a_quality_event() {
    let outside = Outside::start().await;
    let number = json!({"phoneNumberId": BUSINESS, "wabaId": "900", "number": "27110000000"});
    outside.post("/simulator/numbers", number).await;
    let fields = "status,quality_rating,whatsapp_business_manager_messaging_limit,throughput,\
                  display_phone_number,verified_name";
    let node = outside.get(&format!("/v25.0/{BUSINESS}?fields={fields}")).await;
    assert_eq!(node["display_phone_number"], "+27 11 000 0000");
    assert_eq!(node["status"], "CONNECTED");
    assert_eq!(node["id"], BUSINESS);
    assert_eq!(node.as_object().unwrap().len(), 7);
    let event = json!({"type": "phone_quality", "phoneNumberId": BUSINESS, "event": "FLAGGED",
        "qualityRating": "RED", "currentLimit": "TIER_250"});
    outside.post("/simulator/events", event).await;
    let posted = outside.sink.wait("the event", |posts| posts.first().cloned()).await;
    let change = &posted.json["entry"][0];
    assert_eq!(change["id"], "900");
    assert_eq!(change["changes"][0]["field"], "phone_number_quality_update");
    assert_eq!(change["changes"][0]["value"]["current_limit"], "TIER_250");
    let node = outside.get(&format!("/v25.0/{BUSINESS}?fields=quality_rating")).await;
    assert_eq!(node["quality_rating"], "RED");
    let numbers = outside.get("/v25.0/900/phone_numbers").await;
    assert_eq!(numbers["data"][0]["id"], BUSINESS);
}

#[tokio::test(flavor = "multi_thread")]
async fn account_events_are_posted_in_metas_shape() {
    let outside = Outside::start().await;
    let template = |kind: &str, more: Value| {
        let mut event = json!({"type": kind, "wabaId": "900", "name": "welcome"});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let events = [
        (
            template("template_status", json!({"event": "PAUSED", "reason": "QUALITY"})),
            "message_template_status_update",
        ),
        (template("template_quality", json!({"quality": "RED"})), "message_template_quality_update"),
        (template("template_components", json!({"body": "New text"})), "message_template_components_update"),
        (json!({"type": "account_update", "wabaId": "900", "event": "DISABLED_UPDATE"}), "account_update"),
        (
            json!({"type": "user_preferences", "msisdn": PHONE, "phoneNumberId": BUSINESS, "value": "stop"}),
            "user_preferences",
        ),
        (json!({"type": "raw", "wabaId": "900", "field": "flows", "value": {"x": 1}}), "flows"),
    ];
    for (event, field) in events {
        outside.post("/simulator/events", event).await;
        outside
            .sink
            .wait(field, |posts| posts.iter().find(|p| p.json["entry"][0]["changes"][0]["field"] == field).cloned())
            .await;
    }
    let paused = json!({"type": "template", "template": {"name": "welcome", "language": {"code": "en"}}});
    assert_eq!(outside.refused(paused).await.1, 132_015);
    let unknown = json!({"type": "template_status", "wabaId": "900", "name": "none", "event": "PAUSED"});
    assert_eq!(outside.call("POST", "/simulator/events", Some(unknown)).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_number_brings_a_system_message_and_a_new_user_id() {
    let outside = Outside::start().await;
    let before = outside.get(&format!("/phones/{PHONE}")).await;
    let event = json!({"type": "number_change", "msisdn": PHONE, "newMsisdn": "27820000099",
        "phoneNumberId": BUSINESS});
    outside.post("/simulator/events", event).await;
    let value = outside.sink.wait("it", |_| outside.sink.values().first().cloned()).await;
    assert!(value.get("contacts").is_none());
    let message = &value["messages"][0];
    assert_eq!((&message["type"], &message["from"]), (&json!("system"), &json!(PHONE)));
    assert_eq!(message["system"]["type"], "user_changed_number");
    assert_eq!(message["system"]["wa_id"], "27820000099");
    assert_eq!(message["system"]["previous_user_id"], before["userId"]);
    let after = outside.get("/phones/27820000099").await;
    assert_eq!(message["system"]["user_id"], after["userId"]);
    assert_eq!(outside.get(&format!("/phones/{PHONE}")).await["onWhatsApp"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_the_list_of_phones_are_served_without_a_token() {
    let outside = Outside::start().await;
    outside.sent(text("x")).await;
    let page = outside.http.get(outside.url("/")).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("<html"));
    let phones = outside.http.get(outside.url("/phones")).send().await.unwrap();
    let phones: Value = phones.json().await.unwrap();
    assert_eq!(phones["phones"][0]["msisdn"], PHONE);
}
