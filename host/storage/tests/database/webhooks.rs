//! Webhook configurations, deliveries and attempts in a real database.

use std::{collections::BTreeSet, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{DeliveryId, EndpointId, InboxId, NodeId, WebhookConfigId},
    page::PageRequest,
    webhook::{DisabledReason, FailurePeriod, PayloadVersion, WebhookSettings, WebhookType},
};
use serde_json::{Value, json};
use storage::{
    PgConnection, Queue, violates,
    webhooks::{
        config_changes,
        configs::{self, NewConfig, SecretReplacement},
        deliveries::{
            self, DeliveryContent, DeliveryFate, DeliveryQuery, DueDelivery, FinishedDelivery, NewAttempt, NewDelivery,
            OutcomeRows,
        },
    },
    work::lanes::{self, LaneKey, LaneState},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, database, moment};

pub(crate) const ENDPOINT: EndpointId = EndpointId(Uuid::from_u128(100 + 1));

/// A configuration whose endpoints have the ids `100 * id` and up, in the order of the types.
pub(crate) fn config(id: u128, inbox: Option<InboxId>, urls: &[(WebhookType, &str)]) -> NewConfig {
    let endpoints = WebhookType::ALL.into_iter().zip(0..);
    NewConfig {
        id: WebhookConfigId(Uuid::from_u128(id)),
        inbox,
        settings: WebhookSettings {
            urls: urls.iter().map(|(kind, url)| (*kind, (*url).to_owned())).collect(),
            chatbot_include_outgoing: true,
            chatbot_stop_on_agent_assignment: false,
            chatbot_payload_version: PayloadVersion::V2,
        },
        endpoints: endpoints.map(|(kind, place)| (kind, EndpointId(Uuid::from_u128(100 * id + place)))).collect(),
        secret_sealed: vec![7; 40],
        created_at: moment(0),
    }
}

pub(crate) const STATUS: (WebhookType, &str) = (WebhookType::StatusUpdate, "https://example.com/status");

#[tokio::test]
async fn a_configuration_comes_back_as_it_was_stored_and_only_to_its_client() {
    let mut db = database().await;
    let (default, own) = (config(1, None, &[STATUS]), config(2, Some(INBOX), &[]));
    configs::insert(&mut db, CLIENT, &default).await.unwrap();
    configs::insert(&mut db, CLIENT, &own).await.unwrap();

    let found = configs::find_default(&mut db, CLIENT).await.unwrap().unwrap();
    assert_eq!((found.id, found.inbox, found.settings), (default.id, None, default.settings));
    let found = configs::find(&mut db, CLIENT, own.id).await.unwrap().unwrap();
    assert_eq!(found.inbox, Some((INBOX, Some("27600000001".to_owned()))));
    assert!(found.settings.urls.is_empty());

    assert_eq!(configs::find_default(&mut db, STRANGER).await.unwrap(), None);
    assert_eq!(configs::find(&mut db, STRANGER, own.id).await.unwrap(), None);
    assert_eq!(configs::secret(&mut db, STRANGER, own.id).await.unwrap(), None);
}

#[tokio::test]
async fn there_is_one_default_and_one_override_for_each_own_number() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, None, &[])).await.unwrap();
    configs::insert(&mut db, CLIENT, &config(2, Some(INBOX), &[])).await.unwrap();
    let second = configs::insert(&mut db, CLIENT, &config(3, None, &[])).await.unwrap_err();
    assert!(violates(&second, configs::ONE_DEFAULT), "{second:?}");
    let second = configs::insert(&mut db, CLIENT, &config(4, Some(INBOX), &[])).await.unwrap_err();
    assert!(violates(&second, configs::ONE_OVERRIDE), "{second:?}");
    let foreign = configs::insert(&mut db, STRANGER, &config(5, Some(INBOX), &[])).await.unwrap_err();
    assert!(violates(&foreign, configs::OWN_INBOX), "{foreign:?}");
    configs::insert(&mut db, STRANGER, &config(6, None, &[])).await.unwrap();
}

