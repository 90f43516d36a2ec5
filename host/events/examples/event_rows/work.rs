//! The statements of a send, of its callbacks and of its deliveries, on tables like those of the program.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    delivery::DeliveryState,
    event::{Event, EventRecord, MessageMoved, StepTimes, Tracking},
    ids::MessageId,
};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::{BATCH, TICKS};
use storage::Db;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    InDeliveries,
    EventTable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    Webhook,
    NoReader,
}

const CLIENT: Uuid = Uuid::from_u128(1);
const INBOX: Uuid = Uuid::from_u128(2);
const ENDPOINT: Uuid = Uuid::from_u128(3);
const STEPS: [DeliveryState; 3] = [DeliveryState::Sent, DeliveryState::Delivered, DeliveryState::Read];

const TABLES: &str = include_str!("tables.sql");

pub struct Work {
    db: Db,
    design: Design,
    load: Load,
    content: serde_json::Value,
    /// By tick.
    batches: Mutex<Vec<Vec<Uuid>>>,
    taken: AtomicUsize,
}

impl Work {
    pub async fn prepare(db: &Db, design: Design, load: Load) -> Self {
        sqlx::raw_sql(TABLES).execute(db).await.unwrap();
        sqlx::query("CHECKPOINT").execute(db).await.unwrap();
        let content = serde_json::json!({
            "kind": "template", "id": "77", "name": "order_ready", "language": "en", "header": null,
            "body": [{ "name": null, "text": "Zo" }, { "name": null, "text": "42" }], "buttons": [], "cards": [],
            "renderedText": "Hello Zo, order 42 is ready to be picked up at the counter. Thank you."
        });
        let (batches, taken) = (Mutex::default(), AtomicUsize::new(0));
        Self { db: db.clone(), design, load, content, batches, taken }
    }

    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Cleans up behind the round, as PostgreSQL would in its own time.
    pub async fn vacuum(&self) {
        let tables = "rows.part, rows.message, rows.leg, rows.work, rows.receipt, rows.callback, rows.callback_seen,
                      rows.event, rows.delivery, rows.attempt";
        sqlx::raw_sql(&format!("VACUUM (ANALYZE) {tables}")).execute(&self.db).await.unwrap();
    }

    /// Bytes of what events and deliveries leave behind.
    pub async fn stored_bytes(&self) -> f64 {
        let sum = "SELECT sum(pg_total_relation_size(name::regclass))::bigint
                   FROM unnest(ARRAY['rows.event_default', 'rows.delivery_default']) AS name";
        let bytes: i64 = sqlx::query_scalar(sum).fetch_one(&self.db).await.unwrap();
        bytes as f64
    }

    /// A batch of messages, in three transactions as grouped commits make them.
    pub async fn accept(&self, tick: u32) {
        let ids: Vec<Uuid> = (0..BATCH).map(|_| new_id()).collect();
        for group in ids.chunks(BATCH / 3) {
            let phones: Vec<String> = group.iter().map(phone_of).collect();
            let texts: Vec<String> = group.iter().map(Uuid::to_string).collect();
            sqlx::query(
                "WITH given AS (SELECT * FROM unnest($3::uuid[], $4::text[], $5::text[]) AS given (id, phone, gst_id)),
                 part AS (INSERT INTO rows.part SELECT $1, $6, $6, $2, 'NOTIFICATION', $7),
                 message AS (
                     INSERT INTO rows.message (client_id, id, part_id, inbox_id, to_phone, ct_id, gst_id, order_key)
                     SELECT $1, id, $6, $2, phone, 'ct-' || phone, gst_id, hashtext(phone) FROM given
                 ), leg AS (
                     INSERT INTO rows.leg (client_id, message_id, ordinal, channel, updated_at)
                     SELECT $1, id, 0, 'WHATSAPP', now() FROM given
                 )
                 INSERT INTO rows.work SELECT $1, id, 0, $2, 1, now() FROM given",
            )
            .bind(CLIENT)
            .bind(INBOX)
            .bind(group)
            .bind(phones)
            .bind(texts)
            .bind(new_id())
            .bind(&self.content)
            .execute(&self.db)
            .await
            .unwrap();
        }
        let mut batches = self.batches.lock().await;
        assert_eq!(batches.len(), tick as usize, "ticks come one after the other");
        batches.push(ids);
    }

    /// The statuses that come in this tick: each step of another batch, a second apart.
    async fn statuses(&self, tick: u32) -> Vec<(Uuid, DeliveryState)> {
        let batches = self.batches.lock().await;
        let of_step = |(place, step): (u32, DeliveryState)| {
            let batch = tick.checked_sub(1 + place * TICKS).and_then(|tick| batches.get(tick as usize));
            batch.into_iter().flatten().map(move |id| (*id, step)).collect::<Vec<_>>()
        };
        (0..).zip(STEPS).flat_map(of_step).collect()
    }

