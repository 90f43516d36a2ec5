//! Results that are known when a request is accepted: the answer to a mail, and receipts of messages that are blocked
//! by an opt-out. Other results follow when they happen.

use std::collections::BTreeSet;

use base::{Context, Result};
use domain::{
    delivery::DeliveryState,
    ids::ClientId,
    sms_products::{FinalReceipt, GatewayStatus, callback},
};
use storage::{
    PgConnection, Queue,
    sms::products::callbacks::{self, SmsCallback},
};
use uuid::Uuid;

use crate::{
    email::{self, MailAcceptance},
    order::{SmsDraft, SmsOrder},
};

/// Stores these results, and returns the lanes to wake after the commit.
pub(crate) async fn store_results(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    orders: &[SmsOrder],
    drafts: &[SmsDraft],
) -> Result<Vec<(Queue, Uuid)>> {
    let (mut lanes, mut told) = (Vec::new(), Vec::new());
    for (at, order) in orders.iter().enumerate() {
        let blocked: Vec<&SmsDraft> = drafts.iter().filter(|draft| draft.order == at && draft.sms.blocked).collect();
        told.extend(blocked.iter().filter_map(|draft| refusal(ctx, order, draft)));
        if let Some(mailed) = &order.mailed {
            let blocked: Vec<String> = blocked.iter().map(|draft| draft.sms.recipient.clone()).collect();
            let acceptance = MailAcceptance { request: order.id, mailed, blocked: &blocked };
            lanes.extend(email::mail_acceptance(ctx, db, client, acceptance).await?);
        }
    }
    callbacks::insert(db, client, &told).await?;
    let receivers: BTreeSet<Uuid> = told.iter().map(|callback| callback.lane_id).collect();
    lanes.extend(receivers.into_iter().map(|lane| (Queue::SmsCallback, lane)));
    Ok(lanes)
}

/// The receipt of a blocked message, if one was requested.
fn refusal(ctx: &Context, order: &SmsOrder, draft: &SmsDraft) -> Option<SmsCallback> {
    let (url, sms) = (order.receipt_url.as_deref()?, &draft.sms);
    let about = callback::MessageIds {
        ct_id: sms.ct_id.as_deref(),
        request: sms.request,
        message: sms.id,
        identifier: sms.identifier.as_deref(),
    };
    let status = GatewayStatus::of(DeliveryState::Failed, Some(FinalReceipt::Rejected));
    Some(SmsCallback {
        id: sms.id.0,
        lane_id: callback::lane_of(url),
        url: url.to_owned(),
        posts: false,
        form: callback::receipt(about, &sms.recipient, status, ctx.now()),
        attempts: 0,
        created_at: ctx.now(),
    })
}
