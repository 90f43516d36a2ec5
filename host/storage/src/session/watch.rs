//! Watches if the database answers. One open session is asked again and again, so that a slow database is not taken for
//! a silent one. An answer to any other statement counts, too.

use std::time::{Duration, Instant};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use parking_lot::{Mutex, MutexGuard};
use sqlx::{Connection, postgres::PgConnectOptions};
use tokio::{
    sync::watch::{self, Sender},
    time::{MissedTickBehavior, interval_at, sleep, sleep_until, timeout},
};

use super::wait_end::WaitEnd;

/// How long the database may say nothing, and how long answers are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    pub asked_every: Duration,
    /// Age of the last answer from which a database that was asked is silent.
    pub silent_after: Duration,
    /// Longest time in which the answer to a statement of a request makes no progress.
    pub request: Duration,
    /// Longest time for all statements of a request together, and for its waits for sessions.
    pub request_total: Duration,
    /// Longest time in which the answer to a statement of background work makes no progress: longer than a lock is waited for, so that the server says so first.
    pub work: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            asked_every: Duration::from_millis(500),
            silent_after: Duration::from_secs(2),
            request: Duration::from_secs(5),
            request_total: Duration::from_secs(15),
            work: Duration::from_secs(30),
        }
    }
}

/// A new session takes several round trips: it has so many times as long as an answer.
const CONNECTING: u32 = 3;
/// New sessions that are tried at the same time at most, while nothing answers.
const AT_ONCE: usize = 6;

#[derive(Debug)]
pub(crate) struct DatabaseWatch {
    timing: Timing,
    silent: Sender<bool>,
    moments: Mutex<Moments>,
}

#[derive(Debug, Clone, Copy)]
struct Moments {
    answered: Instant,
    /// Sessions from before are not used any more.
    renewed: Option<Instant>,
}

impl DatabaseWatch {
    pub(super) fn new(timing: Timing) -> Self {
        let moments = Mutex::new(Moments { answered: Instant::now(), renewed: None });
        Self { timing, silent: Sender::new(false), moments }
    }

    pub(super) fn timing(&self) -> Timing {
        self.timing
    }

    pub(crate) fn is_silent(&self) -> bool {
        *self.silent.borrow()
    }

    pub(crate) async fn until_silent(&self) {
        until(self.silent.subscribe(), true).await;
    }

    pub(crate) async fn until_answering(&self) {
        until(self.silent.subscribe(), false).await;
    }

    /// Whether a session that was taken or opened at this time is from before a silence.
    pub(crate) fn is_outdated(&self, begun: Instant) -> bool {
        self.moments().renewed.is_some_and(|renewed| begun <= renewed)
    }

    pub(crate) fn note_answer(&self) {
        self.moments().answered = Instant::now();
    }

    pub(crate) async fn unless_silent<T>(&self, doing: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        tokio::select! {
            biased;
            () = self.until_silent() => Err(WaitEnd::Silent.into()),
            done = doing => done,
        }
    }

    /// The same, for no longer than a statement of a request.
    pub(super) async fn limit<T>(&self, doing: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let patience = self.timing.request;
        let late = |_| Err(WaitEnd::Late(patience).into());
        timeout(patience, self.unless_silent(doing)).await.unwrap_or_else(late)
    }

    fn moments(&self) -> MutexGuard<'_, Moments> {
        self.moments.lock()
    }

    pub(super) async fn keep(&self, options: PgConnectOptions, name: String) {
        let mut kept = None;
        loop {
            let answer = self.ask(kept.take(), &options).await;
            self.moments().answered = Instant::now();
            kept = match answer {
                Answer::Session(session) if self.is_silent() => self.goes_on(session, &name).await,
                Answer::Session(session) => Some(session),
                Answer::Refusal => None,
            };
            sleep(self.timing.asked_every).await;
        }
    }

    async fn ask(&self, kept: Option<sqlx::PgConnection>, options: &PgConnectOptions) -> Answer {
        let silent_after = self.timing.silent_after;
        let asked = tokio::time::Instant::now();
        let longest = silent_after * CONNECTING;
        let mut judged_at = asked + if kept.is_some() { silent_after } else { longest };
        let mut asking: FuturesUnordered<BoxFuture<'_, Option<Answer>>> = FuturesUnordered::new();
        asking.push(match kept {
            Some(session) => ask_kept_session(session).boxed(),
            None => ask_new_session(options, longest).boxed(),
        });
        let mut further = interval_at(asked + silent_after, silent_after / 2);
        further.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                Some(answer) = asking.next() => if let Some(answer) = answer { return answer },
                _ = further.tick() => if asking.len() < AT_ONCE { asking.push(ask_new_session(options, longest).boxed()) },
                () = sleep_until(judged_at), if !self.is_silent() => {
                    let age = self.moments().answered.elapsed();
                    if age >= silent_after {
                        self.falls_silent();
                    } else {
                        judged_at = tokio::time::Instant::now() + (silent_after - age);
                    }
                }
            }
        }
    }

    fn falls_silent(&self) {
        self.moments().renewed = Some(Instant::now());
        self.silent.send_replace(true);
        metrics::gauge!("patchbay_database_silent").set(1.0);
        tracing::error!(
            after_millis = self.timing.silent_after.as_millis(),
            "the database does not answer; requests are refused and work waits until it does"
        );
    }

    /// The database answers again: the other sessions are replaced, and PostgreSQL ends them with their locks.
    async fn goes_on(&self, mut session: sqlx::PgConnection, name: &str) -> Option<sqlx::PgConnection> {
        let ending = sqlx::query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name = $1 AND pid <> pg_backend_pid()",
        )
        .bind(name)
        .execute(&mut session);
        let ended = timeout(self.timing.silent_after * CONNECTING, ending).await;
        let session = match ended {
            Ok(Ok(_)) => Some(session),
            Ok(Err(error)) => {
                // They end by themselves, later.
                tracing::warn!(error = &error as &dyn std::error::Error, "old sessions cannot be ended");
                Some(session)
            }
            // It was silent again: the next question finds out.
            Err(_) => return None,
        };
        self.moments().renewed = Some(Instant::now());
        self.silent.send_replace(false);
        metrics::gauge!("patchbay_database_silent").set(0.0);
        tracing::info!("the database answers again; old sessions are replaced");
        session
    }
}

enum Answer {
    Session(sqlx::PgConnection),
    Refusal,
}

/// Asks on a session that was kept. `None`: it is lost.
async fn ask_kept_session(mut session: sqlx::PgConnection) -> Option<Answer> {
    session.ping().await.ok().map(|()| Answer::Session(session))
}

/// Asks on a new session. `None`: there was none.
async fn ask_new_session(options: &PgConnectOptions, longest: Duration) -> Option<Answer> {
    let asking = async {
        let mut session = sqlx::PgConnection::connect_with(options).await?;
        session.ping().await?;
        Ok(session)
    };
    match timeout(longest, asking).await {
        Ok(Ok(session)) => Some(Answer::Session(session)),
        Ok(Err(sqlx::Error::Database(_))) => Some(Answer::Refusal),
        Ok(Err(_)) | Err(_) => None,
    }
}

async fn until(mut state: watch::Receiver<bool>, silent: bool) {
    // The sender lives as long as the pool.
    if state.wait_for(|is| *is == silent).await.is_err() {
        std::future::pending::<()>().await;
    }
}
