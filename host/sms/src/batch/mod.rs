//! The batch gateway (SPEC 4.9): forms in, XML out.

mod answer;
mod queries;
mod send;
mod xml;

use base::Error;
use chrono::{DateTime, Utc};
use domain::{
    ids::ClientId,
    sandbox::KeyMode,
    sms_products::batch::{BatchFault, Keywords},
};

use crate::gateways::Gateways;
pub use answer::BatchAnswer;
use answer::{BatchRefusal, write_answer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchCall {
    /// `/smsbatch/sms`
    Send,
    /// `/smsbatch/deliveryreceiptscheck`
    Receipts,
    /// `/smsbatch/replysmscheck`
    Replies,
    /// `/smsbatch/servicequery`
    Service,
}

/// The form of a call.
#[derive(Debug)]
pub struct BatchForm<'a> {
    pub call: BatchCall,
    pub fields: Vec<(String, String)>,
    /// The XML namespace of the answer.
    pub namespace: &'a str,
}

/// Answers a call of a key with this mode.
pub async fn answer(
    gateways: &Gateways,
    client: ClientId,
    mode: KeyMode,
    BatchForm { call, fields, namespace }: BatchForm<'_>,
) -> Result<BatchAnswer, Error> {
    let ctx = &gateways.ctx;
    let answered = match Keywords::of(fields) {
        Err(fault) => Err(fault.into()),
        Ok(keywords) => match call {
            BatchCall::Send => send::send(gateways, client, mode, &keywords, namespace).await,
            BatchCall::Receipts => queries::receipts(ctx, client, &keywords, namespace).await,
            BatchCall::Replies => queries::replies(ctx, client, &keywords, namespace).await,
            BatchCall::Service => queries::service(ctx, client, &keywords, namespace).await,
        },
    };
    match answered {
        Ok(answer) => Ok(answer),
        Err(BatchRefusal::Fault(fault)) => Ok(refusal(&fault, namespace, ctx.now())),
        Err(BatchRefusal::Failed(error)) => Err(error),
    }
}

pub fn refusal(fault: &BatchFault, namespace: &str, now: DateTime<Utc>) -> BatchAnswer {
    write_answer(fault.code, &fault.said, namespace, now, |_| {})
}
