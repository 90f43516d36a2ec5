//! Lives that go from callbacks to customers, chats and messages. They run at the same time, so the messages of
//! different people are mixed.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    people::{Told, World, history},
    seeds,
    verdict::{Found, judge},
};
use crate::stage::Stage;

/// Each tenth life is run.
const STRIDE: usize = 10;
const TOGETHER: usize = 50;

/// The provider's message and contact. `None` for a report that comes as the answer to a send.
fn callback(told: &Told, id: &str) -> Option<(Value, Option<Value>)> {
    let mut message = json!({ "id": id, "timestamp": "1790000000" });
    let mut set = |name: &str, value: Value| message[name] = value;
    let contact = match told {
        Told::Message { phone, user_id, username } => {
            set("type", json!("text"));
            set("text", json!({ "body": id }));
            if let Some(phone) = phone {
                set("from", json!(phone));
            }
            if let Some(user_id) = user_id {
                set("from_user_id", json!(user_id));
            }
            let mut contact = json!({ "profile": { "name": "Somebody", "username": username } });
            if let Some(phone) = phone {
                contact["wa_id"] = json!(phone);
            }
            if let Some(user_id) = user_id {
                contact["user_id"] = json!(user_id);
            }
            Some(contact)
        }
        Told::NumberChanged { old, new, before, now } => {
            set("type", json!("system"));
            set("from", json!(old));
            let system =
                json!({ "type": "user_changed_number", "wa_id": new, "user_id": now, "previous_user_id": before });
            set("system", system);
            None
        }
        Told::UserIdChanged { before, now, .. } => {
            set("type", json!("system"));
            set("from_user_id", json!(before));
            set("system", json!({ "type": "user_changed_user_id", "user_id": now, "previous_user_id": before }));
            None
        }
        Told::Sent { .. } => return None,
    };
    Some((message, contact))
}

/// Delivers one report of each life.
async fn tell(stage: &Stage, round: usize, told: &[(usize, Told)]) {
    for together in told.chunks(TOGETHER) {
        let (mut messages, mut contacts) = (Vec::new(), Vec::new());
        for (life, told) in together {
            match callback(told, &format!("wamid.{life}.{round}")) {
                Some((message, contact)) => {
                    messages.push(message);
                    contacts.extend(contact);
                }
                None => {
                    let Told::Sent { written, named } = told else { continue };
                    let mut db = stage.ctx.db.acquire().await.unwrap();
                    let sent = [(written, named.as_slice())];
                    let now = stage.ctx.now();
                    people::resolve_sent(&mut db, stage.client, &stage.ctx.ids, &sent, now).await.unwrap();
                }
            }
        }
        stage.called_back(json!({ "contacts": contacts, "messages": messages })).await;
    }
    stage.settle_callbacks_only().await;
}

#[tokio::test]
async fn generated_histories_leave_each_person_one_chat_with_all_messages() {
    let stage = Stage::new().await;
    let seeds: Vec<u64> = seeds().into_iter().step_by(STRIDE).collect();
    let histories: Vec<_> = seeds.iter().map(|seed| history(*seed)).collect();
    let place = |seed: u64| u32::try_from(seed).unwrap();
    let mut worlds: Vec<(u64, World)> = seeds.iter().map(|seed| (*seed, World::new(*seed, place(*seed)))).collect();
    let rounds = histories.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        stage.advance(chrono::TimeDelta::seconds(1));
        let told: Vec<(usize, Told)> = histories
            .iter()
            .zip(&mut worlds)
            .enumerate()
            .filter_map(|(life, (history, (_, world)))| Some((life, world.happens(*history.get(round)?)?)))
            .collect();
        tell(&stage, round, &told).await;
    }
    let mut db = stage.ctx.db.acquire().await.unwrap();
    let found = Found::load(&mut db, stage.client).await;
    if let Err(wrong) = judge(&worlds, &found) {
        panic!("seed {:?}: {}; live it alone with IDENTITY_SEED", wrong.seed, wrong.said);
    }
    // Each customer has one chat with exactly its own messages.
    let written: Vec<(Uuid, i64)> = sqlx::query_as(
        "SELECT participant.customer_id, count(message.id) FROM participant
         LEFT JOIN chat_message message ON message.client_id = participant.client_id
              AND message.participant_id = participant.id
         WHERE participant.merged_into IS NULL GROUP BY participant.id, participant.customer_id",
    )
    .fetch_all(&mut *db)
    .await
    .unwrap();
    let chats: std::collections::HashMap<Uuid, i64> = written.iter().copied().collect();
    assert_eq!(chats.len(), written.len(), "a customer has two chats on one number");
    let mut messages = 0;
    for (seed, world) in &worlds {
        for known in &world.known {
            let Some(customer) = known.addresses.first().and_then(|address| found.addresses.get(address)) else {
                continue;
            };
            let said = chats.get(customer).copied().unwrap_or(0);
            assert_eq!(
                usize::try_from(said).unwrap(),
                known.messages,
                "seed {seed}: messages of {:?}",
                known.addresses
            );
            messages += known.messages;
        }
    }
    assert!(seeds.len() < 200 || messages > 300, "only {messages} messages");
    assert_eq!(stage.count("SELECT count(*) FROM callback").await, 0, "nothing was left lying or given up");
}
