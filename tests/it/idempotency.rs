//! `Idempotency-Key` (SPEC 4.1, DESIGN 7): the same key means the same send, even after a failure or a restart.

use std::{collections::HashSet, time::Duration};

use futures::future::join_all;
use harness::{Patchbay, SharedPatchbay, TestClient, TestPhone, eventually};
use reqwest::Method;
use serde_json::json;

async fn client_and_phone() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

/// Waits for `count` sends to the provider, and a little longer in case there is one too many.
async fn sent_exactly(patchbay: &Patchbay, client: &TestClient, count: usize) {
    eventually("the sends", || async { (patchbay.provider_sends(client).await.len() >= count).then_some(()) }).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(patchbay.provider_sends(client).await.len(), count);
    assert_eq!(patchbay.messages_of(&client.client_ref).await, i64::try_from(count).unwrap());
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_bytes_and_is_sent_once() {
    let (patchbay, client, phone) = client_and_phone().await;
    let payload = client.order_ready(&[&phone.msisdn, "nobody"]);

    let first = client.send_with_key(&payload, "4f1c").await;
    let second = client.send_with_key(&payload, "4f1c").await;

    assert_eq!((first.status, second.status), (202, 202));
    assert_eq!(first.text, second.text);
    assert_eq!(second.header("content-type"), first.header("content-type"));
    assert_ne!(first.request_id, second.request_id, "the header names the request itself");
    assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), (None, Some("true")));
    assert_eq!(second.header("idempotency-warning"), None, "the bodies are equal");
    sent_exactly(&patchbay, &client, 1).await;
}

#[tokio::test]
async fn the_same_key_with_another_body_still_replays() {
    let (patchbay, client, phone) = client_and_phone().await;
    let other = patchbay.new_phone();
    let first = client.send_with_key(&client.order_ready(&[&phone.msisdn]), "k").await;

    let another = client.send_with_key(&client.order_ready(&[&other.msisdn]), "k").await;
    let wrong = client.send_with_key(&json!({ "sender": "nobody" }), "k").await;

    for replayed in [&another, &wrong] {
        assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
        assert!(replayed.header("idempotency-warning").unwrap().contains("this request sent nothing"));
    }
    assert_eq!((another.status, &another.text), (202, &first.text));
    assert_eq!((wrong.status, &wrong.text), (202, &first.text), "even one that would be refused");
    sent_exactly(&patchbay, &client, 1).await;
    assert!(other.inbox().await.is_empty());
}

#[tokio::test]
async fn twenty_duplicates_at_once_are_one_send_and_get_identical_bytes() {
    let (patchbay, client, phone) = client_and_phone().await;
    let payload = client.order_ready(&[&phone.msisdn]);

    let replies = join_all((0..20).map(|_| client.send_with_key(&payload, "at-once"))).await;

    assert!(replies.iter().all(|reply| reply.status == 202), "{replies:?}");
    let bodies: HashSet<&String> = replies.iter().map(|reply| &reply.text).collect();
    assert_eq!(bodies.len(), 1);
    sent_exactly(&patchbay, &client, 1).await;
}

#[tokio::test]
async fn duplicates_among_other_sends_at_once_are_told_apart() {
    let (patchbay, client, phone) = client_and_phone().await;
    let payload = client.order_ready(&[&phone.msisdn]);
    let keys: Vec<String> = (0..30).map(|at| format!("key-{}", at % 10)).collect();

    let replies = join_all(keys.iter().map(|key| client.send_with_key(&payload, key))).await;

    let bodies: HashSet<&String> = replies.iter().map(|reply| &reply.text).collect();
    assert_eq!(bodies.len(), 10, "one answer per key");
    for (at, reply) in replies.iter().enumerate() {
        assert_eq!(reply.text, replies[at % 10].text);
    }
    sent_exactly(&patchbay, &client, 10).await;
}

