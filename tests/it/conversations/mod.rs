//! Long-lived conversations (SPEC 2.11, 3.1, 4.5): opening, closing, expiry and lists. `docs/rules/conversations.md`
//! names the rule of each test.

mod analytics;
mod buttons;
mod messages;

use futures::future::join_all;
use harness::{ClientReply, Patchbay, SharedPatchbay, TestClient, eventually};
use serde_json::{Value, json};
use uuid::Uuid;

pub const PATH: &str = "/messaging-service/WhatsApp/WhatsAppConversations";
const DAY: i64 = 24 * 3600;

pub async fn create(client: &TestClient, with: Value) -> ClientReply {
    let mut body = json!({ "sender": client.number });
    body.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    client.post(&format!("{PATH}/createWhatsAppConversation"), &body).await
}

pub async fn opened(client: &TestClient, with: Value) -> String {
    let answer = create(client, with).await.ok();
    assert_eq!(answer["conversationStatusCode"], "200", "{answer}");
    answer["conversationId"].as_str().unwrap().to_owned()
}

pub async fn close(client: &TestClient, id: &str) -> ClientReply {
    client.get(&format!("{PATH}/closeWhatsAppConversation?conversationId={id}")).await
}

async fn remaining(client: &TestClient, id: &str) -> i64 {
    let answer = client.get(&format!("{PATH}/getRemainingTime?conversationId={id}")).await.ok();
    assert_eq!(answer["conversationId"], id);
    answer["remainingTime"].as_i64().unwrap()
}

async fn listed(client: &TestClient, query: &str) -> Value {
    client.get(&format!("{PATH}/getAllWhatsAppConversationsForCurrentUser{query}")).await.ok()
}

async fn by_ref(client: &TestClient, client_ref: &str) -> Vec<Value> {
    let reply = client.get(&format!("{PATH}/getAllWhatsAppConversationsByClientRef?clientRef={client_ref}")).await;
    reply.ok().as_array().expect("a flat array").clone()
}

fn ids(list: &[Value]) -> Vec<&str> {
    list.iter().map(|one| one["conversationId"].as_str().unwrap()).collect()
}

pub async fn only(client: &TestClient) -> Value {
    let list = listed(client, "").await;
    assert_eq!(list["totalElements"], 1, "{list}");
    list["content"][0].clone()
}

#[tokio::test]
async fn a_new_conversation_is_active_and_has_the_fields_of_the_specification() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());

    let answer = create(&client, json!({ "recipient": format!("+{}", phone.msisdn) })).await.ok();

    assert_eq!(answer["sender"], client.number);
    assert_eq!(answer["recipient"], phone.msisdn);
    assert_eq!(answer["customerUserId"], Value::Null);
    assert!(answer.get("customerUserId").is_some(), "null when not supplied, and there");
    assert!(answer["conversationId"].as_str().unwrap().parse::<Uuid>().is_ok());
    assert_eq!((&answer["conversationState"], &answer["conversationStatusCode"]), (&json!("ACTIVE"), &json!("200")));
    assert_eq!(answer["clientRef"], client.client_ref);
    assert!(chrono::DateTime::parse_from_rfc3339(answer["createdTime"].as_str().unwrap()).is_ok());
    assert!(!answer["conversationStatusMessage"].as_str().unwrap().is_empty());
    assert!(answer.get("closedTime").is_none());
}

#[tokio::test]
async fn an_active_conversation_is_found_again_with_452_and_http_200() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let first = create(&client, json!({ "recipient": phone.msisdn })).await.ok();

    let again = create(&client, json!({ "recipient": phone.msisdn })).await;

    assert_eq!(again.status, 200);
    let again = again.json();
    assert_eq!(again["conversationStatusCode"], "452");
    for field in ["conversationId", "createdTime", "conversationState", "recipient"] {
        assert_eq!(again[field], first[field], "{field}");
    }
    let other = patchbay.new_phone();
    assert_ne!(opened(&client, json!({ "recipient": other.msisdn })).await, first["conversationId"].as_str().unwrap());
}

