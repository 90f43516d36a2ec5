//! Accepts send requests (SPEC 4.1). When the 202 is sent, every message, its work and the idempotency key are on disk.
//!
//! Requests of one client that arrive together share one transaction. A client has at most two groups in progress, so
//! the next one fills while the disk works. A lone request never waits for others.

mod conversations;
mod customers;
mod group;
mod named;
mod prepare;
mod rows;
mod standing;
mod texts;

use std::sync::Arc;

use bytes::Bytes;
pub use domain::send::SendEndpoint;
use domain::{
    body::Faults,
    ids::{ClientId, RequestId},
    send::SendBody,
};
use storage::outbound::named::Names;

use base::{
    Context, Error,
    aside::{self, Whose},
    gather::{COMING_BACK, Gatherer, Grouping},
};

/// The weight of a request is its number of recipients.
const GROUPING: Grouping =
    Grouping { groups: 2, further_from: 32, most_items: 128, most_weight: 4000, coming_back: COMING_BACK };

/// The numbers that may send through the host name of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Senders {
    /// All numbers of the client.
    All,
    /// Its WhatsApp Lite numbers (CONTRACT 2, `server.lite_host`).
    Lite,
}

/// A send request before parsing.
#[derive(Debug, Clone)]
pub struct SendCall {
    /// The client that sends it.
    pub client: ClientId,
    /// The endpoint that received it.
    pub endpoint: SendEndpoint,
    /// The numbers that may send it.
    pub senders: Senders,
    /// The body, byte for byte.
    pub body: Bytes,
    /// Header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// Id of the HTTP request.
    pub request_id: RequestId,
}

/// The reason why a send request was not accepted. Nothing of the request is stored.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AcceptError {
    /// The request is wrong. Each fault names its field; a request can have many.
    #[error("the request is not valid")]
    Faults(Faults),
    /// The request could not be stored. The caller may send it again.
    #[error("the request could not be stored")]
    Failed(#[source] Arc<Error>),
}

type Answer = std::result::Result<Bytes, AcceptError>;

/// A parsed request on its way into a group.
struct Pending {
    call: SendCall,
    request: SendBody,
}

/// Takes send requests. There is one per process.
pub struct Acceptor {
    ctx: Arc<Context>,
    groups: Arc<Gatherer<ClientId, Pending, Answer>>,
}

impl Acceptor {
    /// Starts an acceptor. A process needs one.
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        let stores = Arc::clone(&ctx);
        let groups = Gatherer::new(
            GROUPING,
            |pending: &Pending| pending.request.recipient_count(),
            move |client, group| {
                let ctx = Arc::clone(&stores);
                async move {
                    metrics::histogram!("patchbay_accept_group_requests").record(count(group.len()));
                    group::commit(&ctx, client, &group).await
                }
            },
        );
        Arc::new(Self { ctx, groups })
    }

    /// Returns the body of the 202. If a request with the same idempotency key was accepted before, it is the body of
    /// that one.
    pub async fn accept(&self, call: SendCall) -> Answer {
        match self.parse(&call).await? {
            Ok(request) => self.join_group(call, request).await,
            Err(faults) => match self.replay(&call).await? {
                Some(response) => Ok(response),
                None => Err(AcceptError::Faults(faults)),
            },
        }
    }

    async fn parse(&self, call: &SendCall) -> std::result::Result<std::result::Result<SendBody, Faults>, AcceptError> {
        let (endpoint, body, most) = (call.endpoint, call.body.clone(), self.ctx.settings.max_recipients);
        let parse = move || SendBody::parse(endpoint, &body, most);
        let whose = Whose::Client(call.client);
        aside::work(call.body.len(), whose, parse).await.map_err(|error| AcceptError::Failed(Arc::new(error)))
    }

    /// Returns the stored answer for the idempotency key, if there is one.
    async fn replay(&self, call: &SendCall) -> std::result::Result<Option<Bytes>, AcceptError> {
        let Some(key) = &call.idempotency_key else { return Ok(None) };
        let find = async {
            let mut db = self.ctx.db.acquire().await?;
            let names = Names { keys: vec![key.as_str()], ..Names::default() };
            let mut found = storage::outbound::named::find(&mut db, call.client, &names).await?;
            Ok::<_, Error>(found.responses.remove(key).map(Bytes::from))
        };
        find.await.map_err(|error| AcceptError::Failed(Arc::new(error)))
    }

    async fn join_group(&self, call: SendCall, request: SendBody) -> Answer {
        let answer = self.groups.join(call.client, Pending { call, request }).await;
        answer.unwrap_or_else(|| Err(AcceptError::Failed(Arc::new(Error::Stopped))))
    }
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