#[tokio::test]
async fn a_wrong_request_is_refused_and_a_simultaneous_right_one_with_its_key_is_not() {
    let (patchbay, client, phone) = client_and_phone().await;
    let right = client.order_ready(&[&phone.msisdn]);
    let mut wrong = right.clone();
    wrong["sender"] = json!("27999999999");
    let keys: Vec<String> = (0..20).map(|at| format!("key-{at}")).collect();
    let both = keys.iter().flat_map(|key| [(&wrong, key), (&right, key)]);

    let replies = join_all(both.map(|(payload, key)| client.send_with_key(payload, key))).await;

    for pair in replies.chunks(2) {
        assert_eq!(pair[1].status, 202, "{}", pair[1].text);
        // If the right request came first, the wrong one is a replay.
        assert!(pair[0].text == pair[1].text || pair[0].faulty_fields() == ["sender"], "{}", pair[0].text);
    }
    sent_exactly(&patchbay, &client, 20).await;
}

#[tokio::test]
async fn a_key_belongs_to_one_client() {
    let (patchbay, first, phone) = client_and_phone().await;
    let second = patchbay.new_client().await;

    let of_first = first.send_with_key(&first.order_ready(&[&phone.msisdn]), "shared").await;
    let of_second = second.send_with_key(&second.order_ready(&[&phone.msisdn]), "shared").await;

    assert_ne!(of_first.accepted()["batchId"], of_second.accepted()["batchId"]);
    sent_exactly(&patchbay, &first, 1).await;
    sent_exactly(&patchbay, &second, 1).await;
}

#[tokio::test]
async fn a_key_counts_on_both_endpoints() {
    let (patchbay, client, phone) = client_and_phone().await;
    let payload = client.order_ready(&[&phone.msisdn]);
    let unified = json!({ "channel": "WHATSAPP", "payload": payload });

    let first = client.send_with_key(&payload, "both").await;
    let path = "/whatsapp-api-service/v2/messages";
    let second = client.request(Method::POST, path, Some(&unified), &[("Idempotency-Key", "both")]).await;

    assert_eq!(first.text, second.text);
    sent_exactly(&patchbay, &client, 1).await;
}

#[tokio::test]
async fn without_a_key_every_request_is_a_send() {
    let (patchbay, client, phone) = client_and_phone().await;
    let payload = client.order_ready(&[&phone.msisdn]);

    let first = client.send(&payload).await.accepted();
    let second = client.send(&payload).await.accepted();

    assert_ne!(first["batchId"], second["batchId"]);
    sent_exactly(&patchbay, &client, 2).await;
}

#[tokio::test]
async fn a_refused_request_does_not_use_its_key_up() {
    let (patchbay, client, phone) = client_and_phone().await;
    let mut wrong = client.order_ready(&[&phone.msisdn]);
    wrong["templateId"] = json!("1");

    assert_eq!(client.send_with_key(&wrong, "again").await.status, 400);
    assert_eq!(patchbay.rows_of(&client.client_ref).await["idempotency"], 0);
    client.send_with_key(&client.order_ready(&[&phone.msisdn]), "again").await.accepted();

    sent_exactly(&patchbay, &client, 1).await;
}

#[tokio::test]
async fn a_request_whose_recipients_are_all_rejected_leaves_its_key_free() {
    let (patchbay, client, phone) = client_and_phone().await;
    let none = client.send_with_key(&client.order_ready(&["nobody"]), "none").await;

    let again = client.send_with_key(&client.order_ready(&[&phone.msisdn]), "none").await;

    assert_eq!(none.accepted()["acceptedCount"], 0);
    assert_eq!(again.accepted()["acceptedCount"], 1);
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 1);
}

#[tokio::test]
async fn a_key_that_is_too_long_or_not_one_word_is_refused() {
    let (patchbay, client, phone) = client_and_phone().await;
    let payload = client.order_ready(&[&phone.msisdn]);

    for key in [&"k".repeat(256), "two words", "", "ключ"] {
        assert_eq!(client.send_with_key(&payload, key).await.faulty_fields(), ["Idempotency-Key"], "{key:?}");
    }
    assert_eq!(patchbay.messages_of(&client.client_ref).await, 0);
    client.send_with_key(&payload, &"k".repeat(255)).await.accepted();
}

#[tokio::test]
async fn a_key_is_remembered_by_the_next_process() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let payload = client.order_ready(&["27820000001"]);
    let first = client.send_with_key(&payload, "kept").await;
    assert_eq!(first.status, 202);

    patchbay.kill();
    patchbay.launch().await;
    let second = client.send_with_key(&payload, "kept").await;

    assert_eq!(first.text, second.text);
    assert_eq!(patchbay.messages_of("acme").await, 1);
}
