//! Webhooks from the event to the receiver, over a real database, the built-in shapers and a receiver on the loopback
//! interface.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may panic, in its helper functions too"
)]

mod bodies;
mod sample_events;
mod sink;
mod stage;

use std::time::{Duration, Instant};

use base::audit::Actor;
use channels::standard_webhooks::{ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, decode_secret, sign};
use chrono::TimeDelta;
use domain::{ids::InboxId, page::PageRequest};
use serde_json::{Value, json};
use storage::plugins::{
    activations::{self, ActivatedHttpLimits, Activation},
    invocations::{self, InvocationFilter},
};
use uuid::Uuid;
use webhooks::{
    configure::{self, ConfigureError},
    history::{self, ResendFilter},
};

use crate::{
    sink::{Answer, Received, Sink},
    stage::Stage,
};

fn statuses(received: &[Received]) -> Vec<String> {
    received.iter().map(|one| one.json()["status"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn configurations_follow_the_rules_of_scope() {
    let stage = Stage::new().await;
    let default = stage.configure(json!({ "chatbotWebhookURL": "https://example.com/c" })).await;
    assert_eq!(default.whats_app_number_id, None);
    assert_eq!(
        (default.chatbot_webhook_url.as_str(), default.status_update_url.as_str()),
        ("https://example.com/c", "")
    );
    assert_eq!(configure::client_default(&stage.ctx, stage.client).await.unwrap(), Some(default));

    let own = json!({ "whatsAppNumberId": stage.number });
    let created = stage.create(own.clone()).await.unwrap();
    assert_eq!(created.whats_app_number_id, Some(stage.number));
    assert_eq!(created.whats_app_number_msisdn.unwrap().as_str(), "27600000001");

    let refused = |fields: Value| stage.create(fields);
    assert!(matches!(refused(json!({})).await, Err(ConfigureError::DefaultExists)));
    assert!(matches!(refused(own).await, Err(ConfigureError::OverrideExists)));
    let unknown = InboxId(Uuid::from_u128(5));
    assert!(matches!(refused(json!({ "whatsAppNumberId": unknown })).await, Err(ConfigureError::NumberNotYours)));
    assert!(matches!(refused(json!({ "whatsAppNumberId": "12" })).await, Err(ConfigureError::NumberNotYours)));
    let link_local = json!({ "statusUpdateURL": "http://169.254.169.254/latest" });
    let Err(ConfigureError::Addresses(faults)) = refused(link_local).await else {
        panic!("a metadata address was taken")
    };
    assert_eq!(faults[0].field, "statusUpdateURL");
    let actions: Vec<String> = sqlx::query_scalar("SELECT action FROM audit").fetch_all(&stage.ctx.db).await.unwrap();
    assert_eq!(actions, ["create", "create"]);
}

#[tokio::test]
async fn an_event_arrives_signed_and_is_recorded_as_delivered() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    let config = stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "Connected")]).await;
    assert_eq!(stage.due_lanes().await, [endpoints[0].0]);
    stage.work(endpoints[0]).await.unwrap();

    let [received] = sink.received().try_into().unwrap();
    let body = json!({
        "whatsAppNumber": "27600000001", "status": "Connected", "statusType": "success", "timestamp": 1_790_000_000_000_u64
    });
    assert_eq!(received.json(), body);
    assert_eq!(received.header("content-type"), "application/json");
    let secret = configure::secret(&stage.ctx, stage.client, config.id).await.unwrap();
    let expected = sign(&[&decode_secret(&secret).unwrap()], received.header(ID_HEADER), 1_790_000_000, &received.body);
    assert_eq!(received.header(SIGNATURE_HEADER), expected);
    assert_eq!(received.header(TIMESTAMP_HEADER), "1790000000");
    let id: Uuid = sqlx::query_scalar("SELECT id FROM webhook_delivery").fetch_one(&stage.ctx.db).await.unwrap();
    assert_eq!(received.header(ID_HEADER), id.to_string());

    assert_eq!(stage.states().await, [("DELIVERED".to_owned(), 1)]);
    let attempts: Vec<Option<i16>> =
        sqlx::query_scalar("SELECT status_code FROM webhook_attempt").fetch_all(&stage.ctx.db).await.unwrap();
    assert_eq!(attempts, [Some(200)]);
    assert!(stage.due_lanes().await.is_empty());
}

