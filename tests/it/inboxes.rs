//! `GET /api/v1/inboxes`: numbers with quality and tier, pages and bots, and their state at the provider.

use harness::{SharedPatchbay, TestClient, bot_token, eventually};
use serde_json::{Value, json};

const INBOXES: &str = "/api/v1/inboxes";

/// The inboxes of a client, which has few.
async fn inboxes(client: &TestClient, query: &str) -> Vec<Value> {
    let page = client.get(&format!("{INBOXES}?size=50&{query}")).await.ok();
    page["content"].as_array().unwrap().clone()
}

fn addresses(inboxes: &[Value]) -> Vec<&str> {
    inboxes.iter().map(|inbox| inbox["address"].as_str().unwrap()).collect()
}

/// Lets the provider report values of the number, and waits until its inbox has this tier.
async fn report(patchbay: &SharedPatchbay, client: &TestClient, quality: &str, tier: &str, status: &str) -> Value {
    let event = json!({
        "type": "phone_quality", "phoneNumberId": format!("1{}", client.number), "event": "DOWNGRADE",
        "currentLimit": tier, "qualityRating": quality, "status": status,
    });
    patchbay.simulate("/simulator/events", &event).await;
    eventually("the reported tier", || async {
        let listed = inboxes(client, "").await;
        (listed[0]["tier"]["name"] == tier).then(|| listed[0].clone())
    })
    .await
}

#[tokio::test]
async fn a_cloud_number_has_the_quality_that_the_provider_reported_last() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let inbox = report(&patchbay, &client, "RED", "TIER_2K", "BANNED").await;

    assert_eq!((&inbox["id"], &inbox["address"]), (&json!(client.number_id), &json!(client.number)));
    assert_eq!((&inbox["kind"], &inbox["channel"]), (&json!("WHATSAPP_CLOUD"), &json!("WHATSAPP")));
    let quality = &inbox["quality"];
    assert_eq!((&quality["rating"], &quality["status"]), (&json!("RED"), &json!("RESTRICTED")));
    assert!(quality["readTime"].is_string(), "{inbox}");
}

#[tokio::test]
async fn a_number_that_the_provider_has_not_rated_has_no_rating() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let inbox = report(&patchbay, &client, "UNKNOWN", "TIER_1K", "CONNECTED").await;

    let quality = inbox["quality"].as_object().unwrap();
    assert_eq!((quality.get("rating"), &quality["status"]), (None, &json!("CONNECTED")));
}

#[tokio::test]
async fn the_tier_of_a_number_counts_each_recipient_of_a_template_once() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let inbox = report(&patchbay, &client, "GREEN", "TIER_250", "CONNECTED").await;
    assert_eq!((&inbox["tier"]["limit"], &inbox["tier"]["used"]), (&json!(250), &json!(0)));
    let phones = [patchbay.new_phone(), patchbay.new_phone()];

    client.send(&client.order_ready(&[&phones[0].msisdn, &phones[1].msisdn])).await.accepted();
    client.send(&client.order_ready(&[&phones[0].msisdn])).await.accepted();

    let inbox = &inboxes(&client, "").await[0];
    assert_eq!((&inbox["tier"]["limit"], &inbox["tier"]["used"]), (&json!(250), &json!(2)), "{inbox}");
}

#[tokio::test]
async fn an_unlimited_tier_has_no_limit_and_no_count() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let inbox = report(&patchbay, &client, "GREEN", "TIER_UNLIMITED", "CONNECTED").await;

    let tier = inbox["tier"].as_object().unwrap();
    assert_eq!(tier.keys().collect::<Vec<_>>(), ["name", "reportedTime"]);
}

#[tokio::test]
async fn a_cloud_number_counts_each_customer_who_wrote_lately_once() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let silent = patchbay.new_phone();
    client.send(&client.order_ready(&[&silent.msisdn])).await.accepted();
    assert_eq!(inboxes(&client, "").await[0]["openWindows"], 0);
    let writers = [patchbay.new_phone(), patchbay.new_phone()];

    for text in ["hello", "anyone there?"] {
        for phone in &writers {
            phone.write(&client.number, text).await;
        }
    }

    eventually("both windows", || async { (inboxes(&client, "").await[0]["openWindows"] == 2).then_some(()) }).await;
}

