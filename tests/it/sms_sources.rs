//! `patchbay sms-source`: source addresses for a client's SMS, and `virtualname`, which chooses one of them (SPEC 2.15,
//! 4.9).

use harness::{Patchbay, SharedPatchbay, TestClient, eventually};
use serde_json::json;

const SEND: &str = "/smsbatch/sms";
const REPLIES: &str = "/smsbatch/replysmscheck";
const CHANNEL: &str = "/whatsapp-api-service/v2/channels/sms";

fn add(patchbay: &Patchbay, client: &TestClient, address: &str) -> serde_json::Value {
    patchbay.admin(&["sms-source", "add", "--client", &client.client_ref, "--address", address])
}

fn removal<'a>(client: &'a TestClient, address: &'a str) -> [&'a str; 6] {
    ["sms-source", "remove", "--client", &client.client_ref, "--address", address]
}

async fn send(patchbay: &Patchbay, client: &TestClient, id: &str, cell: &str, virtual_name: &str) -> String {
    let fields = [
        ("batchref", "desk"),
        ("batchid", id),
        ("message", "Coming?"),
        ("cell", cell),
        ("priority", "true"),
        ("manageownreplies", "true"),
        ("virtualname", virtual_name),
    ];
    patchbay.batch(client, SEND, &fields).await
}

#[tokio::test]
async fn a_virtualname_chooses_the_source_and_replies_to_it_are_the_batchs() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    patchbay.credits(&client, 10);
    let phone = patchbay.new_phone();
    let source = format!("27{}", &patchbay.new_phone().msisdn[2..]);
    assert_eq!(add(&patchbay, &client, &format!("+{source}"))["address"], json!(source));
    add(&patchbay, &other, "NOT OURS");

    let xml = send(&patchbay, &client, "1", &phone.msisdn, &format!("+{source}")).await;

    assert!(xml.contains("<status code=\"0\">"), "{xml}");
    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!((&sms["text"], &sms["from"]), (&json!("Coming?"), &json!(source)));
    phone.write_sms(&source, "Yes").await;
    let name = [("batchref", "desk"), ("batchid", "1")];
    eventually("the reply", || async {
        patchbay.batch(&client, REPLIES, &name).await.contains("<message>Yes</message>").then_some(())
    })
    .await;

    for (id, name) in [("2", "the desk"), ("3", "NOT OURS")] {
        let phone = patchbay.new_phone();
        send(&patchbay, &client, id, &phone.msisdn, name).await;
        let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
        assert_eq!(sms["from"], json!("PATCHBAY"), "{name} is no source of this client");
    }
}

#[tokio::test]
async fn a_source_is_added_once_and_an_invalid_one_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add(&patchbay, &client, "SHOP");
    let refused = |client_ref: &str, address: &str| {
        patchbay.refused(&["sms-source", "add", "--client", client_ref, "--address", address])
    };
    assert!(refused(&client.client_ref, "SHOP").contains("has the source SHOP already"));
    assert!(refused("nobody", "SHOP").contains("there is no client `nobody`"));
    for address in ["TWELVE CHARS", "1234567890123456", "", "a<b"] {
        assert!(refused(&client.client_ref, address).contains("is not a source of SMS"), "{address}");
    }
    add(&patchbay, &patchbay.new_bare_client(), "SHOP");
}

#[tokio::test]
async fn a_source_is_a_sender_of_the_send_endpoint_for_its_client_alone() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let phone = patchbay.new_phone();
    add(&patchbay, &client, "ACME");
    let messages = json!([{ "recipients": [{ "to": phone.msisdn }], "messageText": "Your order is ready." }]);
    let body = json!({ "sender": "ACME", "messages": messages });

    client.post(CHANNEL, &body).await.accepted();

    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(sms["from"], json!("ACME"));
    assert_eq!(other.post(CHANNEL, &body).await.status, 400);
}

#[tokio::test]
async fn a_number_of_another_client_is_no_senderid_until_it_is_ones_own() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    patchbay.credits(&client, 10);
    let (phone, source) = (patchbay.new_phone(), format!("27{}", &patchbay.new_phone().msisdn[2..]));
    let by = async |id: &str| {
        let name = [("batchref", "desk"), ("batchid", id), ("senderid", &source)];
        let fields = [&name[..], &[("message", "Coming?"), ("cell", &phone.msisdn)]].concat();
        patchbay.batch(&client, SEND, &fields).await
    };
    let unowned = by("1").await;
    assert!(unowned.contains("<status code=\"0\">"), "{unowned}");
    add(&patchbay, &other, &source);

    let refused = by("2").await;

    assert!(refused.contains("<status code=\"1105\">"), "{refused}");
    add(&patchbay, &client, &source);
    let shared = by("3").await;
    assert!(shared.contains("<status code=\"0\">"), "{shared}");
}

#[tokio::test]
async fn a_source_that_is_taken_out_can_be_chosen_no_more_until_it_is_added_again() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    patchbay.credits(&client, 10);
    let list = |client: &TestClient| patchbay.admin(&["sms-source", "list", "--client", &client.client_ref]);
    assert_eq!(list(&client), json!({ "clientRef": client.client_ref, "sources": [] }));
    let (shop, _) = (add(&patchbay, &client, "SHOP"), add(&patchbay, &other, "SHOP"));
    let bakery = add(&patchbay, &client, "BAKERY");
    assert_eq!(list(&client)["sources"], json!([bakery, shop]));

    assert_eq!(patchbay.admin(&removal(&client, "SHOP")), json!({ "address": "SHOP" }));

    assert_eq!(
        (list(&client)["sources"].clone(), list(&other)["sources"].as_array().unwrap().len()),
        (json!([bakery]), 1)
    );
    let messages = |to: &str| json!([{ "recipients": [{ "to": to }], "messageText": "Your order is ready." }]);
    let refused = client.post(CHANNEL, &json!({ "sender": "SHOP", "messages": messages("27820001001") })).await;
    assert_eq!(refused.status, 400);
    let phone = patchbay.new_phone();
    send(&patchbay, &client, "gone", &phone.msisdn, "SHOP").await;
    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(sms["from"], json!("PATCHBAY"), "it is a name like any other");
    for (address, said) in
        [("SHOP", "has no source SHOP"), ("NEVER", "has no source NEVER"), ("a<b", "is not a source of SMS")]
    {
        assert!(patchbay.refused(&removal(&client, address)).contains(said), "{address}");
    }
    let unknown = patchbay.refused(&["sms-source", "list", "--client", "nobody"]);
    assert!(unknown.contains("there is no client `nobody`"), "{unknown}");

    assert_eq!(add(&patchbay, &client, "SHOP"), shop, "it is the same as before");
    let phone = patchbay.new_phone();
    client.post(CHANNEL, &json!({ "sender": "SHOP", "messages": messages(&phone.msisdn) })).await.accepted();
    let sms = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(sms["from"], json!("SHOP"));
}
