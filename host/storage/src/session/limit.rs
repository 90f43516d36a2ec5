//! The time that a session waits for the server. A frozen server ends nothing by itself, so the wait ends here, and the
//! session is closed in the middle of its exchange.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use futures::{FutureExt, Stream, StreamExt, future::BoxFuture, stream::BoxStream};

use super::{
    held_sessions::{ExchangeMark, HeldSession},
    statement_time,
    wait_end::WaitEnd,
    watch::DatabaseWatch,
};

impl From<WaitEnd> for sqlx::Error {
    fn from(why: WaitEnd) -> Self {
        Self::Io(io::Error::new(io::ErrorKind::TimedOut, why))
    }
}

#[derive(Debug)]
pub(super) struct AnswerTimeout<'c> {
    pub(super) watch: Option<&'c Arc<DatabaseWatch>>,
    pub(super) outdated: bool,
    /// Longest time in which nothing comes.
    pub(super) patience: Duration,
    /// Set when the waiting has ended without an answer.
    pub(super) given_up: &'c mut bool,
    /// The session, if a task has taken it from a pool.
    pub(super) held: Option<&'c HeldSession>,
}

impl AnswerTimeout<'_> {
    /// The time that all statements of a request have together. `None` if the session is not for requests.
    fn total(&self) -> Option<Duration> {
        let timing = self.watch?.timing();
        (self.patience <= timing.request).then_some(timing.request_total)
    }
}

pub(super) struct LimitedExchange<'c, A> {
    exchange: A,
    limit: AnswerTimeout<'c>,
    begun: bool,
    over: bool,
    /// Since the server was asked, or has answered last.
    waiting: Option<(Instant, BoxFuture<'static, WaitEnd>)>,
    mark: Option<ExchangeMark>,
}

impl<'c, A> LimitedExchange<'c, A> {
    pub(super) fn new(exchange: A, limit: AnswerTimeout<'c>) -> Self {
        Self { exchange, limit, begun: false, over: false, waiting: None, mark: None }
    }

    fn poll_with<T>(
        &mut self,
        cx: &mut Context<'_>,
        poll: impl FnOnce(&mut A, &mut Context<'_>) -> Poll<sqlx::Result<T>>,
    ) -> Poll<sqlx::Result<T>> {
        if !self.begun {
            self.begun = true;
            self.mark = self.limit.held.map(HeldSession::exchange);
            let refused = match self.limit.watch {
                _ if self.limit.outdated => Some(WaitEnd::Outdated),
                Some(watch) if watch.is_silent() => Some(WaitEnd::Silent),
                _ => None,
            };
            if let Some(why) = refused {
                return self.give_up(why);
            }
        }
        if let Poll::Ready(answer) = poll(&mut self.exchange, cx) {
            if let Some((since, _)) = self.waiting.take() {
                if self.limit.total().is_some() {
                    statement_time::spend(since);
                }
                if let (Some(watch), Ok(_) | Err(sqlx::Error::Database(_))) = (self.limit.watch, &answer) {
                    watch.note_answer();
                }
            }
            return Poll::Ready(answer);
        }
        let limit = &self.limit;
        let (_, waiting) = self.waiting.get_or_insert_with(|| {
            let late = longest_wait(limit.patience, limit.total(), WaitEnd::Late);
            (Instant::now(), give_up(limit.watch.cloned(), late).boxed())
        });
        let why = ready!(waiting.as_mut().poll(cx));
        self.give_up(why)
    }

    fn give_up<T>(&mut self, why: WaitEnd) -> Poll<sqlx::Result<T>> {
        self.over = true;
        *self.limit.given_up = true;
        Poll::Ready(Err(why.into()))
    }
}

/// The longest wait of a request that has `total` for all its waits, or of other work, and the reason for its end.
pub(super) fn longest_wait(
    patience: Duration,
    total: Option<Duration>,
    late: fn(Duration) -> WaitEnd,
) -> (Duration, WaitEnd) {
    match total.and_then(|total| Some((statement_time::remaining(total)?, total))) {
        Some((left, total)) if left < patience => (left, WaitEnd::Spent(total)),
        _ => (patience, late(patience)),
    }
}

/// Returns once an answer is not waited for any longer.
async fn give_up(watch: Option<Arc<DatabaseWatch>>, (longest, why): (Duration, WaitEnd)) -> WaitEnd {
    let late = tokio::time::sleep(longest);
    let Some(watch) = watch else {
        late.await;
        return why;
    };
    tokio::select! {
        () = watch.until_silent() => WaitEnd::Silent,
        () = late => why,
    }
}

impl<'e, T> Future for LimitedExchange<'_, BoxFuture<'e, sqlx::Result<T>>> {
    type Output = sqlx::Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_with(cx, |exchange, cx| exchange.poll_unpin(cx))
    }
}

impl<'e, T> Stream for LimitedExchange<'_, BoxStream<'e, sqlx::Result<T>>> {
    type Item = sqlx::Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.over {
            return Poll::Ready(None);
        }
        let next = self.poll_with(cx, |exchange, cx| exchange.poll_next_unpin(cx).map(Option::transpose));
        next.map(Result::transpose)
    }
}