#[tokio::test]
async fn a_replaced_secret_is_kept_with_the_new_one() {
    let mut db = database().await;
    let stored = config(1, None, &[STATUS]);
    configs::insert(&mut db, CLIENT, &stored).await.unwrap();
    let expires_at = moment(86_400);
    let new = |sealed: &'static [u8]| SecretReplacement { sealed, at: moment(0), previous_expires_at: expires_at };
    assert!(configs::replace_secret(&mut db, CLIENT, stored.id, new(&[8; 40])).await.unwrap());
    assert!(!configs::replace_secret(&mut db, STRANGER, stored.id, new(&[9; 40])).await.unwrap());
    assert_eq!(configs::secret(&mut db, CLIENT, stored.id).await.unwrap(), Some(vec![8; 40]));
    let endpoint = configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap();
    assert_eq!(endpoint.secret_sealed, [8; 40]);
    assert_eq!(endpoint.previous_secret_sealed, Some(vec![7; 40]));
    assert_eq!(endpoint.previous_secret_expires_at, Some(expires_at));
    assert!(endpoint.allow_private_targets);
}

#[tokio::test]
async fn the_newest_five_replaced_secrets_are_kept_until_they_expire() {
    let mut db = database().await;
    let stored = config(1, None, &[STATUS]);
    configs::insert(&mut db, CLIENT, &stored).await.unwrap();
    let mut kept = vec![];
    for (at, secret) in [(0, 8), (1, 9), (2, 10), (3, 11), (4, 12), (5, 13), (86_403, 14)] {
        let sealed = [secret; 40];
        let previous_expires_at = moment(at + 86_400);
        let new = SecretReplacement { sealed: &sealed, at: moment(at), previous_expires_at };
        assert!(configs::replace_secret(&mut db, CLIENT, stored.id, new).await.unwrap());
        let endpoint = configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap();
        let replaced = endpoint.replaced_secrets();
        kept.push(replaced.map(|(sealed, expires_at)| (sealed[0], expires_at)).collect::<Vec<_>>());
    }
    let expected = |of: &[(u8, i64)]| of.iter().map(|(secret, at)| (*secret, moment(at + 86_400))).collect::<Vec<_>>();
    assert_eq!(kept[1], expected(&[(8, 1), (7, 0)]));
    assert_eq!(kept[4], expected(&[(11, 4), (10, 3), (9, 2), (8, 1), (7, 0)]));
    assert_eq!(kept[5], expected(&[(12, 5), (11, 4), (10, 3), (9, 2), (8, 1)]), "five at most");
    assert_eq!(kept[6], expected(&[(13, 86_403), (12, 5), (11, 4)]), "those that have expired are forgotten");
}

#[tokio::test]
async fn routes_hold_the_endpoints_that_take_events_and_overrides_that_silence() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    configs::insert(&mut db, CLIENT, &config(2, Some(INBOX), &[])).await.unwrap();
    let routes = configs::routes(&mut db, CLIENT, &[INBOX]).await.unwrap();
    let default = routes.iter().find(|route| route.inbox.is_none()).unwrap();
    assert_eq!(default.endpoints.get(&WebhookType::StatusUpdate), Some(&ENDPOINT));
    assert_eq!((default.endpoints.len(), default.disabled.len()), (1, 0));
    assert_eq!(default.settings.chatbot_payload_version, PayloadVersion::V2);
    let own = routes.iter().find(|route| route.inbox == Some(INBOX)).unwrap();
    assert!(own.endpoints.is_empty());
    assert_eq!(configs::routes(&mut db, CLIENT, &[]).await.unwrap().len(), 1);

    let url = "https://example.com/changed";
    assert!(
        !configs::disable(&mut db, CLIENT, ENDPOINT, url, DisabledReason::Gone, moment(5)).await.unwrap(),
        "another address"
    );
    assert!(configs::disable(&mut db, CLIENT, ENDPOINT, STATUS.1, DisabledReason::Gone, moment(5)).await.unwrap());
    let routes = configs::routes(&mut db, CLIENT, &[]).await.unwrap();
    assert_eq!(routes[0].endpoints.get(&WebhookType::StatusUpdate), Some(&ENDPOINT), "its events are stored");
    assert_eq!(routes[0].disabled, BTreeSet::from([WebhookType::StatusUpdate]));
    assert_eq!(configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap().disabled_at, Some(moment(5)));
}