#[tokio::test]
async fn a_rotated_secret_signs_together_with_the_new_one_for_a_day() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    let config = stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let old = configure::secret(&stage.ctx, stage.client, config.id).await.unwrap();
    let new = configure::rotate_secret(&stage.ctx, stage.client, "tester", config.id).await.unwrap();
    assert_ne!(old, new);
    assert_eq!(configure::secret(&stage.ctx, stage.client, config.id).await.unwrap(), new);
    for wait in [TimeDelta::hours(23), TimeDelta::hours(2)] {
        stage.advance(wait);
        let endpoints = stage.happen(&[(1, "Connected")]).await;
        stage.work(endpoints[0]).await.unwrap();
    }
    let signatures: Vec<usize> =
        sink.received().iter().map(|one| one.header(SIGNATURE_HEADER).split(' ').count()).collect();
    assert_eq!(signatures, [2, 1]);
}

#[tokio::test]
async fn a_secret_that_is_rotated_twice_in_a_day_signs_as_long_as_one_that_is_rotated_once() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    let config = stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let mut secrets = vec![configure::secret(&stage.ctx, stage.client, config.id).await.unwrap()];
    for _ in 0..2 {
        secrets.push(configure::rotate_secret(&stage.ctx, stage.client, "tester", config.id).await.unwrap());
        stage.advance(TimeDelta::hours(1));
    }
    // Two hours, 23:59 and 24:01 after the first rotation, then 24:01 after the second.
    let mut signing = vec![];
    for minutes in [0, 22 * 60 - 1, 2, 60] {
        stage.advance(TimeDelta::minutes(minutes));
        let endpoints = stage.happen(&[(1, "Connected")]).await;
        stage.work(endpoints[0]).await.unwrap();
        let one = sink.received().pop().unwrap();
        let at = one.header(TIMESTAMP_HEADER).parse().unwrap();
        let signed = |secret: &String| sign(&[&decode_secret(secret).unwrap()], one.header(ID_HEADER), at, &one.body);
        let given: Vec<&str> = one.header(SIGNATURE_HEADER).split(' ').collect();
        signing.push(secrets.iter().map(|secret| given.contains(&signed(secret).as_str())).collect::<Vec<_>>());
    }
    assert_eq!(signing, [[true, true, true], [true, true, true], [false, true, true], [false, false, true]]);
}

#[tokio::test]
async fn a_conversation_stays_in_order_while_others_go_side_by_side() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::after_millis(400)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let of_one = ["a1", "a2", "a3"];
    let of_others = ["b1", "c1", "d1", "e1"];
    let mut events: Vec<(i64, &str)> = of_one.iter().map(|text| (1, *text)).collect();
    events.extend(of_others.iter().zip(2..).map(|(text, key)| (key, *text)));
    let endpoints = stage.happen(&events).await;
    let began = Instant::now();
    stage.work(endpoints[0]).await.unwrap();
    let took = began.elapsed();

    let arrived = statuses(&sink.received());
    let first_wave: Vec<&String> = arrived.iter().take(5).collect();
    assert!(of_others.iter().all(|text| first_wave.iter().any(|arrived| arrived == text)), "{arrived:?}");
    let of_the_one: Vec<&String> = arrived.iter().filter(|text| text.starts_with('a')).collect();
    assert_eq!(of_the_one, ["a1", "a2", "a3"]);
    assert!(took >= Duration::from_millis(1200), "three answers of one conversation came in {took:?}");
}

#[tokio::test]
async fn a_failed_delivery_steps_aside_and_comes_again_with_the_same_bytes_and_id() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|place| Answer::at_once(if place == 0 { 500 } else { 200 })).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "first"), (1, "second")]).await;
    stage.work(endpoints[0]).await.unwrap();
    assert_eq!(statuses(&sink.received()), ["first", "second"]);
    assert_eq!(stage.states().await, [("PENDING".to_owned(), 1), ("DELIVERED".to_owned(), 1)]);
    assert!(stage.due_lanes().await.is_empty(), "a retry is not due before its time");

    stage.advance(TimeDelta::seconds(7));
    assert_eq!(stage.due_lanes().await.len(), 1);
    stage.work(endpoints[0]).await.unwrap();
    let received = sink.received();
    assert_eq!(received.len(), 3);
    assert_eq!(received[2].body, received[0].body);
    assert_eq!(received[2].header(ID_HEADER), received[0].header(ID_HEADER));
    assert_eq!(received[2].header(TIMESTAMP_HEADER), "1790000007");
    assert_eq!(stage.states().await[0], ("DELIVERED".to_owned(), 2));
}