    /// The provider calls back, with up to ten statuses at once.
    pub async fn call_back(&self, tick: u32) {
        for post in self.statuses(tick).await.chunks(10) {
            let items: Vec<String> = post.iter().map(|(id, state)| callback(*id, *state)).collect();
            let hashes: Vec<Vec<u8>> = post.iter().map(|(id, state)| hash(*id, *state)).collect();
            let ids: Vec<Uuid> = post.iter().map(|(id, state)| callback_id(*id, *state)).collect();
            sqlx::query(
                "WITH seen AS (
                     INSERT INTO rows.callback_seen SELECT $1, hash, now() FROM unnest($4::bytea[]) AS hash
                 )
                 INSERT INTO rows.callback SELECT $1, id, $2, now(), now(), 0, item::jsonb
                 FROM unnest($3::uuid[], $5::text[]) AS given (id, item)",
            )
            .bind(CLIENT)
            .bind(INBOX)
            .bind(ids)
            .bind(hashes)
            .bind(items)
            .execute(&self.db)
            .await
            .unwrap();
        }
    }

    pub async fn take(&self, tick: u32) {
        let Some(before) = tick.checked_sub(1) else { return };
        let statuses = self.statuses(before).await;
        if statuses.is_empty() {
            return;
        }
        let now = Utc::now();
        let messages: Vec<Uuid> = statuses.iter().map(|(id, _)| *id).collect();
        let states: Vec<&str> = statuses.iter().map(|(_, state)| state.as_str()).collect();
        let callbacks: Vec<Uuid> = statuses.iter().map(|(id, state)| callback_id(*id, *state)).collect();
        let receipts: Vec<Uuid> = statuses.iter().map(|_| new_id()).collect();
        let mut tx = self.db.begin().await.unwrap();
        sqlx::query(
            "SELECT message.*, leg.state FROM rows.message JOIN rows.leg ON leg.client_id = $1 AND leg.message_id = message.id
             WHERE message.client_id = $1 AND message.id = ANY($2) AND leg.message_id = ANY($2) ORDER BY message.id FOR UPDATE",
        )
        .persistent(false)
        .bind(CLIENT)
        .bind(&messages)
        .fetch_all(&mut *tx)
        .await
        .unwrap();
        for update in [
            "UPDATE rows.leg SET state = move.state, updated_at = $4
             FROM unnest($2::uuid[], $3::text[], $5::uuid[]) AS move (id, state, receipt_id)
             WHERE leg.client_id = $1 AND leg.message_id = ANY($2) AND leg.message_id = move.id",
            "UPDATE rows.message SET state = move.state, sent_at = $4, delivered_at = $4
             FROM unnest($2::uuid[], $3::text[], $5::uuid[]) AS move (id, state, receipt_id)
             WHERE message.client_id = $1 AND message.id = ANY($2) AND message.id = move.id",
            "WITH done AS (DELETE FROM rows.work WHERE client_id = $1 AND message_id = ANY($2))
             INSERT INTO rows.receipt SELECT $1, receipt_id, id, 'WHATSAPP', state, $4
             FROM unnest($2::uuid[], $3::text[], $5::uuid[]) AS move (id, state, receipt_id)",
        ] {
            let query = sqlx::query(update).persistent(false).bind(CLIENT).bind(&messages).bind(&states).bind(now);
            query.bind(&receipts).execute(&mut *tx).await.unwrap();
        }
        self.record(&mut tx, &statuses, now).await;
        let done = "DELETE FROM rows.callback WHERE client_id = $1 AND id = ANY($2)";
        sqlx::query(done).persistent(false).bind(CLIENT).bind(callbacks).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        self.taken.fetch_add(statuses.len(), Ordering::Relaxed);
    }

    async fn record(&self, db: &mut storage::PgConnection, statuses: &[(Uuid, DeliveryState)], now: DateTime<Utc>) {
        if (self.design, self.load) == (Design::InDeliveries, Load::NoReader) {
            return;
        }
        let keys: Vec<i64> = statuses.iter().map(|(id, _)| id.as_u64_pair().1.cast_signed()).collect();
        let events: Vec<String> = statuses.iter().map(|(id, state)| stored_event(*id, *state, now)).collect();
        let (events_of, deliveries): (Vec<Uuid>, Vec<Uuid>) = statuses.iter().map(|_| (new_id(), new_id())).unzip();
        let statement = match (self.design, self.load) {
            (Design::InDeliveries, _) => {
                "INSERT INTO rows.delivery (client_id, id, lane_id, inbox_id, order_key, event_id, event, due_at)
                 SELECT $1, id, $2, $3, order_key, NULL, event::json, $8
                 FROM unnest($4::uuid[], $5::uuid[], $6::bigint[], $7::text[]) AS new (id, event_id, order_key, event)"
            }
            (Design::EventTable, Load::NoReader) => {
                "INSERT INTO rows.event SELECT $1, event_id, $3, order_key, event::json
                 FROM unnest($4::uuid[], $5::uuid[], $6::bigint[], $7::text[]) AS new (id, event_id, order_key, event)
                 WHERE $2::uuid IS NOT NULL AND $8::timestamptz IS NOT NULL"
            }
            (Design::EventTable, Load::Webhook) => {
                "WITH new AS (
                     SELECT * FROM unnest($4::uuid[], $5::uuid[], $6::bigint[], $7::text[])
                         AS new (id, event_id, order_key, event)
                 ), happened AS (
                     INSERT INTO rows.event SELECT $1, event_id, $3, order_key, event::json FROM new
                 )
                 INSERT INTO rows.delivery (client_id, id, lane_id, inbox_id, order_key, event_id, event, due_at)
                 SELECT $1, id, $2, $3, order_key, event_id, NULL, $8 FROM new"
            }
        };
        sqlx::query(statement)
            .bind(CLIENT)
            .bind(ENDPOINT)
            .bind(INBOX)
            .bind(deliveries)
            .bind(events_of)
            .bind(keys)
            .bind(events)
            .bind(now)
            .execute(db)
            .await
            .unwrap();
    }

    /// Reads a page of deliveries, stores their bytes, and writes down that they arrived.
    pub async fn deliver(&self) {
        let page = match self.design {
            Design::InDeliveries => {
                "SELECT id, event::text FROM rows.delivery
                 WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING' AND due_at <= now() ORDER BY due_at, id LIMIT 256"
            }
            Design::EventTable => {
                "SELECT due.id, event.event::text FROM (
                     SELECT id, event_id, due_at FROM rows.delivery
                     WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING' AND due_at <= now()
                     ORDER BY due_at, id LIMIT 256
                 ) due JOIN rows.event ON event.client_id = $1 AND event.id = due.event_id ORDER BY due.due_at, due.id"
            }
        };
        let due: Vec<(Uuid, String)> =
            sqlx::query_as(page).persistent(false).bind(CLIENT).bind(ENDPOINT).fetch_all(&self.db).await.unwrap();
        if due.is_empty() {
            return;
        }
        // A body of the built-in shaper has about as many bytes as the event that it is made of.
        let (ids, bodies): (Vec<Uuid>, Vec<Vec<u8>>) = due.into_iter().map(|(id, event)| (id, event.into())).unzip();
        let shaped = "UPDATE rows.delivery SET body = shaped.body, event = NULL
                      FROM unnest($2::uuid[], $3::bytea[]) AS shaped (id, body)
                      WHERE delivery.client_id = $1 AND delivery.id = ANY($2) AND delivery.id = shaped.id";
        let shaped = sqlx::query(shaped).persistent(false).bind(CLIENT).bind(&ids).bind(bodies);
        shaped.execute(&self.db).await.unwrap();
        let arrived = "WITH done AS (
                           UPDATE rows.delivery SET state = 'DELIVERED', attempts = 1
                           WHERE client_id = $1 AND id = ANY($2)
                       )
                       INSERT INTO rows.attempt SELECT $1, id, id, 1, 200, 3, now() FROM unnest($2::uuid[]) AS id";
        sqlx::query(arrived).persistent(false).bind(CLIENT).bind(&ids).execute(&self.db).await.unwrap();
    }
}

