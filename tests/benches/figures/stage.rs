//! The program with a client, on a database whose commits are on the disk.

use std::{net::SocketAddr, str::FromStr};

use harness::{Patchbay, PatchbaySetup, TestClient};
use serde_json::json;
use sqlx::{PgPool, Row, postgres::PgConnectOptions};

/// Everything that a measurement needs.
pub struct Stage {
    pub patchbay: Patchbay,
    pub client: TestClient,
    pub db: PgPool,
}

impl Stage {
    /// Starts the program as an operator would, but for the outside world, which is simulated in this process.
    pub async fn set(setup: PatchbaySetup) -> Self {
        let patchbay = setup.durable().start().await;
        let client = patchbay.client("bench", "27110000001").await;
        // The queries of a measurement are no cost of the program.
        let unseen = [("pg_stat_statements.track", "none")];
        let options = PgConnectOptions::from_str(patchbay.database_url()).unwrap().options(unseen);
        let db = PgPool::connect_with(options).await.unwrap();
        Self { patchbay, client, db }
    }

    /// Starts the program again with another provider of the Cloud API.
    pub async fn send_to(&mut self, url: &str) {
        assert_eq!(self.patchbay.terminate().await, Some(0));
        self.patchbay.set("whatsapp_cloud.graph_url", url);
        self.patchbay.launch().await;
    }

    /// Where the program listens.
    pub fn address(&self) -> SocketAddr {
        self.patchbay.url().trim_start_matches("http://").parse().unwrap()
    }

    /// A template with two texts and a button for each of these recipients.
    pub fn body(&self, recipients: usize) -> BodyMaker {
        let mut payload = self.client.order_ready(&[]);
        payload["messages"][0]["recipients"] = json!(["RECIPIENTS"]);
        let text = payload.to_string();
        let (before, after) = text.split_once("\"RECIPIENTS\"").unwrap();
        BodyMaker { before: before.to_owned(), after: after.to_owned(), recipients }
    }

    /// Removes all messages and waiting rows, so that every round begins with the same tables.
    pub async fn clear(&self) {
        let tables = "outbound_work, outbound_message, outbound_leg, outbound_part, idempotency, provider_message,
                      delivery_receipt, callback, callback_seen, lane, webhook_delivery, webhook_attempt";
        // The program looks at its queues at the same time: a deadlock is reported to one side, which begins again.
        while let Err(error) = sqlx::query(&format!("TRUNCATE {tables}")).execute(&self.db).await {
            let is_deadlock = error.as_database_error().is_some_and(|error| error.code().as_deref() == Some("40P01"));
            assert!(is_deadlock, "{error}");
        }
        sqlx::query("CHECKPOINT").execute(&self.db).await.unwrap();
    }

    /// The stored content of a message.
    pub async fn stored_content(&self) -> String {
        let row = sqlx::query("SELECT content::text FROM outbound_part LIMIT 1").fetch_one(&self.db).await.unwrap();
        row.get(0)
    }
}

/// Makes bodies that differ in their recipients.
pub struct BodyMaker {
    before: String,
    after: String,
    recipients: usize,
}

impl BodyMaker {
    /// The body of the n-th request.
    pub fn make(&self, request: usize) -> String {
        use std::fmt::Write;
        let mut body = String::with_capacity(self.before.len() + self.after.len() + 60 * self.recipients);
        body.push_str(&self.before);
        for at in 0..self.recipients {
            let number = (request * self.recipients + at) % 10_000_000;
            let comma = if at == 0 { "" } else { "," };
            write!(body, "{comma}{{\"to\":\"2782{number:07}\",\"ctId\":\"ct-{number}\"}}").unwrap();
        }
        body.push_str(&self.after);
        body
    }
}
