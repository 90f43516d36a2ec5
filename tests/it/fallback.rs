//! The SMS fallback: when it happens, the text and length of the SMS, and its reports (SPEC 2.4, 3.2 and part 8,
//! PROVIDERS A.12 and C).

use std::net::SocketAddr;

use harness::{
    ClientReply, Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, status,
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

const NUMBER: &str = "27110000001";
const CUSTOMER: &str = "27820000001";

/// A client of the shared server, its webhooks, and a phone without WhatsApp.
pub async fn shared() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    (patchbay, client, sink, phone)
}

/// The same on a separate server.
pub async fn own(setup: PatchbaySetup) -> (Patchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let phone = patchbay.phone(CUSTOMER);
    phone.set(json!({ "onWhatsApp": false })).await;
    (patchbay, client, sink, phone)
}

pub async fn send(client: &TestClient, phone: &TestPhone, fallback: Value) {
    let mut payload = client.order_ready(&[&phone.msisdn]);
    payload["fallback"] = fallback;
    client.send(&payload).await.accepted();
}

pub fn text(text: &str) -> Value {
    json!({ "sendFallback": true, "text": text })
}

pub async fn sms(phone: &TestPhone) -> Value {
    phone.receives("the SMS", |message| message["channel"] == "SMS").await
}

pub async fn sms_count(phone: &TestPhone) -> usize {
    phone.inbox().await.iter().filter(|message| message["channel"] == "SMS").count()
}

/// The status bodies of a phone, once one of them has the status `last`.
pub async fn reports(client: &TestClient, sink: &WebhookSink, phone: &TestPhone, last: &str) -> Vec<Value> {
    let ct_id = format!("ct-{}", phone.msisdn);
    client.statuses(sink, &ct_id, last).await;
    sink.bodies("status").into_iter().filter(|body| body["ctId"] == ct_id).collect()
}

pub fn states(reports: &[Value]) -> Vec<(&str, &str)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let channel = |report: &Value| if text(&report["channel"]).as_deref() == Some("SMS") { "SMS" } else { "WHATSAPP" };
    reports.iter().map(|report| (channel(report), report["status"].as_str().unwrap())).collect()
}

/// The statuses of a message that ends as a delivered SMS.
pub const DELIVERED_BY_SMS: [(&str, &str); 4] =
    [("WHATSAPP", "ACCEPTED"), ("SMS", "ACCEPTED"), ("SMS", "SENT"), ("SMS", "DELIVERED")];

/// State, plugin and reason of the client's fallback.
pub async fn decision(patchbay: &Patchbay, client: &TestClient) -> (String, Option<String>, Option<String>) {
    let mut db = patchbay.database().await;
    let statement =
        "SELECT state, plugin, reason FROM fallback WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    sqlx::query_as(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap()
}

async fn put(client: &TestClient, change: &Value) -> ClientReply {
    client.request(Method::PUT, "/api/v1/clients/me/sms-fallback", Some(change), &[]).await
}

/// The reason for which the client's fallback was skipped without a plugin call.
async fn no_sms_because(patchbay: &Patchbay, client: &TestClient) -> String {
    let (state, plugin, reason) = decision(patchbay, client).await;
    assert_eq!((state.as_str(), plugin), ("SKIPPED", None));
    reason.unwrap()
}

#[tokio::test]
async fn without_a_text_the_sms_is_the_resolved_template() {
    let (patchbay, client, sink, phone) = shared().await;

    send(&client, &phone, json!({ "sendFallback": true })).await;

    let sms = sms(&phone).await;
    assert!(sms["text"].as_str().unwrap().starts_with("Hi Thandi, order #42 is ready."), "{sms}");
    assert_eq!(sms["from"], "PATCHBAY");
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
    assert_eq!(decision(&patchbay, &client).await, ("SENT".to_owned(), Some("sms-fallback".to_owned()), None));
}

#[tokio::test]
async fn a_text_of_the_clients_own_is_sent_word_for_word() {
    let (_patchbay, client, sink, phone) = shared().await;

    send(&client, &phone, text("Your order @ the shop: [42] costs 5\u{20ac}")).await;

    assert_eq!(sms(&phone).await["text"], "Your order @ the shop: [42] costs 5\u{20ac}");
    let reports = reports(&client, &sink, &phone, "DELIVERED").await;
    let ids: Vec<&Value> = reports.iter().map(|report| &report["gstId"]).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "the SMS has the tracking ids of the message: {ids:?}");
}