#[tokio::test]
async fn a_receiver_that_is_down_is_tried_by_the_schedule_and_then_given_up() {
    let stage = Stage::new().await;
    let closed = "http://127.0.0.1:9/hook";
    stage.configure(json!({ "sessionStatusURL": closed })).await;
    let endpoints = stage.happen(&[(1, "lost")]).await;
    for (state, attempts) in [("PENDING", 1), ("PENDING", 2), ("EXHAUSTED", 3)] {
        stage.work(endpoints[0]).await.unwrap();
        assert_eq!(stage.states().await, [(state.to_owned(), attempts)]);
        stage.advance(TimeDelta::seconds(361));
    }
    let errors: Vec<(Option<i16>, String)> =
        sqlx::query_as("SELECT status_code, error FROM webhook_attempt").fetch_all(&stage.ctx.db).await.unwrap();
    assert_eq!(errors.len(), 3);
    assert!(errors.iter().all(|(status, error)| status.is_none() && error.starts_with("no connection")), "{errors:?}");
    let failing: bool = sqlx::query_scalar("SELECT failing_since IS NOT NULL FROM webhook_endpoint WHERE url <> ''")
        .fetch_one(&stage.ctx.db)
        .await
        .unwrap();
    assert!(failing);
}

#[tokio::test]
async fn an_endpoint_that_answers_410_gets_nothing_more() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(410)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "first"), (1, "second"), (1, "third")]).await;
    stage.work(endpoints[0]).await.unwrap();
    let states = stage.states().await;
    assert!(states.iter().all(|(state, _)| state == "EXHAUSTED"), "{states:?}");
    assert!(stage.happen(&[(1, "fourth")]).await.is_empty(), "nothing is sent to a disabled endpoint");
    let made = sink.received().len();
    assert_eq!(stage.states().await[3], ("EXHAUSTED".to_owned(), 0));
    assert!(stage.due_lanes().await.is_empty());
    assert_eq!(stage.attempts().await, i64::try_from(made).unwrap());
    let audited: i64 = sqlx::query_scalar("SELECT count(*) FROM audit WHERE action = 'disable-gone'")
        .fetch_one(&stage.ctx.db)
        .await
        .unwrap();
    assert_eq!(audited, 1);
}

#[tokio::test]
async fn two_lone_failures_days_apart_do_not_disable_a_quiet_endpoint() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|place| Answer::at_once(if place < 4 { 502 } else { 200 })).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "given up")]).await;
    for _ in 0..3 {
        stage.work(endpoints[0]).await.unwrap();
        stage.advance(TimeDelta::seconds(361));
    }
    stage.advance(TimeDelta::days(6));
    stage.happen(&[(1, "fails once")]).await;
    for _ in 0..2 {
        stage.work(endpoints[0]).await.unwrap();
        stage.advance(TimeDelta::seconds(7));
    }
    assert_eq!(stage.states().await, [("EXHAUSTED".to_owned(), 3), ("DELIVERED".to_owned(), 2)]);
}

#[tokio::test]
async fn an_endpoint_that_fails_every_day_is_disabled_after_five_days() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(502)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let mut disabled = vec![];
    for day in 0..6 {
        let endpoints = stage.happen(&[(day, "of the day")]).await;
        stage.work(endpoints[0]).await.unwrap();
        let statement = "SELECT count(*) FROM webhook_endpoint WHERE disabled_reason = 'FAILING'";
        disabled.push(sqlx::query_scalar::<_, i64>(statement).fetch_one(&stage.ctx.db).await.unwrap());
        stage.advance(TimeDelta::days(1));
    }
    assert_eq!(disabled, [0, 0, 0, 0, 0, 1]);
}

