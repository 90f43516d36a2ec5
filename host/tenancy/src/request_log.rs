//! The log of the requests of clients. Requests are gathered in memory and stored many at a time. If the database cannot
//! keep up, requests are left out and counted: the log never delays an answer.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use base::Result;
use bytes::Bytes;
use chrono::{DateTime, Days, Utc};
use domain::{
    ids::{ClientId, RequestId, UserId},
    page::{Page, PageRequest},
    request_mask::{masked_form, masked_json, masked_path},
};
use parking_lot::{Mutex, MutexGuard};
pub use storage::tenancy::request_log::{RequestFilter, RequestRow};
use storage::{Db, silence::in_time, tenancy::request_log as rows};
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

const WAITING: usize = 20_000;
const WAITING_BYTES: usize = 8 << 20;
const MOST_ROWS: usize = 500;
const GATHERED: Duration = Duration::from_millis(500);
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Longest wait for the last requests when the process stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Largest body that is kept until the answer. Of a larger one, only the size is logged.
pub const BODY_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestBody {
    Json(Bytes),
    Form(Bytes),
    /// A body of another type, or a large one: its size.
    Other(usize),
}

impl RequestBody {
    fn size(&self) -> usize {
        match self {
            Self::Json(bytes) | Self::Form(bytes) => bytes.len(),
            Self::Other(_) => 0,
        }
    }

    fn masked(&self) -> String {
        let unread = |what: &str, size: usize| format!("({what}, {size} bytes)");
        match self {
            Self::Json(bytes) => masked_json(bytes).unwrap_or_else(|| unread("not JSON", bytes.len())),
            Self::Form(bytes) => masked_form(bytes),
            Self::Other(size) => unread("not logged", *size),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredRequest {
    pub client: ClientId,
    pub id: RequestId,
    pub user: UserId,
    pub key_start: String,
    pub method: String,
    pub path: String,
    pub status: u16,
    pub duration: Duration,
    /// Of a failed request only.
    pub body: Option<RequestBody>,
}

impl AnsweredRequest {
    fn body_size(&self) -> usize {
        self.body.as_ref().map_or(0, RequestBody::size)
    }

    fn row(&self) -> (ClientId, RequestRow) {
        let row = RequestRow {
            id: self.id.0,
            user_id: self.user.0,
            key_start: self.key_start.clone(),
            method: self.method.clone(),
            path: masked_path(&self.path),
            status: i16::try_from(self.status).unwrap_or(i16::MAX),
            duration_micros: i64::try_from(self.duration.as_micros()).unwrap_or(i64::MAX),
            // PostgreSQL cannot store NUL characters.
            body: self.body.as_ref().map(|body| body.masked().replace('\0', "\u{fffd}")),
        };
        (self.client, row)
    }
}

#[derive(Default)]
struct Waiting {
    requests: VecDeque<AnsweredRequest>,
    body_bytes: usize,
}

pub struct RequestLog {
    db: Db,
    waiting: Mutex<Waiting>,
    arrived: Notify,
    /// Held while rows are stored, so that the end of the process waits for rows that [`Self::run`] has taken.
    storing: tokio::sync::Mutex<()>,
}

impl RequestLog {
    pub fn new(db: Db) -> Arc<Self> {
        Arc::new(Self { db, waiting: Mutex::default(), arrived: Notify::new(), storing: tokio::sync::Mutex::default() })
    }

    /// Adds a request, or counts it as left out if too many wait. Bodies are left out first.
    pub fn add(&self, mut request: AnsweredRequest) {
        let mut waiting = self.waiting();
        if waiting.requests.len() >= WAITING {
            drop(waiting);
            return left_out(1);
        }
        if waiting.body_bytes + request.body_size() > WAITING_BYTES {
            request.body = Some(RequestBody::Other(request.body_size()));
        }
        waiting.body_bytes += request.body_size();
        waiting.requests.push_back(request);
        if waiting.requests.len() == 1 {
            self.arrived.notify_one();
        }
    }

    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.arrived.notified() => {
                    stop.run_until_cancelled(sleep(GATHERED)).await;
                }
            }
            self.flush().await;
        }
    }

    /// Stores the requests of the last answers before the process ends.
    pub async fn finish(&self) {
        if timeout(SHUTDOWN_TIMEOUT, self.flush()).await.is_err() {
            tracing::warn!("the log of the last requests was not stored before the end of the process");
        }
    }

    pub async fn flush(&self) {
        let _storing = self.storing.lock().await;
        loop {
            let batch = self.take();
            if batch.is_empty() {
                return;
            }
            if let Err(error) = self.store(&batch).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    requests = batch.len(),
                    "requests were left out of the log, because the database did not store them"
                );
                left_out(batch.len() as u64);
                sleep(RETRY_DELAY).await;
            }
        }
    }

    fn take(&self) -> Vec<AnsweredRequest> {
        let mut waiting = self.waiting();
        let count = waiting.requests.len().min(MOST_ROWS);
        let batch: Vec<_> = waiting.requests.drain(..count).collect();
        waiting.body_bytes -= batch.iter().map(AnsweredRequest::body_size).sum::<usize>();
        batch
    }

    async fn store(&self, batch: &[AnsweredRequest]) -> Result<()> {
        let mut masked = Vec::with_capacity(batch.len());
        for request in batch {
            masked.push(request.row());
            if request.body_size() > 0 {
                // Masking takes a moment, and other tasks need the thread.
                tokio::task::yield_now().await;
            }
        }
        Ok(in_time(async { rows::record(&mut *self.db.acquire().await?, &masked).await }).await?)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock()
    }
}

fn left_out(count: u64) {
    metrics::counter!("patchbay_request_log_left_out_total").increment(count);
}

pub fn kept_since(now: DateTime<Utc>, days: u32) -> DateTime<Utc> {
    now.checked_sub_days(Days::new(u64::from(days))).unwrap_or(now)
}

/// Lists requests, newest first. At most 10,000 are counted and listed.
pub async fn list(db: &Db, client: ClientId, filter: &RequestFilter, page: PageRequest) -> Result<Page<RequestRow>> {
    let (items, total) = rows::page(&mut *db.acquire().await?, client, filter, page).await?;
    Ok(Page::of(items, total))
}
