//! The state of the database, the provider, the phones and the webhook receiver after the kills.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use harness::{Patchbay, TestClient, WebhookSink};
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use super::load::Ledger;

pub struct Counts {
    pub requests: usize,
    pub recipients: usize,
    pub calls: u64,
    pub doubles: usize,
    pub ambiguous: usize,
    pub written: usize,
    pub webhooks: usize,
    pub repeated_webhooks: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} requests acknowledged, {} recipients, 0 lost; {} calls taken by the provider, {} doubles of {} legs in \
             doubt; {} messages received, each once; {} webhooks, {} of them repetitions",
            self.requests,
            self.recipients,
            self.calls,
            self.doubles,
            self.ambiguous,
            self.written,
            self.webhooks,
            self.repeated_webhooks
        )
    }
}

#[derive(sqlx::FromRow)]
struct Stored {
    client_id: Uuid,
    id: Uuid,
    ct_id: String,
}

pub async fn judge(
    patchbay: &Patchbay,
    db: &PgPool,
    clients: &[TestClient],
    sink: &WebhookSink,
    ledger: &Ledger,
) -> Counts {
    let stored: Vec<Stored> = sqlx::query_as(
        "SELECT client_id, id, ct_id FROM outbound_message message
         WHERE chat_message_id IS NULL AND NOT EXISTS (
             SELECT FROM sms_message sms WHERE sms.client_id = message.client_id AND sms.id = message.id)",
    )
    .fetch_all(db)
    .await
    .unwrap();
    let recipients = every_key_counted_once(&stored, ledger);
    same_answer_under_the_same_key(clients, ledger).await;
    let (calls, doubles) = sends(patchbay, db, &stored).await;
    every_message_is_on_its_phone(patchbay, ledger).await;
    let (webhooks, repeated_webhooks) = every_status_was_reported(sink, ledger);
    every_message_of_a_customer_is_stored_once(db, ledger).await;
    every_message_of_a_customer_was_reported(sink, ledger);
    Counts {
        requests: ledger.acknowledged.len(),
        recipients,
        calls,
        doubles,
        ambiguous: ambiguous(db).await,
        written: ledger.written.len(),
        webhooks,
        repeated_webhooks,
    }
}

/// Every `ctId` belongs to one key, so if it is stored once, the key was carried out once.
fn every_key_counted_once(stored: &[Stored], ledger: &Ledger) -> usize {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for message in stored {
        *rows.entry(&message.ct_id).or_default() += 1;
    }
    let twice: Vec<_> = rows.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "keys that were carried out more than once: {twice:?}");
    let acknowledged = ledger.acknowledged.iter().flat_map(|request| &request.messages);
    let lost: Vec<_> = acknowledged.clone().filter(|(_, ct_id)| !rows.contains_key(ct_id.as_str())).collect();
    assert!(lost.is_empty(), "acknowledged and not stored: {lost:?}");
    acknowledged.count()
}

async fn same_answer_under_the_same_key(clients: &[TestClient], ledger: &Ledger) {
    assert!(ledger.changed_replays.is_empty(), "other answers under {:?}", ledger.changed_replays);
    for request in ledger.acknowledged.iter().step_by(25) {
        let reply = clients[request.client].send_with_key(&request.payload, &request.key).await;
        assert_eq!(reply.text, request.response, "another answer under {}", request.key);
    }
}

/// The number of accepted calls, and of second calls for a leg. A leg may be sent twice only if it is marked as in
/// doubt, and never more often. Replies of the chatbot count too.
async fn sends(patchbay: &Patchbay, db: &PgPool, stored: &[Stored]) -> (u64, usize) {
    let url = format!("{}/simulator/requests?groupBy=opaque&accepted=true", patchbay.simulator_url());
    let answer: Value = patchbay.http.get(url).send().await.unwrap().json().await.unwrap();
    let counts: HashMap<String, u64> = serde_json::from_value(answer["counts"].clone()).unwrap();
    let opaque = |client: Uuid, message: Uuid| format!("pb1:{}:{}:0", client.simple(), message.simple());
    for message in stored {
        let sent = counts.get(&opaque(message.client_id, message.id));
        assert!(sent.is_some(), "{} never reached the provider", message.ct_id);
    }
    let in_doubt: Vec<(Uuid, Uuid)> =
        sqlx::query_as("SELECT client_id, message_id FROM outbound_leg WHERE ambiguous").fetch_all(db).await.unwrap();
    let in_doubt: HashSet<String> = in_doubt.into_iter().map(|(client, message)| opaque(client, message)).collect();
    let doubles: Vec<(&String, &u64)> = counts.iter().filter(|(_, count)| **count > 1).collect();
    for (leg, count) in &doubles {
        assert!(in_doubt.contains(*leg), "{leg} was sent {count} times and is not marked as in doubt");
        assert_eq!(**count, 2, "{leg} was sent {count} times");
    }
    (counts.values().sum(), doubles.len())
}