#[tokio::test]
async fn events_of_the_time_when_an_endpoint_was_disabled_can_be_sent_again() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|place| Answer::at_once(if place == 0 { 410 } else { 200 })).await;
    let config = stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "first")]).await;
    stage.work(endpoints[0]).await.unwrap();
    let disabled_at = stage.ctx.now();
    for text in ["second", "third", "fourth"] {
        stage.advance(TimeDelta::minutes(1));
        assert!(stage.happen(&[(1, text)]).await.is_empty(), "nothing is sent to a disabled endpoint");
    }
    let address = json!({ "id": config.id, "sessionStatusURL": sink.url });
    let request = serde_json::from_value(address).unwrap();
    configure::update(&stage.ctx, stage.client, "tester", config.id, &request).await.unwrap();
    assert!(stage.due_lanes().await.is_empty(), "saving the address sends nothing");

    let since = disabled_at + TimeDelta::seconds(90);
    let filter = ResendFilter { config: config.id, webhook: None, since, until: None };
    let resent = history::resend_failed(&stage.ctx, stage.client, Actor::Operator, filter).await.unwrap();
    assert_eq!((resent.count, resent.more), (2, false));
    stage.work(endpoints[0]).await.unwrap();

    assert_eq!(statuses(&sink.received()), ["first", "third", "fourth"]);
    let states = stage.states().await;
    let states: Vec<(&str, i16)> = states.iter().map(|(state, attempts)| (state.as_str(), *attempts)).collect();
    assert_eq!(states, [("EXHAUSTED", 1), ("EXHAUSTED", 0), ("DELIVERED", 1), ("DELIVERED", 1)]);
}

#[tokio::test]
async fn events_of_the_time_when_its_owner_had_switched_a_webhook_off_are_not_stored() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    let config = stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    for url in ["", sink.url.as_str()] {
        let request = serde_json::from_value(json!({ "id": config.id, "sessionStatusURL": url })).unwrap();
        configure::update(&stage.ctx, stage.client, "tester", config.id, &request).await.unwrap();
        let endpoints = stage.happen(&[(1, "Connected")]).await;
        assert_eq!(endpoints.is_empty(), url.is_empty());
    }
    assert_eq!(stage.states().await.len(), 1);
}

#[tokio::test]
async fn deliveries_waiting_for_a_disabled_endpoint_are_dropped() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "late")]).await;
    sqlx::query("UPDATE webhook_endpoint SET url = ''").execute(&stage.ctx.db).await.unwrap();
    stage.work(endpoints[0]).await.unwrap();
    assert_eq!(stage.states().await, [("DROPPED".to_owned(), 0)]);
    assert!(sink.received().is_empty());
}

#[tokio::test]
async fn an_event_that_comes_while_another_hangs_does_not_wait_for_it() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|place| Answer::after_millis(if place == 0 { 5000 } else { 0 })).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "hangs")]).await;
    let other = async {
        sink.has_received(1).await;
        stage.happen(&[(2, "later")]).await;
        sink.has_received(2).await;
        stage.states().await[0].0.clone()
    };
    let (worked, state_of_first) = tokio::join!(stage.work(endpoints[0]), other);
    worked.unwrap();
    assert_eq!(state_of_first, "PENDING", "the second came while the first was still in flight");
    assert_eq!(statuses(&sink.received()), ["hangs", "later"]);
    assert!(stage.states().await.iter().all(|(state, _)| state == "DELIVERED"));
}

#[tokio::test]
async fn a_failed_shaper_of_the_client_is_replaced_by_the_built_in_one_and_leaves_a_trace() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let activation = Activation {
        id: stage.ctx.mint(),
        world: "webhook-shaper".to_owned(),
        inbox: None,
        mode: activations::LIVE.to_owned(),
        plugin: "not-there".to_owned(),
        upload: None,
        config: json!({}).into(),
        allowed_hosts: Vec::new(),
        http_limits: ActivatedHttpLimits::default(),
        percent: 100,
        error_threshold: 10,
        minimum_calls: 20,
        previous: None,
        recording: None,
        activated_at: stage.ctx.now(),
    };
    let mut db = stage.ctx.db.acquire().await.unwrap();
    activations::begin(&mut db, stage.client, &activation).await.unwrap();
    let endpoints = stage.happen(&[(1, "shaped anyway")]).await;
    stage.work(endpoints[0]).await.unwrap();
    assert_eq!(statuses(&sink.received()), ["shaped anyway"]);
    let all = InvocationFilter::default();
    let (calls, _) = invocations::page(&mut db, stage.client, "not-there", all, PageRequest::first(10)).await.unwrap();
    assert_eq!(calls.len(), 1);
    assert!(calls[0].error.as_deref().unwrap().contains("not-there"));
}

