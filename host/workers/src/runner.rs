//! The runner: one task that starts a worker for each lane of this process.

use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use base::{Context, Queue, lanes::LaneKey};
use futures::FutureExt;
use outbound::dispatch::DispatchHooks;
use tokio::{
    sync::mpsc,
    task::{JoinHandle, JoinSet},
    time::{Instant, MissedTickBehavior, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    lane::{self, Signals},
    presence,
    room::{LaneKind, LaneRoom},
    search,
    settings::RunnerSettings,
    upkeep,
};

pub struct Runner {
    stop: CancellationToken,
    task: JoinHandle<()>,
    presence: JoinHandle<()>,
    upkeep: JoinHandle<()>,
}

impl Runner {
    /// Starts the work. `hooks` are the rules of channels for the dispatcher. `wakes` are the lanes that use cases of
    /// this process announce.
    pub fn start(
        ctx: Arc<Context>,
        hooks: DispatchHooks,
        wakes: mpsc::Receiver<LaneKey>,
        settings: RunnerSettings,
    ) -> Self {
        let stop = CancellationToken::new();
        let upkeep = tokio::spawn(upkeep::run(Arc::clone(&ctx), settings.upkeep, stop.child_token()));
        let presence = tokio::spawn(presence::keep(Arc::clone(&ctx), stop.child_token()));
        let (poll, at_once) = (settings.poll, settings.lanes_per_queue * 2);
        let found = search::start(Arc::clone(&ctx), poll, at_once, stop.child_token());
        let (long_lanes, room) = (Arc::new(ctx.with_own_pool()), LaneRoom::new(settings));
        let (active, tasks) = (HashMap::new(), JoinSet::new());
        let state = State { ctx, hooks, long_lanes, room, poll, found, active, tasks, stop: stop.child_token() };
        Self { task: tokio::spawn(state.run(wakes)), presence, upkeep, stop }
    }

    /// Takes no more work and returns when all lanes are given back, at the latest after `within`. Each lane finishes
    /// its present step. A step that takes longer is aborted, and done again after its lease.
    pub async fn stop(self, within: Duration) {
        self.stop.cancel();
        self.upkeep.abort();
        let deadline = Instant::now() + within;
        if !ends_by(deadline, self.task).await {
            tracing::warn!("work that did not end within {} s was aborted; it is repeated", within.as_secs());
        }
        ends_by(deadline, self.presence).await;
    }
}

/// Waits for a task that ends by itself. Aborts it, with the tasks that it began, at the deadline. True if it ended in
/// time.
async fn ends_by(deadline: Instant, mut task: JoinHandle<()>) -> bool {
    let ended = timeout_at(deadline, &mut task).await.is_ok();
    if !ended {
        task.abort();
        drop(task.await);
    }
    ended
}

struct State {
    ctx: Arc<Context>,
    hooks: DispatchHooks,
    /// For the long lanes of chatbots, with a few database connections of its own: many slow calls can end at once, and
    /// other work must not wait behind their transactions.
    long_lanes: Arc<Context>,
    room: LaneRoom,
    poll: Duration,
    found: mpsc::Receiver<LaneKey>,
    active: HashMap<LaneKey, Signals>,
    tasks: JoinSet<LaneKey>,
    stop: CancellationToken,
}

impl State {
    async fn run(mut self, mut wakes: mpsc::Receiver<LaneKey>) {
        let mut poll = tokio::time::interval(self.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                Some(wake) = wakes.recv() => self.take(wake),
                Some(Ok(lane)) = self.tasks.join_next() => self.note_finished(lane),
                Some(lane) = self.found.recv() => self.take(lane),
                _ = poll.tick() => self.drop_idle(),
            }
        }
        while self.tasks.join_next().await.is_some() {}
    }

    fn take(&mut self, lane: LaneKey) {
        if let Some(signals) = self.active.get(&lane) {
            signals.notify();
            return;
        }
        let Some(begun) = self.room.begin(lane, Instant::now()) else { return };
        let signals = Signals::new();
        self.active.insert(lane, signals.clone());
        let (ctx, stop) = (Arc::clone(self.context_of(lane.queue, begun)), self.stop.child_token());
        let hooks = self.hooks.clone();
        self.tasks.spawn(async move {
            // A panic must not lose the lane that it was about.
            let run = AssertUnwindSafe(lane::run(ctx, hooks, lane, signals, stop)).catch_unwind();
            if run.await.is_err() {
                tracing::error!(queue = lane.queue.name(), lane.id = %lane.lane, "a worker panicked; its lane is free when the lease ends");
            }
            lane
        });
    }

    fn context_of(&self, queue: Queue, begun: LaneKind) -> &Arc<Context> {
        match (queue, begun) {
            (Queue::Participant, LaneKind::Long) => &self.long_lanes,
            _ => &self.ctx,
        }
    }

    fn note_finished(&mut self, lane: LaneKey) {
        self.room.end(lane, Instant::now());
        let more = self.active.remove(&lane).is_some_and(|signals| signals.again.load(Ordering::SeqCst));
        if more {
            self.take(lane);
        }
    }

    fn drop_idle(&mut self) {
        self.room.forget_idle(Instant::now());
        let lanes = u32::try_from(self.active.len()).unwrap_or(u32::MAX);
        metrics::gauge!("patchbay_lanes_active").set(f64::from(lanes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn work_that_does_not_end_in_time_is_aborted_and_other_work_is_not() {
        let in_time = tokio::spawn(tokio::time::sleep(Duration::from_secs(19)));
        let (kept, held) = tokio::sync::oneshot::channel::<()>();
        let never = tokio::spawn(async move {
            let mut lanes = JoinSet::new();
            lanes.spawn(async move {
                let _kept = kept;
                std::future::pending::<()>().await;
            });
            lanes.join_next().await;
        });
        let began = Instant::now();
        let deadline = began + Duration::from_secs(20);
        assert!(ends_by(deadline, in_time).await);
        assert!(!ends_by(deadline, never).await);
        assert_eq!(began.elapsed(), Duration::from_secs(20));
        assert!(held.await.is_err(), "the tasks that it began end, too");
    }
}