#[tokio::test]
async fn one_of_many_calls_at_the_same_time_opens_the_conversation() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());

    let calls = (0..24).map(|_| create(&client, json!({ "recipient": phone.msisdn })));
    let answers: Vec<Value> = join_all(calls).await.iter().map(ClientReply::ok).collect();

    let new = answers.iter().filter(|answer| answer["conversationStatusCode"] == "200").count();
    assert_eq!(new, 1, "{answers:?}");
    assert!(answers.iter().all(|answer| answer["conversationId"] == answers[0]["conversationId"]));
    assert_eq!(listed(&client, "").await["totalElements"], 1);
}

#[tokio::test]
async fn a_bsuid_alone_opens_a_conversation_with_a_customer_without_a_phone_number() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;

    let answer = create(&client, json!({ "customerUserId": "ZA.555000111" })).await.ok();

    assert_eq!((&answer["recipient"], &answer["customerUserId"]), (&Value::Null, &json!("ZA.555000111")));
    let again = create(&client, json!({ "customerUserId": "ZA.555000111" })).await.ok();
    assert_eq!(
        (&again["conversationStatusCode"], &again["conversationId"]),
        (&json!("452"), &answer["conversationId"])
    );
}

#[tokio::test]
async fn the_phone_number_identifies_the_customer_when_both_are_given() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let of_bsuid = opened(&client, json!({ "customerUserId": "ZA.777" })).await;

    let both = create(&client, json!({ "recipient": phone.msisdn, "customerUserId": "ZA.777" })).await.ok();

    assert_eq!(both["conversationStatusCode"], "200", "the claim of a caller merges no customers");
    assert_ne!(both["conversationId"], of_bsuid);
    assert_eq!((&both["recipient"], &both["customerUserId"]), (&json!(phone.msisdn), &json!("ZA.777")));
    let by_phone = create(&client, json!({ "recipient": phone.msisdn })).await.ok();
    assert_eq!(by_phone["conversationId"], both["conversationId"]);
}

#[tokio::test]
async fn a_wrong_create_call_is_a_400_that_names_every_field() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let path = format!("{PATH}/createWhatsAppConversation");

    assert_eq!(client.post(&path, &json!({})).await.faulty_fields(), ["sender", "recipient"]);
    let foreign = json!({ "sender": "27119999998", "recipient": "27820000001" });
    assert_eq!(client.post(&path, &foreign).await.faulty_fields(), ["sender"]);
    assert_eq!(create(&client, json!({ "recipient": "0820000001" })).await.faulty_fields(), ["recipient"]);
    assert_eq!(create(&client, json!({ "recipient": client.number })).await.faulty_fields(), ["recipient"]);
    assert_eq!(create(&client, json!({ "customerUserId": "nobody" })).await.faulty_fields(), ["customerUserId"]);
    assert_eq!(listed(&client, "").await["totalElements"], 0, "nothing is stored");
}

#[tokio::test]
async fn closing_is_for_good_and_a_new_conversation_resumes() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    let id = opened(&client, json!({ "recipient": phone.msisdn })).await;

    let closed = close(&client, &id).await.ok();
    assert_eq!((&closed["closeStatus"], &closed["tqrmtId"]), (&json!(true), &Value::Null));
    assert!(!closed["closeMessage"].as_str().unwrap().is_empty());
    assert_eq!(remaining(&client, &id).await, 0);
    let again = close(&client, &id).await.ok();
    assert_eq!(again["closeStatus"], false);
    assert!(again["closeMessage"].as_str().unwrap().contains("already"), "{again}");

    let next = opened(&client, json!({ "recipient": phone.msisdn })).await;
    assert_ne!(next, id);
    let list = listed(&client, "").await;
    let states: Vec<&Value> = list["content"].as_array().unwrap().iter().map(|one| &one["conversationState"]).collect();
    assert_eq!(states, ["ACTIVE", "CLOSED"], "the newest first");
}

