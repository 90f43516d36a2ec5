//! Swaps of a plugin's version while customers write (CONTRACT 6): no event is dropped, and each conversation is
//! answered by the recorded version. `make soak` continues for minutes.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use harness::{PatchbaySetup, TestPhone, altered, eventually, guest};
use serde_json::json;

pub const SWAPS: usize = 100;
/// Minimum of messages during the swaps.
const LOAD: usize = 120;
const PHONES: usize = 60;
/// Limit of messages per phone. If a number gets more at once, the provider slows down.
const MOST_MESSAGES: usize = 40;

struct Load {
    number: String,
    /// Pause between two messages of a phone.
    between: Duration,
    stop: AtomicBool,
    written: AtomicUsize,
}

impl Load {
    /// Writes to the bot until `stop` is set. Returns the number of messages.
    async fn chatter(self: Arc<Self>, phone: TestPhone, head_start: Duration) -> usize {
        let mut written = 0;
        tokio::time::sleep(head_start).await;
        while written < MOST_MESSAGES && !self.stop.load(Ordering::Relaxed) {
            phone.write(&self.number, "version 0").await;
            written += 1;
            self.written.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(self.between).await;
        }
        written
    }
}

/// The versions that answered a phone, in order.
async fn answers(phone: &TestPhone) -> Vec<u32> {
    let inbox = phone.inbox().await;
    let texts = inbox.iter().filter_map(|message| message["text"].as_str());
    texts.filter_map(|text| text.strip_prefix("version-")?.parse().ok()).collect()
}

/// Waits for this number of answers. It fails only if no further answer comes for a long time.
async fn all_answers(phone: &TestPhone, wanted: usize) -> Vec<u32> {
    let mut found = answers(phone).await;
    while found.len() < wanted {
        let what = format!("answer {} of {wanted}", found.len() + 1);
        found = eventually(&what, || async {
            let more = answers(phone).await;
            (more.len() > found.len()).then_some(more)
        })
        .await;
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn swaps_under_load_drop_no_event_and_never_mix_two_versions() {
    println!("{}", swapped_under_load(Duration::ZERO, |swaps| swaps < SWAPS).await);
}

/// Swaps versions for about `length`, while `goes_on` is true for the number of swaps. Returns the counts.
///
/// # Panics
///
/// If an event was dropped, or a conversation was answered by another version than the recorded one.
pub async fn swapped_under_load(length: Duration, goes_on: impl Fn(usize) -> bool) -> String {
    // The duration of a call is not tested here, and the machine may be slow.
    let patchbay = PatchbaySetup::new().set("limits.plugin_chatbot_timeout", "1m").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    for number in 1..=2 {
        let component = altered(guest("hostile-bot"), "version-0000", &format!("version-{number:04}"));
        client.upload("shop", component).await;
    }
    client.put_in_force("shop", json!({ "version": 1 })).await;
    let phones: Vec<TestPhone> = (1..=PHONES).map(|number| patchbay.phone(&format!("278200000{number:02}"))).collect();
    let between = Duration::from_secs(2).max(length / u32::try_from(MOST_MESSAGES).unwrap());
    let (number, stop, written) = (client.number.clone(), AtomicBool::default(), AtomicUsize::default());
    let load = Arc::new(Load { number, between, stop, written });
    let writing: Vec<_> = phones
        .iter()
        .zip(0_u32..)
        .map(|(phone, place)| {
            let head_start = between * place / u32::try_from(PHONES).unwrap();
            tokio::spawn(Arc::clone(&load).chatter(phone.clone(), head_start))
        })
        .collect();

    let mut swaps = 0;
    while goes_on(swaps) || load.written.load(Ordering::Relaxed) < LOAD {
        let version = if swaps % 2 == 0 {
            client.put_in_force("shop", json!({ "version": 2 })).await["version"].clone()
        } else {
            client.post("/plugin-service/api/v1/plugins/shop/rollback", &json!({})).await.ok()["version"].clone()
        };
        assert_eq!(version, if swaps % 2 == 0 { 2 } else { 1 });
        swaps += 1;
    }
    load.stop.store(true, Ordering::Relaxed);
    let mut written = Vec::new();
    for one in writing {
        written.push(one.await.unwrap());
    }

    let mut answered = Vec::new();
    for (phone, written) in phones.iter().zip(&written) {
        answered.push(all_answers(phone, *written).await);
    }
    let counts: Vec<usize> = answered.iter().map(Vec::len).collect();
    assert_eq!(counts, written, "one answer for each message");

    // Call by call, the recorded versions are those that answered the customer.
    let mut db = patchbay.database().await;
    let calls: Vec<(uuid::Uuid, String, String, Option<String>)> = sqlx::query_as(
        "SELECT subject_id, version, outcome, error FROM plugin_invocation WHERE plugin = 'shop' ORDER BY id",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let mut recorded: BTreeMap<uuid::Uuid, Vec<u32>> = BTreeMap::new();
    for (subject, version, outcome, error) in calls {
        // If a call finds no free place in time, it is repeated without a limit.
        let found_no_place = error.as_deref().is_some_and(|error| error.starts_with("too many calls at once"));
        if outcome == "not-started" && found_no_place {
            continue;
        }
        assert_eq!((outcome.as_str(), error), ("answered", None));
        recorded.entry(subject).or_default().push(version.parse().unwrap());
    }
    // The first call of each conversation reports its start.
    let mut recorded: Vec<Vec<u32>> = recorded.into_values().map(|versions| versions[1..].to_vec()).collect();
    recorded.sort_unstable();
    answered.sort_unstable();
    assert_eq!(answered, recorded);
    for version in 1..=2 {
        assert!(answered.iter().flatten().any(|answer| *answer == version), "version {version} never answered");
    }
    format!("{swaps} swaps, {} messages, each answered once", counts.iter().sum::<usize>())
}
