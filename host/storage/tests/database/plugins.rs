//! Uploaded versions, activations and records of calls, in a real database.

use chrono::{DateTime, Utc};
use domain::{
    ids::{InboxId, NodeId},
    page::PageRequest,
};
use serde_json::json;
use storage::{
    PgConnection, Queue,
    plugins::{
        activations::{self, ActivatedHttpLimits, ActivatedUpload, Activation, RecordingTerms},
        changes::{self, ActivationChange, Changes},
        differences::{self, AnswerDifference},
        invocations::{self, Invocation, InvocationFilter, Tally},
        recordings::{self, ListedRecording, RecordingEnd, RecordingResult, RecordingRow},
        shadow_skips::{self, SkippedCount},
        versions::{self, UploadedVersion},
    },
    tenancy::clients,
    work::{
        lanes::{self, LaneKey},
        retention,
    },
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, STRANGER, new_client};

fn moment(minutes: i64) -> DateTime<Utc> {
    "2026-05-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + chrono::TimeDelta::minutes(minutes)
}

async fn database() -> (scratch::Scratch, PgConnection) {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    for (client, client_ref) in [(CLIENT, "acme"), (STRANGER, "other")] {
        clients::insert(&mut db, client, &new_client(client, client_ref), moment(0)).await.unwrap();
    }
    (scratch, db)
}

fn activation(id: u128, plugin: &str, inbox: Option<InboxId>) -> Activation {
    Activation {
        id: Uuid::from_u128(id),
        world: "chatbot".to_owned(),
        inbox,
        mode: "live".to_owned(),
        plugin: plugin.to_owned(),
        upload: Some(ActivatedUpload { version: 3, sha256: "ab".to_owned() }),
        config: json!({ "hours": "8-17" }).into(),
        allowed_hosts: vec!["api.example.org".to_owned()],
        http_limits: ActivatedHttpLimits { requests: Some(2), ..ActivatedHttpLimits::default() },
        percent: 100,
        error_threshold: 10,
        minimum_calls: 20,
        previous: None,
        recording: None,
        activated_at: moment(0),
    }
}

fn version(name: &str, sha256: &str) -> UploadedVersion {
    UploadedVersion {
        name: name.to_owned(),
        world: "chatbot".to_owned(),
        version: 0,
        sha256: sha256.to_owned(),
        size: 4,
        api_version: "0.1.1".to_owned(),
        imports: vec!["patchbay:plugin/log@0.1.1".to_owned()],
        config_schema: Some(json!({ "type": "object" }).into()),
        created_by: None,
        created_at: moment(0),
        signature: None,
        origin: None,
    }
}