/// Sends a text and returns its number of parts and their data coding.
async fn parts(fallback: Value) -> (i64, i64) {
    let (_patchbay, client, sink, phone) = shared().await;
    send(&client, &phone, fallback.clone()).await;
    let sms = sms(&phone).await;
    assert_eq!(sms["text"], fallback["text"], "the parts join to the text");
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS, "reported once");
    (sms["parts"].as_i64().unwrap(), sms["dataCoding"].as_i64().unwrap())
}

#[tokio::test]
async fn a_hundred_and_sixty_characters_are_one_part_and_one_more_makes_two() {
    assert_eq!(parts(text(&"a".repeat(160))).await, (1, 0));
    assert_eq!(parts(text(&"a".repeat(161))).await, (2, 0));
    assert_eq!(parts(text(&"a".repeat(306))).await, (2, 0));
    assert_eq!(parts(text(&"a".repeat(307))).await, (3, 0));
}

#[tokio::test]
async fn characters_of_the_extension_table_count_twice() {
    assert_eq!(parts(text(&"\u{20ac}".repeat(80))).await, (1, 0));
    assert_eq!(parts(text(&"\u{20ac}".repeat(81))).await, (2, 0));
}

#[tokio::test]
async fn seventy_unicode_characters_are_one_part_and_one_more_makes_two() {
    assert_eq!(parts(text(&"\u{12a0}".repeat(70))).await, (1, 8));
    assert_eq!(parts(text(&"\u{12a0}".repeat(71))).await, (2, 8));
}

#[tokio::test]
async fn one_character_outside_the_gsm_alphabet_switches_the_whole_text() {
    assert_eq!(parts(text(&format!("{}\u{1f600}", "a".repeat(68)))).await, (1, 8));
    assert_eq!(parts(text(&format!("{}\u{1f600}", "a".repeat(69)))).await, (2, 8));
}

#[tokio::test]
async fn unicode_can_be_asked_for() {
    assert_eq!(parts(json!({ "sendFallback": true, "unicode": true, "text": "a".repeat(71) })).await, (2, 8));
}

#[tokio::test]
async fn an_sms_that_does_not_arrive_fails_the_message_once() {
    let (_patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "smsState": "UNDELIV" })).await;

    send(&client, &phone, text(&"a".repeat(400))).await;

    let failed = reports(&client, &sink, &phone, "FAILED").await.pop().unwrap();
    assert_eq!((&failed["channel"], &failed["errorCode"]), (&json!("SMS"), &json!("900452")));
    let other = SharedPatchbay::get().await.new_phone();
    other.set(json!({ "onWhatsApp": false })).await;
    send(&client, &other, text("the next one")).await;
    reports(&client, &sink, &other, "DELIVERED").await;
    let states = reports(&client, &sink, &phone, "FAILED").await;
    assert_eq!(states.iter().filter(|report| report["status"] == "FAILED").count(), 1, "three parts, one failure");
}

#[tokio::test]
async fn a_receipt_that_overtakes_the_answer_of_the_smsc_is_joined_later() {
    let (patchbay, client, sink, phone) = own(PatchbaySetup::new()).await;
    patchbay.simulate("/simulator/faults", &json!({ "smscReceiptBeforeResponse": true })).await;

    send(&client, &phone, text(&"a".repeat(400))).await;

    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
    assert_eq!(sms(&phone).await["parts"], 3);
}

#[tokio::test]
async fn an_sms_that_fails_before_the_answer_of_the_smsc_is_on_disk_is_metered_all_the_same() {
    let (patchbay, client, sink, phone) = own(PatchbaySetup::new()).await;
    patchbay.simulate("/simulator/faults", &json!({ "smscReceiptBeforeResponse": true })).await;
    phone.set(json!({ "smsState": "UNDELIV" })).await;

    send(&client, &phone, text("Your order is ready")).await;

    let told = reports(&client, &sink, &phone, "FAILED").await;
    assert_eq!(states(&told), [("WHATSAPP", "ACCEPTED"), ("SMS", "ACCEPTED"), ("SMS", "FAILED")]);
    let statement = "SELECT units FROM credit_entry WHERE reason = 'FALLBACK'";
    let metered: Vec<i64> = sqlx::query_scalar(statement).fetch_all(&mut patchbay.database().await).await.unwrap();
    assert_eq!(metered, [1]);
}

