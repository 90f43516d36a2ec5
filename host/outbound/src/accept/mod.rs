//! Accepts send requests (SPEC 4.1): a 202 means that every message, its work and the idempotency key are on disk.
//!
//! Requests of one client that arrive together share one transaction. A client has at most two groups under way, so the
//! next one fills while the disk works; a lone request never waits for company.

mod group;
mod prepare;

use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use domain::{
    body::Faults,
    ids::{ClientId, RequestId},
    send::SendRequest,
};
use futures::FutureExt;
use tokio::sync::oneshot;

pub use domain::send::SendEndpoint;

use base::{
    Context, Error,
    aside::{self, Whose},
};

/// Groups of one client under way at most: the second one uses the processor while the first one waits for the disk.
const GROUPS: usize = 2;
/// Recipients that a second group begins with: smaller ones would cost more statements than their head start is worth.
const SECOND_GROUP: usize = 32;
/// Requests in one transaction at most.
const GROUP_REQUESTS: usize = 128;
/// Recipients in one transaction at most, unless a single request has more.
const GROUP_RECIPIENTS: usize = 4000;

/// A send request as it came.
#[derive(Debug, Clone)]
pub struct SendCall {
    /// Whose request it is.
    pub client: ClientId,
    /// The endpoint it came to.
    pub endpoint: SendEndpoint,
    /// The body, byte for byte.
    pub body: Bytes,
    /// Header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// Id of the HTTP request.
    pub request_id: RequestId,
}

/// Why a send request was not accepted. Nothing of it is stored.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AcceptError {
    /// The request is wrong; every fault names its field, and many are counted.
    #[error("the request is not valid")]
    Faults(Faults),
    /// We could not store it; the same request may be sent again.
    #[error("the request could not be stored")]
    Failed(#[source] Arc<Error>),
}

type Answer = std::result::Result<Bytes, AcceptError>;

/// A parsed request on its way into a group.
struct Pending {
    call: SendCall,
    request: SendRequest,
    answer: oneshot::Sender<Answer>,
}

/// The door for send requests.
pub struct Acceptor {
    ctx: Arc<Context>,
    /// What waits, per client that has a group under way.
    waiting: Mutex<HashMap<ClientId, Waiting>>,
}

/// The requests of one client that no group has taken yet.
#[derive(Default)]
struct Waiting {
    requests: Vec<Pending>,
    /// Groups under way.
    groups: usize,
}

impl Waiting {
    fn recipients(&self) -> usize {
        self.requests.iter().map(|pending| pending.request.recipient_count()).sum()
    }
}

impl Acceptor {
    /// One per process.
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { ctx, waiting: Mutex::new(HashMap::new()) })
    }

    /// Answers the bytes of the 202: those of this request, or of the one that came with the same key before.
    pub async fn accept(self: &Arc<Self>, call: SendCall) -> Answer {
        match self.parse(&call).await? {
            Ok(request) => self.join_group(call, request).await,
            Err(faults) => match self.replay(&call).await? {
                Some(response) => Ok(response),
                None => Err(AcceptError::Faults(faults)),
            },
        }
    }

    async fn parse(
        &self,
        call: &SendCall,
    ) -> std::result::Result<std::result::Result<SendRequest, Faults>, AcceptError> {
        let (endpoint, body, most) = (call.endpoint, call.body.clone(), self.ctx.settings.max_recipients);
        let parse = move || SendRequest::parse(endpoint, &body, most);
        aside::work(call.body.len(), Whose::Known, parse).await.map_err(|error| AcceptError::Failed(Arc::new(error)))
    }

    /// What was answered under this key before, if anything.
    async fn replay(&self, call: &SendCall) -> std::result::Result<Option<Bytes>, AcceptError> {
        let Some(key) = &call.idempotency_key else { return Ok(None) };
        let find = async {
            let mut db = self.ctx.db.acquire().await?;
            let mut found =
                storage::outbound::idempotency::find(&mut db, call.client, std::slice::from_ref(key)).await?;
            Ok::<_, Error>(found.remove(key).map(Bytes::from))
        };
        find.await.map_err(|error| AcceptError::Failed(Arc::new(error)))
    }

    async fn join_group(self: &Arc<Self>, call: SendCall, request: SendRequest) -> Answer {
        let client = call.client;
        let (answer, answered) = oneshot::channel();
        let pending = Pending { call, request, answer };
        let starts_group = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = waiting.entry(client).or_default();
            waiting.requests.push(pending);
            let starts_group = match waiting.groups {
                0 => true,
                under_way => under_way < GROUPS && waiting.recipients() >= SECOND_GROUP,
            };
            waiting.groups += usize::from(starts_group);
            starts_group
        };
        if starts_group {
            // Not in this request's own task: a caller that hangs up must not take the group down with it.
            tokio::spawn(Arc::clone(self).commit_groups(client));
        }
        answered.await.unwrap_or_else(|_| Err(AcceptError::Failed(Arc::new(Error::Stopped))))
    }

    /// Commits group after group until nobody of this client waits.
    async fn commit_groups(self: Arc<Self>, client: ClientId) {
        while let Some(group) = self.next_group(client) {
            metrics::histogram!("patchbay_accept_group_requests").record(count(group.len()));
            // A panic must not leave this client's later requests waiting for a group that never comes.
            if AssertUnwindSafe(group::commit(&self.ctx, client, group)).catch_unwind().await.is_err() {
                tracing::error!(client.id = %client, "a group of sends panicked; nothing of it is stored");
            }
        }
    }

    fn next_group(&self, client: ClientId) -> Option<Vec<Pending>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = waiting.get_mut(&client)?;
        let too_few = entry.groups > 1 && entry.recipients() < SECOND_GROUP;
        if entry.requests.is_empty() || too_few {
            entry.groups = entry.groups.saturating_sub(1);
            if entry.groups == 0 {
                waiting.remove(&client);
            }
            return None;
        }
        let queue = &mut entry.requests;
        let mut recipients = 0;
        let fits = queue
            .iter()
            .take(GROUP_REQUESTS)
            .take_while(|pending| {
                recipients += pending.request.recipient_count();
                recipients <= GROUP_RECIPIENTS
            })
            .count();
        Some(queue.drain(..fits.max(1)).collect())
    }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