#[tokio::test]
async fn slots_of_an_inbox_come_before_those_of_the_client() {
    let (_scratch, mut db) = database().await;
    activations::begin(&mut db, CLIENT, &activation(1, "general", None)).await.unwrap();
    activations::begin(&mut db, CLIENT, &activation(2, "own", Some(INBOX))).await.unwrap();
    let serving = async |db: &mut PgConnection, inbox| {
        let found = activations::in_force(db, CLIENT, &["chatbot"], inbox).await.unwrap();
        found.into_iter().map(|active| active.plugin).collect::<Vec<_>>()
    };
    assert_eq!(serving(&mut db, INBOX).await, ["own", "general"]);
    assert_eq!(serving(&mut db, InboxId(Uuid::from_u128(77))).await, ["general"]);
    assert_eq!(
        activations::in_scope(&mut db, CLIENT, "chatbot", None).await.unwrap(),
        [activation(1, "general", None)]
    );
    assert!(activations::list(&mut db, STRANGER, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_holder_of_a_lane_reads_the_plugin_in_the_same_statement() {
    let (_scratch, mut db) = database().await;
    let (node, length) = (NodeId(Uuid::from_u128(9)), std::time::Duration::from_secs(30));
    let lane = LaneKey { client: CLIENT, queue: Queue::Outbound, lane: INBOX.0 };
    let fence = lanes::claim(&mut db, lane, node, length).await.unwrap().unwrap();
    let sees = async |db: &mut PgConnection, fence| lanes::hold_and_see(db, lane, fence, "chatbot").await.unwrap();
    assert_eq!(sees(&mut db, fence).await, Some(false));
    let of = |id, inbox, mode: &str| Activation { mode: mode.to_owned(), ..activation(id, "bot", inbox) };
    let router = Activation { world: "router".to_owned(), ..of(1, None, "live") };
    for others in [of(2, Some(InboxId(Uuid::from_u128(77))), "live"), of(3, Some(INBOX), "shadow"), router] {
        activations::begin(&mut db, CLIENT, &others).await.unwrap();
    }
    activations::begin(&mut db, STRANGER, &of(4, None, "live")).await.unwrap();
    assert_eq!(sees(&mut db, fence).await, Some(false), "none of these answers here");

    for ours in [of(5, None, "live"), of(6, Some(INBOX), "canary")] {
        activations::begin(&mut db, CLIENT, &ours).await.unwrap();
        assert_eq!(sees(&mut db, fence).await, Some(true));
        activations::end(&mut db, CLIENT, ours.id, "deactivated", moment(1)).await.unwrap();
        assert_eq!(sees(&mut db, fence).await, Some(false));
    }
    assert_eq!(sees(&mut db, fence + 1).await, None, "another worker has the lane");
}

#[tokio::test]
async fn an_activation_that_ended_is_history() {
    let (_scratch, mut db) = database().await;
    let first = activation(1, "general", None);
    activations::begin(&mut db, CLIENT, &first).await.unwrap();
    assert!(activations::end(&mut db, CLIENT, first.id, "replaced", moment(3)).await.unwrap());
    assert!(!activations::end(&mut db, CLIENT, first.id, "rolled-back", moment(4)).await.unwrap(), "it is over");
    let past = activations::past(&mut db, CLIENT, first.id).await.unwrap().unwrap();
    assert_eq!((past.activation, past.ended_at), (first.clone(), Some(moment(3))));
    assert_eq!(past.end_reason.as_deref(), Some("replaced"));
    assert_eq!(activations::history(&mut db, CLIENT, "general", 10).await.unwrap().len(), 1);
    assert!(activations::past(&mut db, STRANGER, first.id).await.unwrap().is_none());
}

#[tokio::test]
async fn versions_count_up_and_old_ones_go_unless_they_are_needed() {
    let (_scratch, mut db) = database().await;
    for index in 1..=6 {
        let sha256 = format!("hash {index}");
        assert_eq!(versions::insert(&mut db, CLIENT, &version("shop", &sha256), b"\0asm").await.unwrap(), index);
    }
    let active = Activation {
        upload: Some(ActivatedUpload { version: 2, sha256: "hash 2".to_owned() }),
        ..activation(1, "shop", None)
    };
    activations::begin(&mut db, CLIENT, &active).await.unwrap();

    let mut removed = versions::remove_old(&mut db, CLIENT, "shop", 3).await.unwrap();

    removed.sort_unstable();
    assert_eq!(removed, [1, 3]);
    assert!(versions::bytes(&mut db, CLIENT, "hash 1").await.unwrap().is_none());
    assert_eq!(versions::bytes(&mut db, CLIENT, "hash 2").await.unwrap().as_deref(), Some(b"\0asm".as_slice()));
    assert_eq!(versions::stored_bytes_of_others(&mut db, CLIENT, "hash 2").await.unwrap(), 12);
    let next = versions::insert(&mut db, CLIENT, &version("shop", "hash 1"), b"\0asm").await.unwrap();
    assert_eq!(next, 7, "a version is never given twice");
    assert!(versions::bytes(&mut db, STRANGER, "hash 2").await.unwrap().is_none());
}

#[tokio::test]
async fn bytes_that_two_names_share_stay_until_both_are_gone() {
    let (_scratch, mut db) = database().await;
    for name in ["shop", "shop-test"] {
        versions::insert(&mut db, CLIENT, &version(name, "same"), b"\0asm").await.unwrap();
    }
    assert_eq!(versions::stored_bytes_of_others(&mut db, CLIENT, "").await.unwrap(), 4);
    assert!(versions::delete(&mut db, CLIENT, "shop").await.unwrap());
    assert!(versions::bytes(&mut db, CLIENT, "same").await.unwrap().is_some());
    assert!(!versions::delete(&mut db, CLIENT, "shop").await.unwrap());
    assert!(versions::delete(&mut db, CLIENT, "shop-test").await.unwrap());
    assert!(versions::bytes(&mut db, CLIENT, "same").await.unwrap().is_none());
}

fn call(id: u128, outcome: &str) -> Invocation {
    Invocation {
        id: Uuid::from_u128(id),
        plugin: "bot".to_owned(),
        version: "1".to_owned(),
        world: "chatbot".to_owned(),
        outcome: outcome.to_owned(),
        duration_micros: 10,
        peak_memory_bytes: 20,
        logs: "info: hello\n".to_owned(),
        error: None,
        event: Some("timer".to_owned()),
        consequence: None,
        subject: Some(Uuid::from_u128(9)),
        activation: Some(Uuid::from_u128(5)),
        mode: "canary".to_owned(),
    }
}

#[tokio::test]
async fn calls_are_listed_newest_first_and_filtered() {
    let (_scratch, mut db) = database().await;
    let calls = [call(1, "answered"), call(2, "trapped"), call(3, "answered")];
    invocations::record(&mut db, CLIENT, &calls).await.unwrap();
    let page = async |db: &mut PgConnection, wanted, part| {
        let (page, total) = invocations::page(db, CLIENT, "bot", wanted, part).await.unwrap();
        (page.iter().map(|call| call.id.as_u128()).collect::<Vec<_>>(), total)
    };
    assert_eq!(page(&mut db, InvocationFilter::default(), PageRequest::first(2)).await, (vec![3, 2], 3));
    let trapped = InvocationFilter { outcome: Some("trapped"), ..InvocationFilter::default() };
    assert_eq!(page(&mut db, trapped, PageRequest::first(10)).await, (vec![2], 1));
    let later = InvocationFilter { after: Some(Uuid::from_u128(2)), ..InvocationFilter::default() };
    assert_eq!(page(&mut db, later, PageRequest::first(10)).await, (vec![3], 1));
    let live = InvocationFilter { mode: Some("live"), ..InvocationFilter::default() };
    assert_eq!(page(&mut db, live, PageRequest::first(10)).await, (vec![], 0));
    let of_subject = |id: u128| InvocationFilter { subject: Some(Uuid::from_u128(id)), ..InvocationFilter::default() };
    assert_eq!(page(&mut db, of_subject(9), PageRequest::first(10)).await, (vec![3, 2, 1], 3));
    assert_eq!(page(&mut db, of_subject(8), PageRequest::first(10)).await, (vec![], 0));
    let event = |name| InvocationFilter { event: Some(name), ..InvocationFilter::default() };
    assert_eq!(page(&mut db, event("timer"), PageRequest::first(10)).await, (vec![3, 2, 1], 3));
    assert_eq!(page(&mut db, event("time"), PageRequest::first(10)).await, (vec![], 0));
}

#[tokio::test]
async fn calls_that_do_not_judge_a_canary_do_not_count() {
    let (_scratch, mut db) = database().await;
    let calls = [call(1, "answered"), call(2, "trapped"), call(3, "not-started"), call(4, "trapped")];
    invocations::record(&mut db, CLIENT, &calls).await.unwrap();
    let tally = invocations::tally(&mut db, CLIENT, Uuid::from_u128(5), &["not-started"]).await.unwrap();
    assert_eq!(tally, Tally { calls: 3, failures: 2 });
    let none = invocations::tally(&mut db, CLIENT, Uuid::from_u128(6), &[]).await.unwrap();
    assert_eq!(none, Tally { calls: 0, failures: 0 });
}

/// A recording of 19 bytes.
fn recording(id: u128) -> RecordingRow {
    RecordingRow {
        id: Uuid::from_u128(id),
        activation: Uuid::from_u128(5),
        plugin: "bot".to_owned(),
        version: Some(1),
        world: "chatbot".to_owned(),
        subject: Uuid::from_u128(9),
        recording: "{\"b\":1,\"a\":\"\\u0000\"}".to_owned(),
    }
}

fn terms(first: u128, max_calls: i32, max_bytes: i64) -> RecordingTerms {
    let first = Uuid::from_u128(first);
    RecordingTerms { sample: 1.0, max_calls, max_bytes, first, until: moment(9), stopped: None }
}

#[tokio::test]
async fn no_more_is_recorded_than_the_terms_allow() {
    let (_scratch, mut db) = database().await;
    let mut kept = Vec::new();
    for id in 1..=3 {
        kept.push(recordings::insert(&mut db, CLIENT, &recording(id), &terms(1, 2, 1_000)).await.unwrap());
    }
    let full = Some(RecordingEnd::Calls);
    assert_eq!(kept, [(true, None), (true, full), (false, full)].map(|(kept, full)| RecordingResult { kept, full }));
    let again = recordings::insert(&mut db, CLIENT, &recording(4), &terms(3, 2, 1_000)).await.unwrap();
    assert_eq!(again, RecordingResult { kept: true, full: None }, "begun again");
    let (page, total) = recordings::page(&mut db, CLIENT, "bot", None, PageRequest::first(1)).await.unwrap();
    let bytes = i64::try_from(recording(4).recording.len()).unwrap();
    assert_eq!((page, total), (vec![ListedRecording { id: Uuid::from_u128(4), bytes }], 3));
    let ids = [1, 4, 9].map(Uuid::from_u128);
    assert_eq!(recordings::of_ids(&mut db, CLIENT, &ids).await.unwrap(), [recording(4), recording(1)]);
    let older = recordings::older(&mut db, CLIENT, "bot", Uuid::from_u128(4), 10).await.unwrap();
    assert_eq!(older, [recording(2), recording(1)]);
}

#[tokio::test]
async fn recordings_are_listed_by_their_subject() {
    let (_scratch, mut db) = database().await;
    for id in 1..=3 {
        let subject = Uuid::from_u128(if id == 2 { 8 } else { 9 });
        let one = RecordingRow { subject, ..recording(id) };
        recordings::insert(&mut db, CLIENT, &one, &terms(1, 9, 1_000)).await.unwrap();
    }
    for (subject, expected) in [(8, vec![2]), (9, vec![3, 1]), (7, vec![])] {
        let wanted = Some(Uuid::from_u128(subject));
        let (page, total) = recordings::page(&mut db, CLIENT, "bot", wanted, PageRequest::first(9)).await.unwrap();
        let ids: Vec<u128> = page.iter().map(|one| one.id.as_u128()).collect();
        assert_eq!((total, ids), (i64::try_from(expected.len()).unwrap(), expected));
    }
}

#[tokio::test]
async fn no_more_bytes_are_recorded_than_the_terms_allow() {
    let (_scratch, mut db) = database().await;
    let size = i64::try_from(recording(1).recording.len()).unwrap();
    for (most, expected) in [
        (size - 1, vec![(false, Some(RecordingEnd::Bytes))]),
        (size, vec![(true, Some(RecordingEnd::Bytes)), (false, Some(RecordingEnd::Bytes))]),
        (2 * size - 1, vec![(true, None), (false, Some(RecordingEnd::Bytes))]),
        (2 * size, vec![(true, None), (true, Some(RecordingEnd::Bytes)), (false, Some(RecordingEnd::Bytes))]),
    ] {
        let first = u128::try_from(most).unwrap() << 16;
        for (id, (kept, full)) in (first..).zip(expected) {
            let keeping = recordings::insert(&mut db, CLIENT, &recording(id), &terms(first, 9, most)).await.unwrap();
            assert_eq!(keeping, RecordingResult { kept, full }, "{} of {most} bytes", id - first);
        }
    }
}

#[tokio::test]
async fn a_full_recording_ends_once_and_can_be_started_again() {
    let (_scratch, mut db) = database().await;
    activations::begin(&mut db, CLIENT, &activation(1, "bot", None)).await.unwrap();
    let (id, begun) = (Uuid::from_u128(1), terms(3, 7, 100));
    activations::set_recording(&mut db, CLIENT, id, Some(&begun)).await.unwrap();
    let other = terms(2, 7, 100);
    assert!(!activations::stop_recording(&mut db, CLIENT, id, &other, "full").await.unwrap(), "it was begun again");
    assert!(activations::stop_recording(&mut db, CLIENT, id, &begun, "full").await.unwrap());
    assert!(!activations::stop_recording(&mut db, CLIENT, id, &begun, "full").await.unwrap(), "it is over");
    let stopped = activations::list(&mut db, CLIENT, None).await.unwrap()[0].recording.clone().unwrap();
    assert_eq!(stopped, RecordingTerms { stopped: Some("full".to_owned()), ..begun.clone() });
    activations::set_recording(&mut db, CLIENT, id, Some(&begun)).await.unwrap();
    assert_eq!(activations::list(&mut db, CLIENT, None).await.unwrap()[0].recording, Some(begun));
}

#[tokio::test]
async fn comparisons_that_were_skipped_are_added_up_per_shadow() {
    let (_scratch, mut db) = database().await;
    let skipped = |activation, comparisons, at| SkippedCount {
        activation: Uuid::from_u128(activation),
        plugin: "bot".to_owned(),
        version: Some(2),
        comparisons,
        last_at: moment(at),
    };
    shadow_skips::add(&mut db, CLIENT, &[skipped(1, 3, 1), skipped(2, 1, 1)]).await.unwrap();
    shadow_skips::add(&mut db, CLIENT, &[skipped(1, 2, 4)]).await.unwrap();
    shadow_skips::add(&mut db, STRANGER, &[skipped(1, 9, 5)]).await.unwrap();
    let told = shadow_skips::of_plugin(&mut db, CLIENT, "bot").await.unwrap();
    assert_eq!(told, [skipped(1, 5, 4), skipped(2, 1, 1)]);
    assert_eq!(retention::forget(&mut db, retention::OF_PLUGINS[1], moment(4), 10).await.unwrap(), 1);
    assert_eq!(shadow_skips::of_plugin(&mut db, CLIENT, "bot").await.unwrap(), [skipped(1, 5, 4)]);
    assert_eq!(shadow_skips::of_plugin(&mut db, CLIENT, "other").await.unwrap(), []);
}

#[tokio::test]
async fn the_terms_of_a_recording_can_be_set_and_cleared() {
    let (_scratch, mut db) = database().await;
    activations::begin(&mut db, CLIENT, &activation(1, "bot", None)).await.unwrap();
    let terms = RecordingTerms { sample: 0.5, ..terms(3, 7, 1_000) };
    assert!(activations::set_recording(&mut db, CLIENT, Uuid::from_u128(1), Some(&terms)).await.unwrap());
    assert_eq!(activations::list(&mut db, CLIENT, Some("bot")).await.unwrap()[0].recording, Some(terms));
    assert!(activations::set_recording(&mut db, CLIENT, Uuid::from_u128(1), None).await.unwrap());
    assert_eq!(activations::list(&mut db, CLIENT, None).await.unwrap()[0].recording, None);
    assert!(!activations::set_recording(&mut db, STRANGER, Uuid::from_u128(1), None).await.unwrap());
}

#[tokio::test]
async fn other_nodes_are_notified_of_activations() {
    let (scratch, mut db) = database().await;
    let pool = storage::connect(&scratch.url, 2).await.unwrap();
    let mut changes = Changes::listen(&pool).await.unwrap();
    let change = ActivationChange { client: CLIENT, sha256: "ab".to_owned() };

    changes::announce(&mut db, &change).await.unwrap();

    assert_eq!(changes.next().await.unwrap(), change);
    activations::begin(&mut db, CLIENT, &activation(1, "bot", None)).await.unwrap();
    let missed = activations::activated_since(&mut db, moment(0), 10).await.unwrap();
    assert_eq!(missed[0].sha256, "ab");
    assert!(activations::activated_since(&mut db, moment(1), 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn differences_of_a_shadow_are_read_back_unchanged() {
    let (_scratch, mut db) = database().await;
    let difference = AnswerDifference {
        id: Uuid::from_u128(1),
        activation: Uuid::from_u128(2),
        plugin: "shop".to_owned(),
        version: Some(2),
        live_plugin: "shop".to_owned(),
        live_version: Some(1),
        subject: Uuid::from_u128(3),
        live: json!({ "say": "hi" }).into(),
        shadow: json!([1, null]).into(),
    };
    differences::insert(&mut db, CLIENT, &difference).await.unwrap();
    assert_eq!(differences::page(&mut db, CLIENT, "shop", PageRequest::first(9)).await.unwrap(), (vec![difference], 1));
    assert_eq!(differences::page(&mut db, STRANGER, "shop", PageRequest::first(9)).await.unwrap().1, 0);
}