#[tokio::test]
async fn a_throttling_smsc_gets_the_sms_later_and_once() {
    let (patchbay, client, sink, phone) = own(PatchbaySetup::new()).await;
    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 2 })).await;

    send(&client, &phone, text(&"a".repeat(400))).await;

    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
    assert_eq!(sms_count(&phone).await, 1);
}

#[tokio::test]
async fn an_sms_waits_for_an_smsc_that_is_down() {
    let port = SmscPort::closed().await;
    let url = format!("smpp://patchbay:secret@{}?name=simulator", port.address);
    let (patchbay, client, sink, phone) = own(PatchbaySetup::new().set("smpp.url", &url)).await;
    send(&client, &phone, text("patience")).await;
    eventually("the SMS to be put off", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT due_at > now() + interval '1 second' FROM outbound_work WHERE ordinal = 1";
        let put_off: Option<bool> = sqlx::query_scalar(statement).fetch_optional(&mut db).await.unwrap();
        put_off.filter(|put_off| *put_off)
    })
    .await;
    assert_eq!(sms_count(&phone).await, 0);

    port.open(patchbay.smsc_address()).await;

    eventually("the SMS", || async {
        patchbay.advance_clock(6).await;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        (sms_count(&phone).await > 0).then_some(())
    })
    .await;
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
    assert_eq!(sms_count(&phone).await, 1);
}

/// A port without a listener until it is opened.
struct SmscPort {
    address: SocketAddr,
}

impl SmscPort {
    async fn closed() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { address: listener.local_addr().unwrap() }
    }

    /// Forwards connections to `target` from now on.
    async fn open(&self, target: SocketAddr) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        tokio::spawn(async move {
            while let Ok((mut here, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut there = TcpStream::connect(target).await.unwrap();
                    drop(tokio::io::copy_bidirectional(&mut here, &mut there).await);
                });
            }
        });
    }
}

#[tokio::test]
async fn a_number_that_received_on_whatsapp_before_gets_no_sms() {
    let (patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "onWhatsApp": true })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    reports(&client, &sink, &phone, "DELIVERED").await;
    phone.set(json!({ "onWhatsApp": false })).await;

    send(&client, &phone, text("no SMS, please")).await;

    let failed = reports(&client, &sink, &phone, "FAILED").await.pop().unwrap();
    assert_eq!(failed["errorCode"], "131026");
    assert!(failed.get("channel").is_none(), "{failed}");
    assert_eq!(sms_count(&phone).await, 0);
    assert_eq!(no_sms_because(&patchbay, &client).await, "the recipient has been seen on WhatsApp");
}

#[tokio::test]
async fn a_client_that_trusts_every_code_also_sends_an_sms_to_customers_reached_before() {
    let (_patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "onWhatsApp": true })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    reports(&client, &sink, &phone, "DELIVERED").await;
    phone.set(json!({ "onWhatsApp": false })).await;
    assert_eq!(
        put(&client, &json!({ "enabled": true, "mode": "ALWAYS" })).await.faulty_fields(),
        ["mode"],
        "no such mode"
    );
    let changed = put(&client, &json!({ "enabled": true, "mode": "ANY_131026" })).await.ok();
    assert_eq!(changed["smsFallback"]["mode"], "ANY_131026");

    send(&client, &phone, text("not on WhatsApp any more")).await;

    assert_eq!(sms(&phone).await["text"], "not on WhatsApp any more");
    let kept = put(&client, &json!({ "enabled": true })).await.ok();
    assert_eq!(kept["smsFallback"]["mode"], "ANY_131026", "a field that is left out stays");
}

