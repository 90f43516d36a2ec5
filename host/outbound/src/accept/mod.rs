//! Accepts send requests (SPEC 4.1). When the 202 is sent, every message, its work and the idempotency key are on disk.
//!
//! Requests of one client that arrive together share one transaction. A client has at most two groups in progress, so
//! the next one fills while the disk works. A lone request never waits for others.

mod call;
mod chat_template;
mod check;
mod conversations;
mod customers;
mod facts;
mod group;
mod named_rows;
mod prepare;
mod prepared_request;
mod recipient_facts;
mod rows;
mod texts;
mod tier_count;

use std::{sync::Arc, time::Instant};

use base::{
    Context, Error,
    gather::{Gatherer, GroupLimits, RETURN_WAIT},
    heavy_work::{self, BodyOwner},
    traces,
};
use bytes::Bytes;
pub use domain::send::SendEndpoint;
use domain::{body::Faults, ids::ClientId, send::SendBody};
use serde_json::Value;
use storage::outbound::named_rows::GroupNames;

pub use call::{AcceptError, SendCall, Senders};
use call::{GroupAnswer, PendingSend};
pub use chat_template::{ChatTemplate, admit_template};
pub use check::SendCheck;
pub use tier_count::TierCount;

const GROUPING: GroupLimits =
    GroupLimits { groups: 2, further_from: 32, most_items: 128, most_weight: 4000, coming_back: RETURN_WAIT };

#[derive(Debug, Clone)]
pub struct SendAcceptance {
    pub response: Bytes,
    /// Set if the answer is that of an earlier request with the same idempotency key. Nothing was sent again.
    pub replay: Option<Replay>,
}

/// How a repeated request compares with the first one of its idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    SameBody,
    /// Its JSON is another one, so the caller may expect a message that was not sent.
    OtherBody,
}

impl Replay {
    fn of(body: &[u8], response: &[u8]) -> Self {
        let first = serde_json::from_slice::<Value>(response);
        match (first, serde_json::from_slice::<Value>(body)) {
            (Ok(first), Ok(repeated)) if first.get("reqObject") == Some(&repeated) => Self::SameBody,
            _ => Self::OtherBody,
        }
    }
}

pub struct Acceptor {
    ctx: Arc<Context>,
    groups: Arc<Gatherer<ClientId, PendingSend, GroupAnswer>>,
}

impl Acceptor {
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        let stores = Arc::clone(&ctx);
        let groups = Gatherer::new(
            GROUPING,
            |pending: &PendingSend| pending.request.recipient_count(),
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

    /// If a request with the same idempotency key was accepted before, returns the answer of that one.
    pub async fn accept(&self, call: SendCall) -> std::result::Result<SendAcceptance, AcceptError> {
        let (client, body) = (call.client, call.body.clone());
        let (response, replayed) = match self.parse(&call).await? {
            Ok(request) => self.join_group(call, request).await?,
            Err(faults) => match self.replay(&call).await? {
                Some(response) => (response, true),
                None => return Err(AcceptError::Faults(faults)),
            },
        };
        if !replayed {
            return Ok(SendAcceptance { response, replay: None });
        }
        let first = response.clone();
        let compared = heavy_work::work(body.len(), BodyOwner::Client(client), move || Replay::of(&body, &first)).await;
        let replay = compared.map_err(|error| AcceptError::Failed(Arc::new(error)))?;
        Ok(SendAcceptance { response, replay: Some(replay) })
    }

    /// Judges a request as [`accept`](Self::accept) does, and stores nothing. Its idempotency key does not matter.
    /// `counted_before`: the sum of [`SendCheck::counted`] of the earlier requests of the same send.
    pub async fn check(&self, call: SendCall, counted_before: u32) -> std::result::Result<SendCheck, AcceptError> {
        let request = self.parse(&call).await?.map_err(AcceptError::Faults)?;
        let pending = PendingSend { call, request, cause: traces::current(), came: Instant::now() };
        check::check(&self.ctx, &pending, counted_before).await
    }

    async fn parse(&self, call: &SendCall) -> std::result::Result<std::result::Result<SendBody, Faults>, AcceptError> {
        let (endpoint, body, most) = (call.endpoint, call.body.clone(), self.ctx.settings.limits.max_recipients);
        let parse = move || SendBody::parse(endpoint, &body, most);
        let whose = BodyOwner::Client(call.client);
        heavy_work::work(call.body.len(), whose, parse).await.map_err(|error| AcceptError::Failed(Arc::new(error)))
    }

    async fn replay(&self, call: &SendCall) -> std::result::Result<Option<Bytes>, AcceptError> {
        let Some(key) = &call.idempotency_key else { return Ok(None) };
        let find = async {
            let mut db = self.ctx.db.acquire().await?;
            let names = GroupNames { keys: vec![key.as_str()], ..GroupNames::default() };
            let mut found = storage::outbound::named_rows::find(&mut db, call.client, &names).await?;
            Ok::<_, Error>(found.responses.remove(key).map(Bytes::from))
        };
        find.await.map_err(|error| AcceptError::Failed(Arc::new(error)))
    }

    async fn join_group(&self, call: SendCall, request: SendBody) -> GroupAnswer {
        let pending = PendingSend { call, request, cause: traces::current(), came: Instant::now() };
        let answer = self.groups.join(pending.call.client, pending).await;
        answer.unwrap_or_else(|| Err(AcceptError::Failed(Arc::new(Error::Stopped))))
    }
}

/// Accepts a request of Patchbay itself, alone. Like [`Acceptor::accept`], but a repetition is not compared with the first
/// request.
pub async fn accept_alone(ctx: &Context, call: SendCall) -> std::result::Result<Bytes, AcceptError> {
    let request = SendBody::parse(call.endpoint, &call.body, ctx.settings.limits.max_recipients);
    let request = request.map_err(AcceptError::Faults)?;
    let pending = PendingSend { call, request, cause: traces::current(), came: Instant::now() };
    let client = pending.call.client;
    let answer = group::commit(ctx, client, std::slice::from_ref(&pending)).await.pop();
    answer.unwrap_or_else(|| Err(AcceptError::Failed(Arc::new(Error::Stopped)))).map(|(response, _)| response)
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
