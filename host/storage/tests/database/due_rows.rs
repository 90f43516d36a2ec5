//! A row that waits for its time is no work before it, and is found afterwards.

use std::time::Duration;

use domain::{
    chat::ChatbotTimer,
    ids::{ClientId, NodeId, ParticipantEventId, ParticipantId},
};
use storage::{
    PgConnection, Queue,
    chat::participant_events::{self, NewTimer},
    tenancy::{disablement, removal},
    work::lanes::{self, LaneKey},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, database, moment};

const NODE: NodeId = NodeId(Uuid::from_u128(4));
const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(70));

async fn due(db: &mut PgConnection, queue: Queue, seconds: i64) -> Vec<(ClientId, Uuid)> {
    lanes::due(db, queue, moment(seconds), 10).await.unwrap()
}

async fn start_timer(db: &mut PgConnection, name: &str, seconds: i64) {
    let timer = ChatbotTimer { name: name.to_owned(), plugin: None, due_at: Some(moment(seconds)) };
    let id = ParticipantEventId(Uuid::from_u128(seconds.unsigned_abs().into()));
    let new = NewTimer { id, timer: &timer, due_at: moment(seconds) };
    participant_events::start_timer(db, CLIENT, CHAT, new).await.unwrap();
}

#[tokio::test]
async fn a_timer_is_no_work_before_it_runs_out_and_from_then_on_it_is() {
    let mut db = database().await;
    start_timer(&mut db, "tomorrow", 86_400).await;
    assert_eq!(due(&mut db, Queue::Participant, 86_399).await, []);
    assert_eq!(due(&mut db, Queue::Participant, 86_400).await, [(CLIENT, CHAT.0)]);
    assert_eq!(due(&mut db, Queue::Participant, 86_400).await, [(CLIENT, CHAT.0)], "until a worker handles it");
}

#[tokio::test]
async fn a_moved_timer_waits_for_its_new_time() {
    let mut db = database().await;
    start_timer(&mut db, "again", 10).await;
    assert_eq!(due(&mut db, Queue::Participant, 10).await.len(), 1);
    start_timer(&mut db, "again", 20).await;
    assert_eq!(due(&mut db, Queue::Participant, 19).await, []);
    assert_eq!(due(&mut db, Queue::Participant, 20).await.len(), 1);
}

/// The columns of a queue's row that have no default.
fn row_of(queue: Queue) -> &'static str {
    match queue {
        Queue::Outbound => {
            "outbound_work (client_id, message_id, ordinal, lane_id, recipient, priority, due_at, ready) SELECT $1, gen_random_uuid(), 0, $2, '1', 1"
        }
        Queue::Callback => {
            "callback (client_id, id, lane_id, item, received_at, due_at, ready) SELECT $1, gen_random_uuid(), $2, '{}', now()"
        }
        Queue::Participant => {
            "participant_event (client_id, id, lane_id, kind, payload, due_at, ready) SELECT $1, gen_random_uuid(), $2, 'TIMER', '{}'"
        }
        Queue::Fallback => {
            "fallback (client_id, message_id, lane_id, error_code, error_text, failed_at, due_at, ready) SELECT $1, gen_random_uuid(), $2, '1', '', now()"
        }
        Queue::Media => {
            "media (client_id, id, lane_id, provider_media_id, mime_type, extension, created_at, due_at, ready) SELECT $1, gen_random_uuid(), $2, '1', '', '', now()"
        }
        Queue::Webhook => {
            "webhook_delivery (client_id, id, lane_id, inbox_id, order_key, body, due_at, ready) SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), 1, ''"
        }
        Queue::Chat => "chat_due (client_id, lane_id, kind, due_at, ready) SELECT $1, $2, 'ANSWER'",
        Queue::LiteSession => "lite_session (client_id, lane_id, state, due_at, ready) SELECT $1, $2, 'PENDING'",
        Queue::PluginRequest => {
            "plugin_request (client_id, id, lane_id, participant_id, plugin, job, control_version, request_sealed, deadline_at, due_at, ready) SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), '', '', 1, '', now()"
        }
        Queue::ScheduledTemplate => {
            "scheduled_template (client_id, id, lane_id, participant_id, plugin, name, template, due_at, ready) SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), '', '', '{}'"
        }
        Queue::Account => "account_link (client_id, lane_id, state, due_at, ready) SELECT $1, $2, 'PENDING'",
        Queue::SmsCallback => {
            "sms_callback (client_id, id, lane_id, url, posts, form, created_at, due_at, ready) SELECT $1, gen_random_uuid(), $2, '', false, '', now()"
        }
        Queue::Email => {
            "email_out (client_id, id, lane_id, mailbox, recipient, subject, body, created_at, due_at, ready) SELECT $1, gen_random_uuid(), $2, '', '', '', '', now()"
        }
    }
}

/// Stores `count` rows of a queue in one lane, which wait until then.
async fn wait(db: &mut PgConnection, queue: Queue, lane: Uuid, (seconds, count): (i64, i32)) {
    if queue == Queue::LiteSession {
        // A number has one session; this test looks at the queue.
        let alone = "ALTER TABLE lite_session DROP CONSTRAINT IF EXISTS lite_session_pk, DROP CONSTRAINT IF EXISTS lite_session_fk";
        sqlx::query(alone).execute(&mut *db).await.unwrap();
    }
    if queue == Queue::Account {
        // An account has one row; as above.
        let alone = "ALTER TABLE account_link DROP CONSTRAINT IF EXISTS account_link_pk, DROP CONSTRAINT IF EXISTS account_link_fk";
        sqlx::query(alone).execute(&mut *db).await.unwrap();
    }
    if queue == Queue::Chat {
        // A chat has one row of a kind; as above.
        sqlx::query("ALTER TABLE chat_due DROP CONSTRAINT IF EXISTS chat_due_pk").execute(&mut *db).await.unwrap();
    }
    let statement = format!("INSERT INTO {}, $3, false FROM generate_series(1, $4)", row_of(queue));
    let insert = sqlx::query(&statement).bind(CLIENT.0).bind(lane).bind(moment(seconds)).bind(count);
    insert.execute(&mut *db).await.unwrap();
}