#[tokio::test]
async fn a_number_that_wrote_to_the_business_before_gets_no_sms() {
    let (patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "onWhatsApp": true })).await;
    phone.write(&client.number, "I am here").await;
    sink.receives("incoming", "the message", |body| body["text"] == "I am here").await;
    phone.set(json!({ "onWhatsApp": false })).await;

    send(&client, &phone, text("no SMS, please")).await;

    reports(&client, &sink, &phone, "FAILED").await;
    assert_eq!(no_sms_because(&patchbay, &client).await, "the recipient has been seen on WhatsApp");
}

#[tokio::test]
async fn without_a_requested_fallback_the_message_fails() {
    let (patchbay, client, sink, phone) = shared().await;
    let other = patchbay.new_phone();
    other.set(json!({ "onWhatsApp": false })).await;

    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    send(&client, &other, json!({ "sendFallback": false, "text": "not wanted" })).await;

    for phone in [&phone, &other] {
        let reports = reports(&client, &sink, phone, "FAILED").await;
        assert_eq!(states(&reports), [("WHATSAPP", "ACCEPTED"), ("WHATSAPP", "FAILED")]);
        assert_eq!(reports[1]["errorCode"], "131026");
    }
    assert_eq!(patchbay.rows_of(&client.client_ref).await["fallback"], 0);
}

#[tokio::test]
async fn another_failure_brings_no_sms() {
    let (patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "onWhatsApp": true, "failWith": 131_049 })).await;

    send(&client, &phone, text("not for this")).await;

    let failed = reports(&client, &sink, &phone, "FAILED").await.pop().unwrap();
    assert_eq!(failed["errorCode"], "131049");
    assert_eq!(patchbay.rows_of(&client.client_ref).await["fallback"], 0);
}

#[tokio::test]
async fn an_immediate_refusal_falls_back_too() {
    let (_patchbay, client, sink, phone) = shared().await;
    phone.set(json!({ "onWhatsApp": true, "rejectWith": { "status": 400, "code": 131_026 } })).await;

    send(&client, &phone, text("at once")).await;

    assert_eq!(sms(&phone).await["text"], "at once");
    let reports = reports(&client, &sink, &phone, "DELIVERED").await;
    assert_eq!(states(&reports), DELIVERED_BY_SMS[1..]);
}

#[tokio::test]
async fn a_recipient_without_a_phone_number_fails() {
    let (patchbay, client, sink, phone) = shared().await;
    let mut payload = client.order_ready(&[]);
    let recipient = json!({ "customerUserId": phone.user_id().await, "ctId": format!("ct-{}", phone.msisdn) });
    payload["messages"][0]["recipients"] = json!([recipient]);
    payload["fallback"] = text("to nowhere");
    client.send(&payload).await.accepted();

    let failed = reports(&client, &sink, &phone, "FAILED").await.pop().unwrap();

    assert_eq!(failed["errorCode"], "131026");
    assert_eq!(no_sms_because(&patchbay, &client).await, "no phone number is known of the recipient");
}

#[tokio::test]
async fn a_failure_that_comes_after_more_than_an_hour_brings_no_sms() {
    let (patchbay, client, sink, phone) = own(PatchbaySetup::new()).await;
    patchbay.simulate("/simulator/faults", &json!({ "delayMillis": 2500 })).await;
    send(&client, &phone, text("too late")).await;
    client.statuses(&sink, "ct-27820000001", "ACCEPTED").await;

    patchbay.advance_clock(3700).await;

    let reports = reports(&client, &sink, &phone, "FAILED").await;
    assert_eq!(states(&reports), [("WHATSAPP", "ACCEPTED"), ("WHATSAPP", "FAILED")]);
    assert_eq!(sms_count(&phone).await, 0);
    assert_eq!(no_sms_because(&patchbay, &client).await, "the failure arrived too late");
}

#[tokio::test]
async fn the_age_of_a_failure_counts_from_the_acceptance_by_the_provider() {
    let (patchbay, client, _sink, phone) = own(PatchbaySetup::new()).await;
    phone.set(json!({ "rejectWith": { "status": 400, "code": 131_056, "times": 1 } })).await;
    send(&client, &phone, text("after a long wait")).await;
    eventually("the first call to be refused", || async {
        (patchbay.provider_sends(&client).await.len() == 1).then_some(())
    })
    .await;

    patchbay.advance_clock(2 * 3_600).await;

    assert_eq!(sms(&phone).await["text"], "after a long wait");
}