#[tokio::test]
async fn a_page_and_a_bot_are_listed_without_their_secrets() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let digits = patchbay.new_phone().msisdn;
    let page = patchbay.page(&client, &format!("71{digits}")).await;
    let bot = patchbay.bot(&client, &digits, "--polling");

    let mut listed = inboxes(&client, "").await;

    for inbox in &mut listed {
        assert!(inbox.as_object_mut().unwrap().remove("createdTime").unwrap().is_string());
    }
    let expected = json!([
        { "id": page, "kind": "MESSENGER", "channel": "FACEBOOK", "address": format!("71{digits}") },
        {
            "id": bot, "kind": "TELEGRAM", "channel": "TELEGRAM", "address": digits,
            "name": format!("bot_{digits}_bot"),
        },
    ]);
    assert_eq!(json!(listed), expected);
    let text = client.get(INBOXES).await.text;
    assert!(!text.contains("token-of-the-page") && !text.contains(&bot_token(&digits)), "{text}");
}

#[tokio::test]
async fn a_channel_narrows_the_list() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let digits = patchbay.new_phone().msisdn;
    let page = format!("72{digits}");
    patchbay.page(&client, &page).await;
    patchbay.bot(&client, &digits, "--polling");

    for (channel, expected) in [("WHATSAPP", &client.number), ("FACEBOOK", &page), ("TELEGRAM", &digits)] {
        assert_eq!(addresses(&inboxes(&client, &format!("channel={channel}")).await), [expected], "{channel}");
    }
}

#[tokio::test]
async fn a_channel_without_a_provider_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for channel in ["SMS", "WEB", "facebook", "MESSENGER"] {
        assert_eq!(client.get(&format!("{INBOXES}?channel={channel}")).await.faulty_fields(), ["channel"], "{channel}");
    }
}

#[tokio::test]
async fn inboxes_are_listed_page_by_page_in_the_order_of_channel_and_address() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let digits = patchbay.new_phone().msisdn;
    let (first, second) = (format!("73{digits}"), format!("74{digits}"));
    patchbay.page(&client, &second).await;
    patchbay.page(&client, &first).await;

    let page = client.get(&format!("{INBOXES}?size=2")).await.ok();
    let rest = client.get(&format!("{INBOXES}?size=2&page=1")).await.ok();

    assert_eq!(addresses(page["content"].as_array().unwrap()), [&first, &second]);
    assert_eq!(addresses(rest["content"].as_array().unwrap()), [&client.number]);
    assert_eq!((&page["totalElements"], &page["totalPages"]), (&json!(3), &json!(2)));
}

#[tokio::test]
async fn a_disabled_bot_has_the_time_since_which_it_is_disabled() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let bot = patchbay.new_phone().msisdn;
    patchbay.bot(&client, &bot, "--polling");
    let switch = |action| {
        patchbay.admin(&["telegram", action, "--client", &client.client_ref, "--bot-id", &bot]);
    };

    switch("disable");
    assert!(inboxes(&client, "").await[0]["disabledTime"].is_string());

    switch("enable");
    assert!(inboxes(&client, "").await[0].get("disabledTime").is_none());
}

#[tokio::test]
async fn a_refused_token_of_a_page_is_shown_until_it_is_renewed() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let page = format!("75{}", patchbay.new_phone().msisdn);
    patchbay.page(&client, &page).await;
    let person = patchbay.person(&format!("24{page}"), &page);
    person.write("hello").await;
    let chat = eventually("the chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"][0]["id"].as_str().map(str::to_owned)
    })
    .await;
    let say = |text: &str| json!({ "participantId": chat, "channel": "FACEBOOK", "text": text });
    patchbay.simulate("/simulator/pages", &json!({ "pageId": page, "accessToken": "fresh" })).await;

    client.post("/chat-service/api/v2/messages", &say("lost")).await.ok();
    let refused =
        eventually("the refusal", || async { inboxes(&client, "").await[0].get("refusedToken").cloned() }).await;
    assert_eq!(refused["code"], "190");
    assert!(refused["refusedTime"].is_string());

    let renew = ["page", "renew-token", "--client", &client.client_ref, "--page-id", &page, "--access-token-stdin"];
    patchbay.admin_given(&renew, "fresh\n");
    assert!(inboxes(&client, "").await[0].get("refusedToken").is_none());
    client.post("/chat-service/api/v2/messages", &say("there")).await.ok();
    person.hears("there").await;
    assert!(inboxes(&client, "").await[0].get("refusedToken").is_none());
}

#[tokio::test]
async fn a_client_sees_its_own_inboxes_only() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_bare_client());
    assert_eq!(addresses(&inboxes(&client, "").await), [&client.number]);
    assert_eq!(inboxes(&other, "").await, Vec::<Value>::new());
}