#[tokio::test]
async fn an_endpoint_has_the_times_of_its_first_and_last_failure() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    for failing in [Some(FailurePeriod { since: moment(3), last: moment(9) }), None] {
        configs::set_failing(&mut db, CLIENT, ENDPOINT, failing).await.unwrap();
        let endpoint = configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap();
        assert_eq!(endpoint.failing(), failing);
    }
}

#[tokio::test]
async fn an_update_changes_the_types_that_are_saved_and_turns_them_on() {
    let mut db = database().await;
    let stored = config(1, None, &[STATUS, (WebhookType::Chatbot, "https://example.com/bot")]);
    configs::insert(&mut db, CLIENT, &stored).await.unwrap();
    assert!(configs::disable(&mut db, CLIENT, ENDPOINT, STATUS.1, DisabledReason::Gone, moment(5)).await.unwrap());
    let chatbot = EndpointId(Uuid::from_u128(104));
    let failing = Some(FailurePeriod { since: moment(1), last: moment(2) });
    configs::set_failing(&mut db, CLIENT, chatbot, failing).await.unwrap();
    let mut settings = stored.settings.clone();
    settings.chatbot_include_outgoing = false;
    settings.urls.remove(&WebhookType::Chatbot);

    let saved = [WebhookType::StatusUpdate];
    assert!(config_changes::update(&mut db, STRANGER, stored.id, &settings, &saved).await.unwrap().is_empty());
    let endpoints = config_changes::update(&mut db, CLIENT, stored.id, &settings, &saved).await.unwrap();

    assert_eq!(endpoints, [ENDPOINT]);
    assert_eq!(configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap().unwrap().disabled_at, None);
    let untouched = configs::endpoint(&mut db, CLIENT, chatbot).await.unwrap().unwrap();
    assert_eq!((untouched.url.as_str(), untouched.failing()), ("https://example.com/bot", failing));
    assert!(!configs::find(&mut db, CLIENT, stored.id).await.unwrap().unwrap().settings.chatbot_include_outgoing);
}

#[tokio::test]
async fn a_deleted_configuration_takes_its_endpoints_with_it() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    configs::insert(&mut db, CLIENT, &config(2, Some(INBOX), &[STATUS])).await.unwrap();
    let (default, own) = (WebhookConfigId(Uuid::from_u128(1)), WebhookConfigId(Uuid::from_u128(2)));
    assert!(!config_changes::lock(&mut db, STRANGER, default).await.unwrap());
    assert!(config_changes::delete(&mut db, STRANGER, default).await.unwrap().is_empty());
    assert!(config_changes::lock(&mut db, CLIENT, default).await.unwrap());
    assert_eq!(config_changes::delete(&mut db, CLIENT, default).await.unwrap().len(), 5);
    assert_eq!(configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap(), None);
    let (left, total) = config_changes::page(&mut db, CLIENT, PageRequest::first(10)).await.unwrap();
    assert_eq!((left.iter().map(|config| config.id).collect::<Vec<_>>(), total), (vec![own], 1));
}