#[tokio::test]
async fn every_queue_finds_exactly_its_due_rows() {
    let mut db = database().await;
    let (soon, later) = (Uuid::from_u128(1), Uuid::from_u128(2));
    for queue in Queue::ALL {
        wait(&mut db, queue, later, (60, 3)).await;
        wait(&mut db, queue, soon, (30, 3)).await;
        assert_eq!(due(&mut db, queue, 29).await, [], "{}", queue.name());
        assert_eq!(due(&mut db, queue, 30).await, [(CLIENT, soon)], "{}", queue.name());
        assert_eq!(due(&mut db, queue, 60).await, [(CLIENT, soon), (CLIENT, later)], "{}", queue.name());
    }
}

#[tokio::test]
async fn a_lane_of_a_disabled_client_or_inbox_is_not_found_and_not_claimed_and_its_lease_is_not_renewed() {
    let mut db = database().await;
    let lease = Duration::from_secs(30);
    for queue in Queue::ALL {
        wait(&mut db, queue, INBOX.0, (30, 1)).await;
        let lane = LaneKey { client: CLIENT, queue, lane: INBOX.0 };
        let stores_input = !queue.waits_while_disabled();
        let fence = lanes::claim(&mut db, lane, NODE, lease).await.unwrap().unwrap();

        disablement::set_client(&mut db, CLIENT, Some(moment(0))).await.unwrap();
        assert_eq!(lanes::renew(&mut db, lane, fence, lease).await.unwrap(), stores_input, "{}", queue.name());
        lanes::release(&mut db, lane, fence).await.unwrap();
        assert_eq!(!due(&mut db, queue, 30).await.is_empty(), stores_input, "{}", queue.name());
        let claimed = lanes::claim(&mut db, lane, NODE, lease).await.unwrap();
        assert_eq!(claimed.is_some(), stores_input, "{}", queue.name());

        lanes::release(&mut db, lane, claimed.unwrap_or(fence)).await.unwrap();
        disablement::set_client(&mut db, CLIENT, None).await.unwrap();
        disablement::set_inbox(&mut db, CLIENT, INBOX, Some(moment(0))).await.unwrap();
        let waits = queue == Queue::Outbound;
        assert_eq!(due(&mut db, queue, 30).await.is_empty(), waits, "{}", queue.name());
        disablement::set_inbox(&mut db, CLIENT, INBOX, None).await.unwrap();
        assert_eq!(due(&mut db, queue, 30).await, [(CLIENT, INBOX.0)], "{}", queue.name());
    }
}

#[tokio::test]
async fn rows_for_several_statements_become_ready_together() {
    let mut db = database().await;
    wait(&mut db, Queue::Participant, CHAT.0, (30, 12_000)).await;
    assert_eq!(due(&mut db, Queue::Participant, 30).await.len(), 1);
    let waiting = "SELECT count(*) FROM participant_event WHERE NOT ready";
    let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(&mut db).await.unwrap();
    assert_eq!(waiting, 0);
}

/// Rows of one read.
async fn rows_read(db: &mut PgConnection, queue: Queue) -> i64 {
    let mut tx = db.begin().await.unwrap();
    assert_eq!(due(&mut tx, queue, 0).await, []);
    let read = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables";
    sqlx::query_scalar(read).fetch_one(&mut *tx).await.unwrap()
}

#[tokio::test]
async fn a_search_costs_due_rows_and_not_waiting_ones() {
    let mut db = database().await;
    for queue in Queue::ALL {
        let before = rows_read(&mut db, queue).await;
        for lane in 0..50_u128 {
            wait(&mut db, queue, Uuid::from_u128(1000 + lane), (86_400, 400)).await;
        }
        let after = rows_read(&mut db, queue).await;
        assert!(after <= before, "{}: {before} rows, then {after}", queue.name());
    }
}

#[tokio::test]
async fn a_removal_of_data_claims_a_lane_of_a_disabled_client_and_of_none_that_is_being_removed() {
    let mut db = database().await;
    let lease = Duration::from_secs(30);
    let lane = LaneKey { client: CLIENT, queue: Queue::Participant, lane: CHAT.0 };
    disablement::set_client(&mut db, CLIENT, Some(moment(0))).await.unwrap();
    assert_eq!(lanes::claim(&mut db, lane, NODE, lease).await.unwrap(), None);

    let fence = lanes::claim_although_disabled(&mut db, lane, NODE, lease).await.unwrap().unwrap();
    assert_eq!(lanes::claim_although_disabled(&mut db, lane, NODE, lease).await.unwrap(), None, "it is held");
    lanes::release(&mut db, lane, fence).await.unwrap();
    removal::begin(&mut db, CLIENT, moment(1)).await.unwrap();

    assert_eq!(lanes::claim_although_disabled(&mut db, lane, NODE, lease).await.unwrap(), None);
}
