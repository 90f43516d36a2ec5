//! Several nodes on one database behave as one (DESIGN 3).

use std::{collections::HashSet, time::Duration};

use futures::future::join_all;
use harness::{Patchbay, PatchbaySetup, WebhookSink, eventually};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn duplicates_at_two_nodes_at_once_are_one_send_and_get_identical_bytes() {
    let patchbay = Patchbay::start().await;
    let here = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let there = node.client(&here);
    let payload = here.order_ready(&["27820000001"]);

    for round in 0..5 {
        let key = format!("round-{round}");
        let sides = (0..10).flat_map(|_| [&here, &there]);
        let replies = join_all(sides.map(|side| side.send_with_key(&payload, &key))).await;
        assert!(replies.iter().all(|reply| reply.status == 202), "{replies:?}");
        let bodies: HashSet<&String> = replies.iter().map(|reply| &reply.text).collect();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
    }

    assert_eq!(patchbay.messages_of("acme").await, 5);
    let phone = patchbay.phone("27820000001");
    eventually("five messages", || async { (phone.inbox().await.len() == 5).then_some(()) }).await;
}

#[tokio::test]
async fn a_regenerated_key_fails_at_once_on_every_node() {
    let patchbay = Patchbay::start().await;
    let here = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let there = node.client(&here);
    assert_eq!(there.get("/messaging-service/WhatsApp/templates").await.status, 200);

    here.request(Method::POST, "/messaging-service/WhatsApp/SystemUsers/generateAPIKey", None, &[]).await.ok();

    assert_eq!(there.get("/messaging-service/WhatsApp/templates").await.status, 401);
}

#[tokio::test]
async fn messages_accepted_by_two_nodes_for_one_number_stay_within_its_rate_and_are_sent_once() {
    let patchbay = Patchbay::start().await;
    let here = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let there = node.client(&here);
    let numbers: Vec<String> = (0..300).map(|at| format!("2785{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();

    let sends = numbers.chunks(30).enumerate().map(|(at, chunk)| {
        let side = if at % 2 == 0 { &here } else { &there };
        async move { side.send(&side.order_ready(chunk)).await.accepted() }
    });
    join_all(sends).await;

    let sends = eventually("all sends", || async {
        let sends = patchbay.provider_sends(&here).await;
        (sends.iter().filter(|send| send["status"] == 200).count() >= 300).then_some(sends)
    })
    .await;
    assert!(sends.iter().all(|send| send["status"] == 200), "the provider refused some");
    assert_eq!(sends.len(), 300);
}

#[tokio::test]
async fn the_clock_of_a_node_follows_the_others() {
    let patchbay = Patchbay::start().await;
    let here = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let there = node.client(&here);
    let sink = WebhookSink::start().await;
    here.webhooks_to(&sink, "v2").await;
    patchbay.phone("27820000001").write("27110000001", "hello").await;
    eventually("the message", || async { sink.received("incoming").first().cloned() }).await;
    assert_eq!(there.send(&there.chat("27820000001", "in time")).await.accepted()["acceptedCount"], json!(1));

    patchbay.advance_clock(24 * 3600).await;

    eventually("the window to close", || async {
        let answer = there.send(&there.chat("27820000001", "late")).await.accepted();
        (answer["acceptedCount"] == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_file_that_one_node_fetched_can_be_had_from_every_node() {
    let patchbay = Patchbay::start().await;
    let here = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    here.webhooks_to(&sink, "v2").await;
    let image = json!({ "type": "image", "base64": "aGVsbG8=", "mimeType": "image/jpeg", "to": here.number });
    patchbay.phone("27820000001").send(image).await;
    let incoming = sink.receives("incoming", "the file", |_| true).await;
    let address = incoming["mediaUrl"].as_str().unwrap().to_owned();
    eventually("the file is fetched", || async {
        let mut db = patchbay.database().await;
        let ready = "SELECT count(*) FROM media WHERE state = 'READY'";
        (sqlx::query_scalar::<_, i64>(ready).fetch_one(&mut db).await.unwrap() == 1).then_some(())
    })
    .await;

    let (node, _elsewhere) = patchbay.node_elsewhere().await;

    for url in [patchbay.url(), node.url.clone()] {
        let (_, path) = address.split_once("/media/").unwrap();
        let answer = patchbay.http.get(format!("{url}/media/{path}")).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{url}");
        assert_eq!(answer.bytes().await.unwrap(), "hello".as_bytes());
    }
}

#[tokio::test]
async fn a_server_without_workers_leaves_the_work_to_a_process_that_only_works() {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(patchbay.provider_sends(&client).await.len(), 0, "no process works yet");

    let _worker = patchbay.worker();

    patchbay.phone("27820000001").receives("the template", |_| true).await;
}