#[tokio::test]
async fn a_page_of_configurations_has_the_default_first_and_is_the_clients_own() {
    let mut db = database().await;
    configs::insert(&mut db, CLIENT, &config(1, Some(INBOX), &[STATUS])).await.unwrap();
    configs::insert(&mut db, CLIENT, &config(2, None, &[])).await.unwrap();
    configs::insert(&mut db, STRANGER, &config(3, None, &[])).await.unwrap();
    let (page, total) = config_changes::page(&mut db, CLIENT, PageRequest::first(10)).await.unwrap();
    let ids: Vec<u128> = page.iter().map(|config| config.id.0.as_u128()).collect();
    assert_eq!((ids, total), (vec![2, 1], 2));
    assert_eq!(page[1].inbox, Some((INBOX, Some("27600000001".to_owned()))));
    let (second, total) = config_changes::page(&mut db, CLIENT, PageRequest { page: 1, size: 1 }).await.unwrap();
    assert_eq!((second.len(), second[0].id.0.as_u128(), total), (1, 1, 2));
}

pub(crate) fn delivery(id: u128) -> DeliveryId {
    DeliveryId(Uuid::from_u128(id))
}

/// With a character that `jsonb` does not take.
fn happening(id: u128) -> Value {
    json!({ "n": id.to_string(), "text": "a\u{0}b" })
}

/// The first page, with so many deliveries at most.
fn at_most(limit: usize) -> DeliveryQuery<'static> {
    DeliveryQuery { after: None, held: &[], limit }
}

async fn page(db: &mut PgConnection, limit: usize) -> Vec<DueDelivery<Value>> {
    deliveries::due_page(db, CLIENT, ENDPOINT, moment(0), at_most(limit)).await.unwrap()
}

/// Deliveries 1 to `count`, due at 0.
pub(crate) async fn waiting(db: &mut PgConnection, count: u128) {
    let new = (1..=count).map(|id| NewDelivery {
        id: delivery(id),
        endpoint: ENDPOINT,
        inbox: INBOX,
        order_key: -5,
        event: happening(id),
        is_disabled: false,
    });
    deliveries::insert_all(db, CLIENT, &new.collect::<Vec<_>>(), moment(0)).await.unwrap();
}

async fn due(db: &mut PgConnection, now: DateTime<Utc>) -> Vec<(u128, u16)> {
    lanes::due(db, Queue::Webhook, now, 10).await.unwrap();
    let page: Vec<DueDelivery<Value>> = deliveries::due_page(db, CLIENT, ENDPOINT, now, at_most(100)).await.unwrap();
    page.into_iter().map(|row| (row.id.0.as_u128(), row.attempts)).collect()
}

#[tokio::test]
async fn pages_follow_each_other_in_order_and_hold_any_character() {
    let mut db = database().await;
    waiting(&mut db, 5).await;
    let first = page(&mut db, 3).await;
    assert_eq!(first.iter().map(|row| row.id).collect::<Vec<_>>(), [delivery(1), delivery(2), delivery(3)]);
    assert!(matches!(&first[0].content, DeliveryContent::Event(Ok(event)) if *event == happening(1)));
    assert_eq!((first[0].inbox, first[0].order_key, first[0].attempts), (INBOX, -5, 0));
    let after = first.last().map(DueDelivery::position);
    let second: Vec<DueDelivery<Value>> =
        deliveries::due_page(&mut db, CLIENT, ENDPOINT, moment(0), DeliveryQuery { after, held: &[], limit: 3 })
            .await
            .unwrap();
    assert_eq!(second.iter().map(|row| row.id).collect::<Vec<_>>(), [delivery(4), delivery(5)]);
    let strange: Vec<DueDelivery<Value>> =
        deliveries::due_page(&mut db, STRANGER, ENDPOINT, moment(0), at_most(3)).await.unwrap();
    assert!(strange.is_empty());
    assert!(due(&mut db, moment(-1)).await.is_empty(), "nothing is due before its time");
}

#[tokio::test]
async fn held_deliveries_are_not_read_again_and_take_no_room_on_the_page() {
    let mut db = database().await;
    waiting(&mut db, 6).await;
    let held = [delivery(1), delivery(3), delivery(9)];
    let look = DeliveryQuery { after: None, held: &held, limit: 3 };
    let page: Vec<DueDelivery<Value>> = deliveries::due_page(&mut db, CLIENT, ENDPOINT, moment(0), look).await.unwrap();
    assert_eq!(page.iter().map(|row| row.id).collect::<Vec<_>>(), [delivery(2), delivery(4), delivery(5)]);
}