#[tokio::test]
async fn invalid_ids_are_refused_and_unknown_ones_not_found() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for call in ["closeWhatsAppConversation", "getRemainingTime"] {
        let ask = |query: &str| {
            let path = format!("{PATH}/{call}{query}");
            let client = client.clone();
            async move { client.get(&path).await }
        };
        assert_eq!(ask("").await.faulty_fields(), ["conversationId"]);
        assert_eq!(ask("?conversationId=").await.faulty_fields(), ["conversationId"]);
        assert_eq!(ask("?conversationId=one").await.faulty_fields(), ["conversationId"]);
        assert_eq!(ask(&format!("?conversationId={}", Uuid::from_u128(7))).await.status, 404);
    }
}

#[tokio::test]
async fn a_conversation_ends_at_the_second_that_its_time_is_over() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27820001001").await;
    let id = opened(&client, json!({ "recipient": "27820000001" })).await;
    assert!((30 * DAY - 60..=30 * DAY).contains(&remaining(&client, &id).await));

    let before_the_end = remaining(&client, &id).await - 30;
    patchbay.advance_clock(u64::try_from(before_the_end).unwrap()).await;
    assert!((1..=30).contains(&remaining(&client, &id).await));
    assert_eq!(create(&client, json!({ "recipient": "27820000001" })).await.ok()["conversationStatusCode"], "452");

    patchbay.advance_clock(31).await;
    assert_eq!(remaining(&client, &id).await, 0);
    let over = only(&client).await;
    assert_eq!(over["conversationState"], "CLOSED");
    let time = |field: &str| chrono::DateTime::parse_from_rfc3339(over[field].as_str().unwrap()).unwrap();
    assert_eq!((time("closedTime") - time("createdTime")).num_seconds(), 30 * DAY, "when its time was over");
    assert_eq!(close(&client, &id).await.ok()["closeStatus"], false);
    assert_ne!(opened(&client, json!({ "recipient": "27820000001" })).await, id);
}

#[tokio::test]
async fn the_lifetime_is_a_setting() {
    let patchbay = harness::PatchbaySetup::new().set("limits.conversation_lifetime", "90s").start().await;
    let client = patchbay.client("acme", "27820001001").await;

    let id = opened(&client, json!({ "recipient": "27820000001" })).await;

    assert!((60..=90).contains(&remaining(&client, &id).await));
}

#[tokio::test]
async fn the_list_has_pages_and_finds_parts_of_sender_recipient_and_id() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut opened_ids = Vec::new();
    for recipient in ["27821110001", "27821110002", "27822220003"] {
        opened_ids.push(opened(&client, json!({ "recipient": recipient })).await);
    }
    opened_ids.reverse();

    let first = listed(&client, "?size=2").await;
    assert_eq!((&first["totalElements"], &first["totalPages"], &first["last"]), (&json!(3), &json!(2), &json!(false)));
    assert_eq!(ids(first["content"].as_array().unwrap()), opened_ids[..2]);
    let last = listed(&client, "?size=2&page=1").await;
    assert_eq!((ids(last["content"].as_array().unwrap()), &last["last"]), (vec![opened_ids[2].as_str()], &json!(true)));

    for (search, found) in [
        ("2782111", 2),
        ("%2B27822220003", 1),
        (&client.number, 3),
        (&opened_ids[0], 1),
        (&opened_ids[0].to_uppercase()[..], 1),
        ("nowhere", 0),
    ] {
        assert_eq!(listed(&client, &format!("?searchString={search}")).await["totalElements"], found, "{search}");
    }
    let item = &listed(&client, &format!("?searchString={}", opened_ids[0])).await["content"][0];
    let fields: Vec<&String> = item.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        ["clientRef", "conversationId", "conversationState", "createdTime", "customerUserId", "recipient", "sender"]
    );
}

