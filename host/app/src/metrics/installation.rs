//! The figures of the whole installation, from the database. They are read when `/metrics` is read, but at most every
//! few seconds.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use base::Context;
use chrono::{DateTime, Utc};
use domain::inbox_fault::REFUSED_FOR;
use storage::{
    PgConnection, Queue,
    inboxes::faults,
    work::queue_figures::{self, LiteFigures, QueueFigures},
};
use tokio::{sync::Mutex, time::timeout};

use super::page::MetricText;

/// Time for which figures are shown again.
const KEPT: Duration = Duration::from_secs(5);
/// Limit for reading them. After it they are left out.
const LIMIT: Duration = Duration::from_secs(2);

/// The figures that were read last.
pub(super) struct InstallationFigures {
    ctx: Arc<Context>,
    last: Mutex<Option<(Instant, Arc<str>)>>,
}

impl InstallationFigures {
    pub(super) fn new(ctx: Arc<Context>) -> Self {
        Self { ctx, last: Mutex::default() }
    }

    /// Returns the figures as text. It is empty if the database does not answer in time.
    pub(super) async fn text(&self) -> Arc<str> {
        let mut last = self.last.lock().await;
        if let Some((at, text)) = &*last
            && at.elapsed() < KEPT
        {
            return Arc::clone(text);
        }
        let text: Arc<str> = match timeout(LIMIT, self.read()).await {
            Ok(Ok(text)) => text.into(),
            Ok(Err(error)) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the queues cannot be read for the metrics");
                "".into()
            }
            Err(_) => {
                tracing::warn!(limit_secs = LIMIT.as_secs(), "the queues could not be read for the metrics in time");
                "".into()
            }
        };
        *last = Some((Instant::now(), Arc::clone(&text)));
        text
    }

    async fn read(&self) -> storage::Result<String> {
        let mut db = self.ctx.db.for_requests().acquire().await?;
        let mut text = MetricText::default();
        add_queues(&mut text, &mut db, self.ctx.now()).await?;
        add_lite(&mut text, queue_figures::of_lite(&mut db).await?);
        text.one("patchbay_worker_processes", Some(float(queue_figures::worker_processes(&mut db).await?)));
        let refused = faults::count_refused(&mut db, self.ctx.now() - REFUSED_FOR).await?;
        text.one("patchbay_tokens_refused", Some(float(refused)));
        Ok(text.into_text())
    }
}

async fn add_queues(text: &mut MetricText, db: &mut PgConnection, now: DateTime<Utc>) -> storage::Result<()> {
    let mut read = Vec::with_capacity(Queue::ALL.len());
    for queue in Queue::ALL {
        read.push((queue.name(), queue_figures::of_queue(db, queue, now).await?));
    }
    let rows = |figures: &QueueFigures| [("ready", figures.ready_rows), ("later", figures.later_rows)];
    let lanes = |figures: &QueueFigures| {
        [
            ("held", figures.held_lanes),
            ("free", figures.free_lanes),
            ("closed", figures.closed_lanes),
            ("later", figures.later_lanes),
        ]
    };
    by_state(text, "patchbay_queue_rows", read.iter().map(|(queue, figures)| (*queue, rows(figures))));
    by_state(text, "patchbay_queue_lanes", read.iter().map(|(queue, figures)| (*queue, lanes(figures))));
    let ages: Vec<_> = read
        .iter()
        .map(|(queue, figures)| {
            let age = figures.oldest_due_at.map_or(0, |oldest| (now - oldest).num_seconds());
            ([("queue", *queue)], float(age))
        })
        .collect();
    text.add("patchbay_queue_oldest_due_seconds", ages.iter().map(|(labels, age)| (&labels[..], *age)));
    Ok(())
}

fn by_state<const N: usize>(
    text: &mut MetricText,
    name: &str,
    figures: impl Iterator<Item = (&'static str, [(&'static str, i64); N])>,
) {
    let samples: Vec<_> = figures
        .flat_map(|(queue, states)| states.map(|(state, count)| ([("queue", queue), ("state", state)], float(count))))
        .collect();
    text.add(name, samples.iter().map(|(labels, value)| (&labels[..], *value)));
}

fn add_lite(text: &mut MetricText, figures: LiteFigures) {
    let states = [
        ([("state", "connected")], float(figures.connected)),
        ([("state", "connecting")], float(figures.connecting)),
        ([("state", "disconnected")], float(figures.disconnected)),
    ];
    text.add("patchbay_lite_sessions", states.iter().map(|(labels, count)| (&labels[..], *count)));
}

#[expect(clippy::cast_precision_loss, reason = "a metric is a float")]
fn float(number: i64) -> f64 {
    number as f64
}