#[tokio::test]
async fn a_stored_body_takes_the_place_of_the_event() {
    let mut db = database().await;
    waiting(&mut db, 2).await;
    let body: Option<&[u8]> = Some(b"{\"a\":1}");
    let shape =
        deliveries::ClientShaperResult { id: delivery(2), body, shaper: "own", version: Some(3), sha256: Some("ab") };
    deliveries::store_shapes(&mut db, CLIENT, &[shape]).await.unwrap();
    let page = page(&mut db, 9).await;
    assert!(matches!(page[0].content, DeliveryContent::Event(Ok(_))));
    assert!(matches!(&page[1].content, DeliveryContent::Body(body) if body == b"{\"a\":1}"));
    let kept: Option<String> = sqlx::query_scalar("SELECT event::text FROM webhook_delivery WHERE id = $1")
        .bind(delivery(2).0)
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(kept, None);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_leaves_the_others_of_its_endpoint_readable() {
    let mut db = database().await;
    waiting(&mut db, 2).await;
    sqlx::query("UPDATE webhook_delivery SET event = '{\"v\":2,\"value\":1}' WHERE id = $1")
        .bind(delivery(1).0)
        .execute(&mut db)
        .await
        .unwrap();
    let page = page(&mut db, 9).await;
    let DeliveryContent::Event(Err(error)) = &page[0].content else { panic!("read") };
    let error = error.to_string();
    assert!(error.contains("webhook_delivery.event") && error.contains("version 2"), "{error}");
    assert!(matches!(&page[1].content, DeliveryContent::Event(Ok(event)) if *event == happening(2)));
}

#[tokio::test]
async fn the_result_of_a_delivery_is_final_except_for_a_retry() {
    let mut db = database().await;
    waiting(&mut db, 4).await;
    let finished = |id, attempts, fate| FinishedDelivery { id: delivery(id), attempts, fate, body: None };
    let group = [
        finished(1, 1, DeliveryFate::Delivered),
        finished(2, 1, DeliveryFate::Retry(moment(60))),
        finished(3, 0, DeliveryFate::Dropped),
        finished(4, 9, DeliveryFate::Exhausted),
    ];
    let fence = lane(&mut db).await;
    settle(&mut db, fence, &group).await;
    assert!(due(&mut db, moment(59)).await.is_empty());
    assert_eq!(due(&mut db, moment(60)).await, [(2, 1)]);
    settle(&mut db, fence, &[finished(1, 2, DeliveryFate::Retry(moment(0)))]).await;
    assert_eq!(due(&mut db, moment(60)).await, [(2, 1)], "a delivered one stays delivered");
    let states: Vec<String> =
        sqlx::query_scalar("SELECT state FROM webhook_delivery ORDER BY id").fetch_all(&mut db).await.unwrap();
    assert_eq!(states, ["DELIVERED", "PENDING", "DROPPED", "EXHAUSTED"]);
}

#[tokio::test]
async fn abandoning_ends_only_waiting_deliveries() {
    let mut db = database().await;
    waiting(&mut db, 3).await;
    let done = FinishedDelivery { id: delivery(1), attempts: 1, fate: DeliveryFate::Delivered, body: None };
    let fence = lane(&mut db).await;
    settle(&mut db, fence, &[done]).await;
    let later = FinishedDelivery {
        id: delivery(2),
        attempts: 1,
        fate: DeliveryFate::Retry(moment(0) + TimeDelta::hours(9)),
        body: None,
    };
    settle(&mut db, fence, &[later]).await;
    assert_eq!(deliveries::abandon(&mut db, STRANGER, ENDPOINT, DeliveryFate::Dropped).await.unwrap(), 0);
    assert_eq!(deliveries::abandon(&mut db, CLIENT, ENDPOINT, DeliveryFate::Exhausted).await.unwrap(), 2);
    assert!(due(&mut db, moment(1_000_000)).await.is_empty());
}

/// The lane of the endpoint.
const LANE: LaneKey = LaneKey { client: CLIENT, queue: Queue::Webhook, lane: ENDPOINT.0 };

/// A lane of another client with the same id.
const LANE_OF_STRANGER: LaneKey = LaneKey { client: STRANGER, queue: Queue::Webhook, lane: ENDPOINT.0 };

/// Takes the lane of the endpoint; answers the fence.
async fn lane(db: &mut PgConnection) -> i64 {
    let (node, length) = (NodeId(Uuid::from_u128(1)), Duration::from_secs(30));
    lanes::claim(db, LANE, node, length).await.unwrap().unwrap()
}

fn rows<'a>(finished: &'a [FinishedDelivery<'a>], attempts: &'a [NewAttempt]) -> OutcomeRows<'a> {
    OutcomeRows { finished, attempts }
}

