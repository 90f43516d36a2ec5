//! If requests of the SMS gateways arrive together, they are stored together, and each gets its own answer (issue 12,
//! part 1).

use futures::future::join_all;
use harness::{Patchbay, SharedPatchbay, TestClient};
use serde_json::json;

const BATCH: &str = "/smsbatch/sms";

async fn stage(credits: u32) -> (SharedPatchbay, TestClient) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    patchbay.credits(&client, credits);
    (patchbay, client)
}

async fn batch(patchbay: &Patchbay, client: &TestClient, id: &str, cells: &str) -> String {
    let fields = [("batchref", "spring"), ("batchid", id), ("message", "Hi"), ("cell", cells), ("senderid", "SHOP")];
    let xml = patchbay.batch(client, BATCH, &fields).await;
    let (_, rest) = xml.split_once("<status code=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn requests_that_arrive_together_share_transactions() {
    let (patchbay, client) = stage(200).await;
    let cells: Vec<(String, String)> = (0..40).map(|at| (format!("b{at}"), format!("2783{at:07}"))).collect();

    let batches = join_all(cells.iter().map(|(id, cell)| batch(&patchbay, &client, id, cell)));
    let (program, caller): (&Patchbay, &TestClient) = (&patchbay, &client);
    let singles = join_all(cells.iter().map(|(id, cell)| async move {
        let body = json!({ "ctid": id, "recipients": [{ "to": cell }], "messageText": "Hi" });
        program.sms(caller, "/sms/json", &body).await.ok()["statusCode"].clone()
    }));
    let (batches, singles) = tokio::join!(batches, singles);

    assert!(batches.iter().all(|code| code == "0") && singles.iter().all(|code| code == "100"));
    assert_eq!(patchbay.sms_balance(&client).await, 120);
    let mut db = patchbay.database().await;
    let statement = "SELECT count(*), count(DISTINCT request.xmin::text) FROM sms_request request
                     WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) AND product = $2";
    for product in ["BATCH", "JSON"] {
        let counted = sqlx::query_as(statement).bind(&client.client_ref).bind(product).fetch_one(&mut db);
        let (requests, transactions): (i64, i64) = counted.await.unwrap();
        assert_eq!(requests, 40);
        assert!(transactions < 40, "each {product} had a transaction of its own");
    }
}

#[tokio::test]
async fn a_failed_batch_does_not_affect_others() {
    let (patchbay, client) = stage(12).await;
    let costly: Vec<String> = (0..100).map(|at| format!("2784{at:07}")).collect();
    let costly = costly.join(",");
    let of = |id: &'static str, cells: &'static str| batch(&patchbay, &client, id, cells);
    let single = "27830000001";

    let (good, twice, costly) = tokio::join!(
        join_all(["a", "b", "c", "d", "e", "f"].map(|id| of(id, single))),
        join_all([of("same", single), of("same", single), of("same", single)]),
        batch(&patchbay, &client, "costly", &costly),
    );

    assert_eq!(good, ["0"; 6]);
    let mut twice = twice;
    twice.sort_unstable();
    assert_eq!(twice, ["0", "1034", "1034"]);
    assert_eq!(costly, "2012");
    assert_eq!(patchbay.sms_balance(&client).await, 5);
}
