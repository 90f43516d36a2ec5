//! SMS legs from a full queue to an SMSC, compared with a bare client loop over the same SMSC with the same window.

use std::time::Duration;

use harness::PatchbaySetup;
use serde_json::json;
use sqlx::{PgPool, Row};

use crate::{
    smsc::{Account, Npm, bare_loop},
    stage::Stage,
    table::{Bar, Figure, median},
};

const LEGS: usize = 20_000;
/// The window of a bind, as it is by default.
const WINDOW: usize = 32;
const ROUNDS: usize = 3;
const TEXT: &str = "Your order 4711 is ready. Show this message at the counter.";
/// Between the insertion of the legs and the moment they become due, so that they are all there.
const AHEAD: Duration = Duration::from_secs(8);

pub async fn measure() -> [Figure; 2] {
    let npm = Npm::start();
    let stage = Stage::set(PatchbaySetup::new().set("smpp.url", &npm.account.url(WINDOW))).await;
    let with_npm = against(&stage, &npm.account, "SMS legs to npm `smpp`, window 32").await;
    drop((stage, npm));
    let stage = Stage::set(PatchbaySetup::new()).await;
    stage.patchbay.simulate("/simulator/faults", &json!({ "smscReceiptState": "NONE" })).await;
    let account = Account { address: stage.patchbay.smsc_address().to_string(), system_id: "patchbay" };
    let with_simulator = against(&stage, &account, "SMS legs to the simulated SMSC, window 32").await;
    [with_npm, with_simulator]
}

async fn against(stage: &Stage, account: &Account, name: &'static str) -> Figure {
    let (mut measured, mut floors, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let ours = submit(stage).await;
        let bare = bare_loop(account, TEXT, LEGS, WINDOW).await;
        notes.push(format!("round {round}: {ours:.0}/s; bare loop {bare:.0}/s"));
        measured.push(ours);
        floors.push(bare);
    }
    Figure {
        name,
        unit: "legs/s",
        measured: median(measured),
        floor: Some(median(floors)),
        floor_name: "a bare SMPP loop to the same SMSC with the same window".to_owned(),
        bar: Bar::AtLeast(0.5),
        notes,
    }
}

/// Queues the legs and answers how many were submitted and written down per second, from the first to the last.
async fn submit(stage: &Stage) -> f64 {
    stage.clear().await;
    sqlx::query("TRUNCATE sms_part, smsc_message, parked_receipt").execute(&stage.db).await.unwrap();
    queue(&stage.db).await;
    sqlx::query("ANALYZE outbound_work, outbound_message, outbound_leg, outbound_part")
        .execute(&stage.db)
        .await
        .unwrap();
    sqlx::query("CHECKPOINT").execute(&stage.db).await.unwrap();
    loop {
        let waiting = sqlx::query("SELECT EXISTS (SELECT 1 FROM outbound_work)").fetch_one(&stage.db).await.unwrap();
        if !waiting.get::<bool, _>(0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let row = sqlx::query(
        "SELECT count(*), extract(epoch FROM max(happened_at) - min(happened_at))::float8 FROM delivery_receipt
         WHERE channel = 'SMS' AND state = 'ACCEPTED'",
    )
    .fetch_one(&stage.db)
    .await
    .unwrap();
    let (count, seconds): (i64, f64) = (row.get(0), row.get(1));
    assert_eq!(usize::try_from(count).unwrap(), LEGS, "not every leg was submitted");
    #[expect(clippy::cast_precision_loss, reason = "a count of legs")]
    let count = count as f64;
    count / seconds
}

/// Messages that did not arrive on WhatsApp and whose SMS is decided, as the program stores them. They become due
/// together.
async fn queue(db: &PgPool) {
    sqlx::query(
        "WITH inbox AS (
             SELECT number.client_id, number.id AS inbox_id, sms.id AS sms_id FROM whatsapp_cloud_inbox number
             JOIN sms_inbox sms ON sms.client_id = number.client_id AND sms.is_default LIMIT 1
         ), minted AS MATERIALIZED (
             SELECT n, '2782' || lpad(n::text, 7, '0') AS phone,
                    (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7000'
                     || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id
             FROM generate_series(1, $1) AS n
         ), part AS (
             INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
             SELECT client_id, id, id, inbox_id, 'NOTIFICATION',
                    jsonb_build_object('v', 1, 'value', jsonb_build_object('kind', 'text', 'body', $2::text))
             FROM inbox, minted WHERE n = 1
         ), message AS (
             INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, gst_id,
                                           order_key)
             SELECT client_id, id, (SELECT id FROM minted WHERE n = 1), inbox_id, 'PHONE', phone, id::text, n
             FROM inbox, minted
         ), leg AS (
             INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value,
                                       state, content, updated_at)
             SELECT client_id, id, ordinal, channel, CASE channel WHEN 'SMS' THEN sms_id ELSE inbox_id END, 'PHONE',
                    phone, state, content, now()
             FROM inbox, minted, (VALUES
                 (0::smallint, 'WHATSAPP', 'FAILED', NULL::jsonb),
                 (1::smallint, 'SMS', 'QUEUED', jsonb_build_object('v', 1, 'value', jsonb_build_object('sms',
                  jsonb_build_object('text', $2::text, 'unicode', false, 'source', 'PATCHBAY'))))
             ) AS legs (ordinal, channel, state, content)
         )
         INSERT INTO outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at)
         SELECT client_id, id, 1, sms_id, phone, 1, now() + make_interval(secs => $3) FROM inbox, minted",
    )
    .bind(i32::try_from(LEGS).unwrap())
    .bind(TEXT)
    .bind(AHEAD.as_secs_f64())
    .execute(db)
    .await
    .unwrap();
}