#[tokio::test]
async fn a_conversation_is_shown_and_found_by_the_number_that_its_customer_has_now() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (old, new) = (patchbay.new_phone(), patchbay.new_phone());
    let id = opened(&client, json!({ "recipient": old.msisdn })).await;
    let change = json!({
        "type": "number_change", "msisdn": old.msisdn, "newMsisdn": new.msisdn,
        "phoneNumberId": format!("1{}", client.number),
    });
    patchbay.simulate("/simulator/events", &change).await;
    let found = eventually("the conversation under the new number", || async {
        let list = listed(&client, &format!("?searchString={}", new.msisdn)).await;
        list["content"].get(0).cloned()
    })
    .await;
    assert_eq!((&found["conversationId"], &found["recipient"]), (&json!(id), &json!(new.msisdn)));
    assert_eq!(listed(&client, &format!("?searchString={}", old.msisdn)).await["totalElements"], 0);
    let again = create(&client, json!({ "recipient": new.msisdn })).await.ok();
    assert_eq!((&again["conversationStatusCode"], &again["recipient"]), (&json!("452"), &json!(new.msisdn)));
}

#[tokio::test]
async fn a_caller_sees_the_conversations_of_its_own_reference_and_of_those_below_it() {
    let patchbay = SharedPatchbay::get().await;
    let (parent, stranger) = (patchbay.new_client().await, patchbay.new_client().await);
    let child = patchbay.new_client().await;
    let mut db = patchbay.database().await;
    sqlx::query("UPDATE client SET parent_id = (SELECT id FROM client WHERE client_ref = $1) WHERE client_ref = $2")
        .bind(&parent.client_ref)
        .bind(&child.client_ref)
        .execute(&mut db)
        .await
        .unwrap();
    let of_parent = opened(&parent, json!({ "recipient": "27820000001" })).await;
    let of_child = opened(&child, json!({ "recipient": "27820000001" })).await;
    opened(&stranger, json!({ "recipient": "27820000001" })).await;

    assert_eq!(ids(&by_ref(&parent, &parent.client_ref).await), [of_parent.as_str()]);
    assert_eq!(ids(&by_ref(&parent, "me").await), [of_parent.as_str()]);
    let seen = by_ref(&parent, &child.client_ref).await;
    assert_eq!((ids(&seen), &seen[0]["clientRef"]), (vec![of_child.as_str()], &json!(child.client_ref)));
    for (caller, client_ref) in
        [(&child, parent.client_ref.as_str()), (&parent, stranger.client_ref.as_str()), (&parent, "no-such-ref")]
    {
        assert!(by_ref(caller, client_ref).await.is_empty(), "{client_ref}");
    }
    let nameless = parent.get(&format!("{PATH}/getAllWhatsAppConversationsByClientRef")).await;
    assert_eq!(nameless.faulty_fields(), ["clientRef"]);
}

#[tokio::test]
async fn a_long_list_by_reference_is_complete_and_an_old_name_gives_an_empty_one() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut db = patchbay.database().await;
    sqlx::query(
        "WITH one AS (SELECT client_id, id FROM inbox WHERE address = $1),
         customer AS (INSERT INTO customer (client_id, id, created_at)
                      SELECT client_id, gen_random_uuid(), now() FROM one, generate_series(1, 1203) RETURNING *)
         INSERT INTO conversation (client_id, id, inbox_id, customer_id, participant_id, recipient, created_at, expires_at)
         SELECT one.client_id, gen_random_uuid(), one.id, customer.id, gen_random_uuid(), '27820000001', now(),
                now() + interval '1 day'
         FROM one, customer",
    )
    .bind(&client.number)
    .execute(&mut db)
    .await
    .unwrap();

    let all = by_ref(&client, &client.client_ref).await;
    let mut different = ids(&all);
    different.sort_unstable();
    different.dedup();
    assert_eq!((all.len(), different.len()), (1203, 1203));

    let renamed = format!("{}-new", client.client_ref);
    sqlx::query("UPDATE client SET client_ref = $2 WHERE client_ref = $1")
        .bind(&client.client_ref)
        .bind(&renamed)
        .execute(&mut db)
        .await
        .unwrap();
    assert!(by_ref(&client, &client.client_ref).await.is_empty());
    let after = by_ref(&client, &renamed).await;
    assert_eq!((after.len(), &after[0]["clientRef"]), (1203, &json!(renamed)));
}