async fn ambiguous(db: &PgPool) -> usize {
    let count: i64 =
        sqlx::query_scalar("SELECT count(*) FROM outbound_leg WHERE ambiguous").fetch_one(db).await.unwrap();
    usize::try_from(count).unwrap()
}

async fn every_message_is_on_its_phone(patchbay: &Patchbay, ledger: &Ledger) {
    let mut expected: HashMap<&str, Vec<&str>> = HashMap::new();
    for (to, ct_id) in ledger.acknowledged.iter().flat_map(|request| &request.messages) {
        expected.entry(to).or_default().push(ct_id);
    }
    for (phone, ct_ids) in expected {
        let inbox = patchbay.phone(phone).inbox().await;
        // The text contains the marker between spaces: "order <marker> is ready".
        let texts: Vec<String> = inbox.iter().map(|message| message["text"].as_str().unwrap().to_owned()).collect();
        for ct_id in ct_ids {
            let marker = format!(" {ct_id} ");
            assert!(texts.iter().any(|text| text.contains(&marker)), "{phone} did not get {ct_id}: {texts:?}");
        }
    }
}

/// Returns the number of webhooks, and of repetitions among them.
fn every_status_was_reported(sink: &WebhookSink, ledger: &Ledger) -> (usize, usize) {
    let received = sink.received("status");
    let mut statuses: HashMap<String, HashSet<String>> = HashMap::new();
    let mut bodies: HashMap<String, Vec<u8>> = HashMap::new();
    for webhook in &received {
        let body = webhook.json();
        let ct_id = body["ctId"].as_str().unwrap().to_owned();
        statuses.entry(ct_id).or_default().insert(body["status"].as_str().unwrap().to_owned());
        let first = bodies.entry(webhook.header("webhook-id")).or_insert_with(|| webhook.body.to_vec());
        assert_eq!(*first, webhook.body, "a repeated webhook has the bytes of the first");
    }
    let wanted: HashSet<String> = ["ACCEPTED", "SENT", "DELIVERED"].map(str::to_owned).into();
    for (_, ct_id) in ledger.acknowledged.iter().flat_map(|request| &request.messages) {
        assert_eq!(statuses.get(ct_id), Some(&wanted), "statuses of {ct_id}");
    }
    (received.len(), received.len() - bodies.len())
}

async fn every_message_of_a_customer_is_stored_once(db: &PgPool, ledger: &Ledger) {
    let stored: Vec<(String, i64)> =
        sqlx::query_as("SELECT body, count(*) FROM chat_message WHERE direction = 'INCOMING' GROUP BY body")
            .fetch_all(db)
            .await
            .unwrap();
    let stored: HashMap<String, i64> = stored.into_iter().collect();
    for (_, _, text) in &ledger.written {
        assert_eq!(stored.get(text), Some(&1), "{text:?} is not stored exactly once");
    }
    assert_eq!(stored.len(), ledger.written.len(), "a message was stored that no customer wrote");
    let gaps: Vec<(Uuid, i64, i64)> = sqlx::query_as(
        "SELECT participant_id, count(*), count(DISTINCT sequence_number) FROM chat_message GROUP BY participant_id
         HAVING min(sequence_number) <> 1 OR max(sequence_number) <> count(*)
             OR count(DISTINCT sequence_number) <> count(*)",
    )
    .fetch_all(db)
    .await
    .unwrap();
    assert!(gaps.is_empty(), "chats whose numbers have gaps or doubles: {gaps:?}");
    let out_of_order: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (
             SELECT split_part(body, ' says ', 2)::integer AS round,
                    lag(split_part(body, ' says ', 2)::integer) OVER (PARTITION BY participant_id ORDER BY sequence_number)
                        AS before
             FROM chat_message WHERE direction = 'INCOMING') rounds WHERE before >= round",
    )
    .fetch_one(db)
    .await
    .unwrap();
    assert_eq!(out_of_order, 0, "messages of a customer are numbered in the order of writing");
}

fn every_message_of_a_customer_was_reported(sink: &WebhookSink, ledger: &Ledger) {
    let reported: HashSet<String> =
        sink.received("incoming").iter().map(|webhook| webhook.json()["text"].as_str().unwrap().to_owned()).collect();
    for (_, _, text) in &ledger.written {
        assert!(reported.contains(text), "{text:?} was not reported on the incoming webhook");
    }
}