#[tokio::test]
async fn a_second_failure_of_the_same_message_brings_no_second_sms() {
    let (patchbay, client, sink, phone) = shared().await;
    send(&client, &phone, text("only one")).await;
    reports(&client, &sink, &phone, "DELIVERED").await;
    let send_call = patchbay.provider_sends(&client).await.remove(0);
    let opaque = send_call["body"]["biz_opaque_callback_data"].as_str();

    // As if a call was repeated and both messages failed, and as if the provider repeats itself in other words.
    for wamid in ["wamid.of-the-repetition", send_call["wamid"].as_str().unwrap()] {
        let mut failed = client.callback(status(wamid, "failed", opaque));
        let status = &mut failed["entry"][0]["changes"][0]["value"]["statuses"][0];
        status["errors"] = json!([{ "code": 131_026, "title": "Message undeliverable" }]);
        assert_eq!(patchbay.callback(&failed).await.status, 200);
    }

    let other = patchbay.new_phone();
    other.set(json!({ "onWhatsApp": false })).await;
    send(&client, &other, text("the next one")).await;
    reports(&client, &sink, &other, "DELIVERED").await;
    assert_eq!(sms_count(&phone).await, 1);
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
}

/// A client of the server with the guests. The guest `picky-fallback` decides its fallbacks.
pub async fn picky() -> (SharedPatchbay, TestClient, WebhookSink, TestPhone) {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.activate("picky-fallback").await;
    let phone = patchbay.new_phone();
    phone.set(json!({ "onWhatsApp": false })).await;
    (patchbay, client, sink, phone)
}

#[tokio::test]
async fn a_clients_own_component_can_change_the_text_and_the_sender() {
    let (_patchbay, client, sink, phone) = picky().await;

    send(&client, &phone, text("hello")).await;

    let sms = sms(&phone).await;
    assert_eq!(sms["text"], format!("hello (from {}, code 131026)", client.number));
    assert_eq!(sms["from"], "SHOP");
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
}

#[tokio::test]
async fn a_clients_own_component_can_decide_against_an_sms() {
    let (patchbay, client, sink, phone) = picky().await;

    send(&client, &phone, text("please be quiet")).await;

    let reports = reports(&client, &sink, &phone, "FAILED").await;
    assert_eq!(states(&reports), [("WHATSAPP", "ACCEPTED"), ("WHATSAPP", "FAILED")]);
    assert_eq!(reports[1]["errorCode"], "131026");
    let (state, plugin, reason) = decision(&patchbay, &client).await;
    assert_eq!((state.as_str(), plugin.as_deref()), ("SKIPPED", Some("picky-fallback")));
    assert_eq!(reason.as_deref(), Some("the text asks for quiet"));
    assert_eq!(sms_count(&phone).await, 0);
}

#[tokio::test]
async fn a_clients_own_component_remembers_a_customer() {
    let (patchbay, client, sink, phone) = picky().await;
    send(&client, &phone, text("only once")).await;
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);

    send(&client, &phone, text("only once again")).await;
    reports(&client, &sink, &phone, "FAILED").await;
    assert_eq!(sms_count(&phone).await, 1);

    let other = patchbay.new_phone();
    other.set(json!({ "onWhatsApp": false })).await;
    send(&client, &other, text("only once")).await;
    reports(&client, &sink, &other, "DELIVERED").await;
}

#[tokio::test]
async fn the_default_rule_decides_if_the_component_keeps_failing() {
    let (_patchbay, client, sink, phone) = picky().await;

    send(&client, &phone, text("mind the trap")).await;

    assert_eq!(sms(&phone).await["text"], "mind the trap");
    assert_eq!(states(&reports(&client, &sink, &phone, "DELIVERED").await), DELIVERED_BY_SMS);
    let calls = client.get("/plugin-service/api/v1/plugins/picky-fallback/invocations").await.ok();
    let outcomes: Vec<&Value> = calls["content"].as_array().unwrap().iter().map(|call| &call["outcome"]).collect();
    assert_eq!(outcomes, ["trapped", "trapped", "trapped"]);
}