/// Stores the outcomes of deliveries of the endpoint.
async fn settle(db: &mut PgConnection, fence: i64, finished: &[FinishedDelivery<'_>]) {
    assert_eq!(deliveries::settle(db, LANE, fence, rows(finished, &[]), None).await.unwrap(), Some(LaneState::Held));
}

async fn attempts(db: &mut PgConnection) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM webhook_attempt").fetch_one(db).await.unwrap()
}

fn ended(id: u128, attempts: u16, fate: DeliveryFate) -> FinishedDelivery<'static> {
    FinishedDelivery { id: delivery(id), attempts, fate, body: None }
}

#[tokio::test]
async fn an_attempt_that_was_made_is_kept_whichever_process_has_the_lane_by_now() {
    let mut db = database().await;
    waiting(&mut db, 2).await;
    let fence = lane(&mut db).await;
    let made = [attempt(1, Some(200), None)];
    let unsent = [ended(2, 1, DeliveryFate::Dropped)];
    assert_eq!(deliveries::settle(&mut db, LANE, fence - 1, rows(&unsent, &[]), None).await.unwrap(), None);
    assert_eq!(due(&mut db, moment(0)).await.len(), 2, "unsent deliveries are left to the process that has the lane");
    let done = [FinishedDelivery { id: delivery(1), attempts: 1, fate: DeliveryFate::Delivered, body: Some(b"{}") }];
    assert_eq!(deliveries::settle(&mut db, LANE_OF_STRANGER, fence, rows(&done, &[]), None).await.unwrap(), None);
    for _ in 0..2 {
        // The answer to the first one may have been lost: then it is written once more.
        assert_eq!(deliveries::settle(&mut db, LANE, fence - 1, rows(&done, &made), None).await.unwrap(), None);
        assert_eq!((due(&mut db, moment(0)).await, attempts(&mut db).await), (vec![(2, 0)], 1));
    }
}

#[tokio::test]
async fn an_attempt_recorded_late_does_not_change_the_result_of_a_later_one() {
    let mut db = database().await;
    waiting(&mut db, 1).await;
    let fence = lane(&mut db).await;
    settle(&mut db, fence, &[ended(1, 1, DeliveryFate::Retry(moment(60)))]).await;
    let made = [attempt(1, Some(200), None)];
    let done = [ended(1, 1, DeliveryFate::Delivered)];
    assert_eq!(deliveries::settle(&mut db, LANE, fence - 1, rows(&done, &made), None).await.unwrap(), None);
    assert_eq!((due(&mut db, moment(60)).await, attempts(&mut db).await), (vec![(1, 1)], 1));
}

#[tokio::test]
async fn the_holder_of_a_lane_reads_its_endpoint() {
    let mut db = database().await;
    let fence = lane(&mut db).await;
    assert_eq!(
        configs::endpoint_of_lane(&mut db, CLIENT, ENDPOINT, fence).await.unwrap(),
        Some(None),
        "there is none yet"
    );
    configs::insert(&mut db, CLIENT, &config(1, None, &[STATUS])).await.unwrap();
    let known = configs::endpoint(&mut db, CLIENT, ENDPOINT).await.unwrap();
    assert!(known.is_some());
    assert_eq!(configs::endpoint_of_lane(&mut db, CLIENT, ENDPOINT, fence).await.unwrap(), Some(known));
    assert_eq!(configs::endpoint_of_lane(&mut db, CLIENT, ENDPOINT, fence - 1).await.unwrap(), None);
    assert_eq!(configs::endpoint_of_lane(&mut db, STRANGER, ENDPOINT, fence).await.unwrap(), None);
}

