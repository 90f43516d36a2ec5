//! `patchbay client remove`: erases a client with all its data, after a confirmation that names it.

use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink, eventually};
use serde_json::json;
use uuid::Uuid;

async fn id_of(patchbay: &Patchbay, client: &TestClient) -> Uuid {
    let mut db = patchbay.database().await;
    sqlx::query_scalar("SELECT id FROM client WHERE client_ref = $1")
        .bind(&client.client_ref)
        .fetch_one(&mut db)
        .await
        .unwrap()
}

/// The tables that still have rows of a client.
async fn left(patchbay: &Patchbay, client: Uuid) -> Vec<String> {
    let mut db = patchbay.database().await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attname = 'client_id'
           AND c.relnamespace = 'public'::regnamespace ORDER BY 1",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let mut left = Vec::new();
    for table in tables {
        let rows: i64 = sqlx::query_scalar(&format!("SELECT count(*) FROM {table} WHERE client_id = $1"))
            .bind(client)
            .fetch_one(&mut db)
            .await
            .unwrap();
        if rows > 0 {
            left.push(table);
        }
    }
    left
}

#[tokio::test]
async fn a_client_is_erased_with_every_row_and_the_others_stay() {
    let patchbay = PatchbaySetup::new().start().await;
    let (client, other) = (patchbay.client("acme", "27110000001").await, patchbay.client("other", "27110000002").await);
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.new_site("https://shop.example", json!({})).await;
    patchbay.credits(&client, 50);
    let phone = patchbay.phone("27820000001");
    phone.write(&client.number, "hello").await;
    sink.receives("incoming", "the greeting", |body| body["text"] == "hello").await;
    client.send(&client.chat("27820000001", "hello yourself")).await.accepted();
    other.send(&other.order_ready(&["27820000001"])).await.accepted();
    phone.receives("both", |message| message["from"] == other.number || message.to_string().contains("yourself")).await;
    let id = id_of(&patchbay, &client).await;
    eventually("the end of all work", || async {
        let said = patchbay.refused(&["client", "remove", "--client", "acme"]);
        (!said.contains("Waiting work")).then_some(())
    })
    .await;

    let asked = patchbay.refused(&["client", "remove", "--client", "acme"]);
    for named in ["client `acme`", "1 users", "1 customers", "Add --yes"] {
        assert!(asked.contains(named), "{named} is missing: {asked}");
    }
    assert_eq!(client.get("/api/v1/users/me").await.status, 200, "nothing was changed");
    let others = patchbay.rows_of("other").await;

    let removed = patchbay.admin(&["client", "remove", "--client", "acme", "--yes"]);

    assert!(removed["rows"]["chat_message"].as_u64().unwrap() > 0, "{removed}");
    assert_eq!(left(&patchbay, id).await, Vec::<String>::new());
    assert_eq!(client.get("/api/v1/users/me").await.status, 401);
    assert_eq!(patchbay.rows_of("other").await["outbound_message"], others["outbound_message"]);
    assert!(patchbay.refused(&["client", "remove", "--client", "acme", "--yes"]).contains("there is no client `acme`"));
    let again = patchbay.client("acme", "27110000001").await;
    assert_eq!(again.get("/api/v1/users/me").await.status, 200);
}

#[tokio::test]
async fn a_client_with_subclients_or_waiting_messages_is_not_removed_without_force() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let child = ["--ref", "child", "--name", "Child", "--email", "c@example.com", "--password", "long enough"];
    patchbay.admin(&[&["client", "create", "--parent", "acme"], &child[..]].concat());
    let remove = ["client", "remove", "--client", "acme", "--yes"];
    assert!(patchbay.refused(&remove).contains("has subclients: child"));
    patchbay.admin(&["client", "remove", "--client", "child", "--yes"]);
    let trail = patchbay.printed(&["audit", "verify", "--client", "acme"]);
    assert!(trail.contains("\"intact\":true"), "{trail}");

    patchbay.admin(&["number", "disable", "--client", "acme", "--number", "27110000001"]);
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    let refused = patchbay.refused(&remove);
    assert!(refused.contains("1 in `outbound`") && refused.contains("--force"), "{refused}");
    assert_eq!(client.get("/api/v1/users/me").await.status, 200, "nothing was changed");

    let id = id_of(&patchbay, &client).await;
    patchbay.admin(&[&remove[..], &["--force"]].concat());

    assert_eq!(left(&patchbay, id).await, Vec::<String>::new());
}