fn stored_event(message: Uuid, state: DeliveryState, at: DateTime<Utc>) -> String {
    let event = Event::MessageMoved(Box::new(MessageMoved {
        conversation: None,
        message: MessageId(message),
        chat_message: None,
        leg: 0,
        channel: Channel::Whatsapp,
        state,
        to: Address::of_kind(AddressKind::Phone, &phone_of(&message)).into_iter().collect(),
        gst_id: message.to_string(),
        ct_id: Some(format!("ct-{}", phone_of(&message))),
        times: StepTimes::up_to(state, [Some(at); 4]),
        failure: None,
        tracking: Tracking::default(),
    }));
    serde_json::json!({ "kind": "status", "recorded": EventRecord::new(at, &event) }).to_string()
}

fn callback(message: Uuid, state: DeliveryState) -> String {
    serde_json::json!({
        "dedupe_key": format!("status:wamid.{message}:{}", state.as_str()), "target": { "phoneNumberId": "PN" },
        "body": { "status": { "providerId": format!("wamid.{message}"), "opaque": format!("pb1:{CLIENT}:{message}:0"),
            "status": state.as_str(), "at": "2026-09-21T14:13:20Z", "recipient": phone_of(&message), "error": null } }
    })
    .to_string()
}

fn phone_of(message: &Uuid) -> String {
    format!("2782{:07}", message.as_u128() % 10_000_000)
}

/// Its id, which a real provider does not give: derived, so that the taker knows it.
fn callback_id(message: Uuid, state: DeliveryState) -> Uuid {
    Uuid::from_u128(message.as_u128() ^ (state as u128) << 48)
}

fn hash(message: Uuid, state: DeliveryState) -> Vec<u8> {
    let half = callback_id(message, state).as_u128().wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    [half.to_be_bytes(), half.rotate_left(64).to_le_bytes()].concat()
}

/// An id of this moment, after all earlier ones.
fn new_id() -> Uuid {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let count = u128::from(COUNTER.fetch_add(1, Ordering::Relaxed));
    Uuid::from_u128((millis << 80) | (7 << 76) | (2 << 62) | count)
}