#[tokio::test]
async fn a_lane_is_given_back_once_nothing_in_it_is_due() {
    let mut db = database().await;
    waiting(&mut db, 1).await;
    let fence = lane(&mut db).await;
    assert!(!lanes::give_back(&mut db, LANE, fence, moment(0)).await.unwrap(), "a delivery is due");
    assert!(lanes::hold(&mut db, LANE, fence).await.unwrap());
    let later = [FinishedDelivery { id: delivery(1), attempts: 1, fate: DeliveryFate::Retry(moment(60)), body: None }];
    settle(&mut db, fence, &later).await;
    assert!(!lanes::give_back(&mut db, LANE, fence - 1, moment(0)).await.unwrap(), "another worker has it");
    assert!(lanes::give_back(&mut db, LANE, fence, moment(0)).await.unwrap());
    assert_eq!(lane(&mut db).await, fence + 1, "it is free at once");
}

#[tokio::test]
async fn storing_the_last_outcomes_releases_the_lane_unless_more_is_due() {
    let mut db = database().await;
    waiting(&mut db, 2).await;
    let fence = lane(&mut db).await;
    let now = Some(moment(0));
    let one = [ended(1, 1, DeliveryFate::Delivered)];
    let held = deliveries::settle(&mut db, LANE, fence, rows(&one, &[]), now).await.unwrap();
    assert_eq!(held, Some(LaneState::Held), "the other delivery is due");
    let other = [ended(2, 1, DeliveryFate::Retry(moment(60)))];
    let stranger = deliveries::settle(&mut db, LANE_OF_STRANGER, fence, rows(&other, &[]), now).await.unwrap();
    assert_eq!(stranger, None);
    let given_back = deliveries::settle(&mut db, LANE, fence, rows(&other, &[]), now).await.unwrap();
    assert_eq!(given_back, Some(LaneState::GivenBack), "a delivery that waits for its retry is not due");
    let length = Duration::from_secs(30);
    let renewed = lanes::renew(&mut db, LANE, fence, length).await.unwrap();
    assert!(!renewed, "a renewal that comes late does not take the lane back");
    assert!(lane(&mut db).await > fence, "the lane is free at once");
}

fn attempt(id: u128, status_code: Option<u16>, error: Option<&str>) -> NewAttempt {
    NewAttempt {
        id: Uuid::from_u128(id),
        delivery: delivery(1),
        attempt: 1,
        status_code,
        error: error.map(str::to_owned),
        response_start: status_code.map(|_| "busy".to_owned()),
        duration_millis: 12,
        attempted_at: moment(1),
    }
}

#[tokio::test]
async fn attempts_are_kept_with_and_without_an_answer() {
    let mut db = database().await;
    let fence = lane(&mut db).await;
    let made = [attempt(1, Some(503), Some("answered 503")), attempt(2, None, Some("no answer in time"))];
    assert_eq!(deliveries::settle(&mut db, LANE, fence, rows(&[], &made), None).await.unwrap(), Some(LaneState::Held));
    let stored: Vec<(Option<i16>, Option<String>, Option<String>)> = sqlx::query_as(
        "SELECT status_code, error, response_start FROM webhook_attempt WHERE client_id = $1 AND delivery_id = $2 ORDER BY id",
    )
    .bind(CLIENT.0)
    .bind(delivery(1).0)
    .fetch_all(&mut db)
    .await
    .unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(stored, [(Some(503), text("answered 503"), text("busy")), (None, text("no answer in time"), None)]);
}