#[tokio::test]
async fn a_worker_that_lost_its_lane_writes_nothing() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "once more")]).await;
    let mut lease = stage.claim(endpoints[0]).await;
    lease.fence -= 1;
    let lost = webhooks::deliver::work(&stage.ctx, &lease).await;
    assert!(matches!(lost, Err(base::Error::LeaseLost)), "{lost:?}");
    assert_eq!(stage.states().await, [("PENDING".to_owned(), 0)]);
    assert!(sink.received().is_empty(), "nothing is sent in the lane of another worker");
}

#[tokio::test]
async fn deliveries_in_flight_are_finished_and_recorded_when_a_lane_changes_its_process() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::after_millis(1_000)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "one"), (2, "two"), (3, "three"), (3, "four")]).await;
    let lease = stage.claim(endpoints[0]).await;
    let losing = async {
        sink.has_received(3).await;
        stage.lose(endpoints[0]).await;
    };
    let (worked, ()) = tokio::join!(webhooks::deliver::work(&stage.ctx, &lease), losing);
    assert!(matches!(worked, Err(base::Error::LeaseLost)), "{worked:?}");
    let made = sink.received().len();
    assert!((3..=4).contains(&made), "{made} requests");
    assert_eq!(stage.attempts().await, i64::try_from(made).unwrap());
    let delivered =
        stage.states().await.iter().filter(|(state, attempts)| state == "DELIVERED" && *attempts == 1).count();
    assert_eq!(delivered, made);
}

#[tokio::test]
async fn deliveries_in_flight_are_recorded_when_a_silent_database_answers_again() {
    let wire = scratch::database().await.wire().await;
    let timing = storage::Timing { silent_after: Duration::from_millis(500), ..storage::Timing::default() };
    let stage = Stage::on(storage::connect_with(&wire.url, 8, timing).await.unwrap()).await;
    let sink = Sink::answering(|_| Answer::after_millis(1_000)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let endpoints = stage.happen(&[(1, "one"), (2, "two")]).await;
    let lease = stage.claim(endpoints[0]).await;
    let failing = async {
        sink.has_received(2).await;
        wire.hold();
        stage.ctx.db.until_silent().await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        wire.release();
    };
    let (worked, ()) = tokio::join!(webhooks::deliver::work(&stage.ctx, &lease), failing);
    drop(worked);
    assert_eq!((sink.received().len(), stage.attempts().await), (2, 2));
    assert!(stage.states().await.iter().all(|(state, attempts)| state == "DELIVERED" && *attempts == 1));
}

#[tokio::test]
async fn hundreds_of_events_arrive_once_and_in_the_order_of_each_conversation() {
    let stage = Stage::new().await;
    let sink = Sink::answering(|_| Answer::at_once(200)).await;
    stage.configure(json!({ "sessionStatusURL": sink.url })).await;
    let texts: Vec<String> = (0..900).map(|n| format!("{:02}-{:03}", n % 30, n / 30)).collect();
    let events: Vec<(i64, &str)> = texts.iter().zip(0..).map(|(text, n)| (n % 30, text.as_str())).collect();
    let endpoints = stage.happen(&events).await;
    stage.work(endpoints[0]).await.unwrap();
    let arrived = statuses(&sink.received());
    assert_eq!(arrived.len(), 900);
    for conversation in 0..30 {
        let prefix = format!("{conversation:02}-");
        let of_it: Vec<&String> = arrived.iter().filter(|text| text.starts_with(&prefix)).collect();
        assert!(of_it.is_sorted(), "{of_it:?}");
        assert_eq!(of_it.len(), 30);
    }
    assert!(stage.states().await.iter().all(|(state, _)| state == "DELIVERED"));
}
