//! One number at 1,000 messages a second through the simulator, which is a process of its own: every status called back, every
//! webhook delivered. How much of that rate holds, and which process has no more to give.

use std::time::{Duration, Instant};

use harness::PatchbaySetup;
use serde_json::json;

use crate::{
    costs::{self, Processes},
    load::Connection,
    simulator_process::Outside,
    sink::Sink,
    stage::Stage,
    table::{Bar, Figure},
};

const PER_SECOND: usize = 1000;
const SECONDS: usize = 20;
/// Accepted, sent, delivered: phones of the simulator read only on request.
const WEBHOOKS: usize = 3;

pub async fn measure() -> Figure {
    let mut stage = Stage::set(PatchbaySetup::new().set("limits.cloud_rate_per_number", "1000")).await;
    let sink = Sink::start();
    let body = json!({ "statusUpdateURL": format!("{}/status", sink.url) });
    let reply = stage.client.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &body).await;
    assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
    let outside = Outside::start(&stage.patchbay.url(), stage.patchbay.app_secret());
    outside.knows(&stage.client.number).await;
    stage.send_to(&outside.url).await;
    let processes = Processes {
        program: stage.patchbay.process_id(),
        postmaster: costs::postmaster(&stage.db).await,
        provider: outside.process_id(),
        sink: Some(sink.process_id()),
    };
    let before = processes.spent();
    let (body, messages) = (stage.body(PER_SECOND), PER_SECOND * SECONDS);
    let mut connection = Connection::open(stage.address(), &stage.client.key).await;
    let began = Instant::now();
    let mut pace = tokio::time::interval(Duration::from_secs(1));
    for second in 0..SECONDS {
        pace.tick().await;
        assert_eq!(connection.post(&body.make(second)).await, 202, "a send was not accepted");
    }
    let taken = began.elapsed();
    let arrived = sink.wait_for(u64::try_from(messages * WEBHOOKS).unwrap()).await;
    let took = arrived.last - began;
    #[expect(clippy::cast_precision_loss, reason = "a count of messages")]
    let count = messages as f64;
    let spent = processes.spent().each(&before, count);
    let each = |part: f64| part * count / 1e3 / took.as_secs_f64();
    Figure {
        name: "a number at 1,000 a second, end to end",
        unit: "messages/s",
        measured: count / took.as_secs_f64(),
        floor: None,
        floor_name: "-".to_owned(),
        bar: Bar::From(950.0),
        notes: vec![
            format!(
                "{messages} taken in {taken:.1?}, the last webhook after {took:.1?}; {WEBHOOKS} webhooks a message"
            ),
            format!(
                "processors in use: program {:.2}, PostgreSQL {:.2}, simulator {:.2}, sink {:.2}",
                each(spent.program),
                each(spent.postgresql),
                each(spent.provider),
                each(spent.sink)
            ),
        ],
    }
}
