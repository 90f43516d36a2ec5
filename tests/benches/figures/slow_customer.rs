//! Others of a number while many messages to one customer wait for that customer's pace: another customer's reply, and a
//! template to a third person.

use std::time::{Duration, Instant};

use harness::{PatchbaySetup, inbound_text};
use sqlx::Row;

use crate::{
    provider::Watch,
    stage::Stage,
    table::{Bar, Figure},
    timing::Times,
};

/// Messages to the one customer: 45 go at once, then one in six seconds.
const HELD: usize = 200;
const AT_ONCE: usize = 45;
/// Samples of each kind, before and during the wait; each goes to another recipient.
const SAMPLES: usize = 200;
const PATIENCE: Duration = Duration::from_secs(15);
const BUSY: &str = "27850000000";

pub async fn measure() -> [Figure; 2] {
    let mut scene = Scene::set().await;
    // Twice: the first pass fills every cache.
    scene.pace().await;
    let (reply, template) = scene.pace().await;
    scene.hold().await;
    let (held_reply, held_template) = scene.pace().await;
    let figure = |name, quiet: &Times, held: &Times| Figure {
        name,
        unit: "ms, 99th percentile",
        measured: held.p99(),
        floor: Some(quiet.p99()),
        floor_name: "the same while nothing waits".to_owned(),
        bar: Bar::AtMostTimes(1.5),
        notes: vec![format!("nothing waits: {quiet}"), format!("{} wait: {held}", HELD - AT_ONCE)],
    };
    [
        figure("a reply while 200 messages to one customer wait", &reply, &held_reply),
        figure("a template while they wait", &template, &held_template),
    ]
}

struct Scene {
    stage: Stage,
    watch: Watch,
    /// Customers that were written to so far.
    served: usize,
}

fn customer(number: usize) -> String {
    format!("2786{number:07}")
}

impl Scene {
    /// All customers have written, so that they may be replied to.
    async fn set() -> Self {
        let mut stage = Stage::set(PatchbaySetup::new()).await;
        let watch = Watch::start().await;
        stage.send_to(&watch.url).await;
        let customers = (0..3 * SAMPLES).map(customer).chain([BUSY.to_owned()]);
        for phone in customers {
            let value = inbound_text(&format!("wamid.in.{phone}"), Some(&phone), None, "hello");
            let reply = stage.patchbay.callback(&stage.client.callback(value)).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        loop {
            let row = sqlx::query("SELECT EXISTS (SELECT 1 FROM callback)").fetch_one(&stage.db).await.unwrap();
            if !row.get::<bool, _>(0) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Self { stage, watch, served: 0 }
    }

    /// Replies and templates, in turn.
    async fn pace(&mut self) -> (Times, Times) {
        let first = self.served;
        self.served += SAMPLES;
        let replies = Times::of(SAMPLES, PATIENCE, async |number| {
            let phone = customer(first + number);
            let payload = self.stage.client.chat(&phone, "We are looking into it.");
            self.time(&phone, &payload).await
        })
        .await;
        let templates = Times::of(SAMPLES, PATIENCE, async |number| {
            let phone = format!("2787{:07}", first + number);
            let payload = self.stage.client.order_ready(&[&phone]);
            self.time(&phone, &payload).await
        })
        .await;
        (replies, templates)
    }

    /// From a request to its message at the provider.
    async fn time(&mut self, phone: &str, payload: &serde_json::Value) -> Option<Duration> {
        let began = Instant::now();
        self.stage.client.send(payload).await.accepted();
        self.watch.arrival(phone, PATIENCE).await.map(|came| came - began)
    }

    /// Writes to the one customer until most of it has to wait.
    async fn hold(&mut self) {
        for number in 0..HELD {
            let payload = self.stage.client.chat(BUSY, &format!("Part {number} of your history."));
            self.stage.client.send(&payload).await.accepted();
        }
        for _ in 0..AT_ONCE {
            self.watch.arrival(BUSY, PATIENCE).await.expect("the first ones go at once");
        }
    }
}
