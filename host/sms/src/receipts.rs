//! Receipts of the SMSC. Receipts that arrive together share a transaction, as sends do (ADR 0003).

use std::{collections::BTreeMap, sync::Arc};

use base::{
    Context, Result,
    gather::{Gatherer, GroupLimits, RETURN_WAIT},
};
use channels::smpp::{SmsState, SmscReceipt, StoreFailed};
use domain::{delivery::DeliveryState, ids::ClientId, sms_products::FinalReceipt};
use storage::sms::{
    directory::{self, ParkedReceipt, SmscId},
    parts::{self, PartReport},
};

use crate::parts as leg_parts;

/// Grouping of receipts. An SMSC waits for the acknowledgements of a window of them.
const GROUPING: GroupLimits =
    GroupLimits { groups: 2, further_from: 32, most_items: 128, most_weight: 128, coming_back: RETURN_WAIT };

struct Report {
    /// Binds and ids, the likeliest first.
    names: Vec<(String, String)>,
    state: DeliveryState,
    receipt: Option<FinalReceipt>,
    error: Option<String>,
}

impl Report {
    fn of(receipt: SmscReceipt) -> Self {
        let SmscReceipt { bind, smsc_id, others, error, state, intermediate, .. } = receipt;
        // An SMSC that reports why an SMS has not arrived yet keeps trying (PROVIDERS C.3).
        let state = if intermediate && state != SmsState::Delivered { SmsState::Enroute } else { state };
        let names = std::iter::once((bind, smsc_id)).chain(others).collect();
        Self { names, state: part_state(state), receipt: final_receipt(state), error }
    }

    fn about(&self) -> impl Iterator<Item = SmscId<'_>> {
        self.names.iter().map(|(bind, smsc_id)| (bind.as_str(), smsc_id.as_str()))
    }
}

/// Stores receipts before they are acknowledged.
pub(crate) struct ReceiptStore(Arc<Gatherer<(), Report, std::result::Result<(), StoreFailed>>>);

impl ReceiptStore {
    pub(crate) fn new(ctx: Arc<Context>) -> Self {
        let receipts = Gatherer::new(
            GROUPING,
            |_: &Report| 1,
            move |(), group: Vec<Report>| {
                let ctx = Arc::clone(&ctx);
                async move { store_receipts(&ctx, &group).await }
            },
        );
        Self(receipts)
    }

    pub(crate) async fn store(&self, receipt: SmscReceipt) -> std::result::Result<(), StoreFailed> {
        self.0.join((), Report::of(receipt)).await.unwrap_or(Err(StoreFailed))
    }
}

/// The state of a part after a receipt.
fn part_state(state: SmsState) -> DeliveryState {
    match state {
        SmsState::Delivered => DeliveryState::Delivered,
        SmsState::Expired
        | SmsState::Deleted
        | SmsState::Undeliverable
        | SmsState::Unknown
        | SmsState::Rejected
        | SmsState::Skipped => DeliveryState::Failed,
        // The operator has it (PROVIDERS C.3: 501).
        SmsState::Enroute | SmsState::Accepted | SmsState::Scheduled => DeliveryState::Sent,
    }
}

/// The final state in the receipts of the SMS products (PROVIDERS C.3).
fn final_receipt(state: SmsState) -> Option<FinalReceipt> {
    match state {
        SmsState::Delivered => Some(FinalReceipt::Delivered),
        SmsState::Expired => Some(FinalReceipt::Expired),
        SmsState::Deleted | SmsState::Skipped | SmsState::Undeliverable => Some(FinalReceipt::Undelivered),
        SmsState::Unknown => Some(FinalReceipt::Unknown),
        SmsState::Rejected => Some(FinalReceipt::Rejected),
        SmsState::Enroute | SmsState::Accepted | SmsState::Scheduled => None,
    }
}

/// Stores a group. If the group fails, each receipt is stored alone, so that one cannot make the others fail.
async fn store_receipts(ctx: &Context, group: &[Report]) -> Vec<std::result::Result<(), StoreFailed>> {
    if group.len() > 1 {
        match store(ctx, group).await {
            Ok(()) => return vec![Ok(()); group.len()],
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a group of receipts could not be stored; trying them one by one"
                );
            }
        }
    }
    let mut stored = Vec::with_capacity(group.len());
    for report in group {
        stored.push(store(ctx, std::slice::from_ref(report)).await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a receipt could not be stored");
            StoreFailed
        }));
    }
    stored
}

/// Stores receipts in one transaction, in the order of their arrival.
async fn store(ctx: &Context, reports: &[Report]) -> Result<()> {
    let about: Vec<SmscId<'_>> = reports.iter().flat_map(Report::about).collect();
    let mut tx = ctx.db.begin().await?;
    directory::lock(&mut tx, &about).await?;
    let mut owners = directory::find(&mut tx, &about).await?.into_iter();
    let mut early = Vec::new();
    // In the order of the clients, so that two groups do not deadlock.
    let mut of_clients: BTreeMap<ClientId, Vec<PartReport>> = BTreeMap::new();
    for report in reports {
        let Report { state, receipt, .. } = *report;
        let known = owners.by_ref().take(report.names.len());
        match known.fold(None, Option::or) {
            Some((client, part)) => of_clients.entry(client).or_default().push(PartReport { part, state, receipt }),
            None => {
                let (id, error) = (ctx.mint(), report.error.as_deref());
                early.extend(report.about().map(|about| ParkedReceipt { id, about, state, error, receipt }));
            }
        }
    }
    directory::park(&mut tx, &early, ctx.now()).await?;
    let mut wakes = Vec::with_capacity(of_clients.len());
    for (client, reports) in of_clients {
        parts::report(&mut tx, client, &reports).await?;
        let legs: Vec<_> = reports.iter().map(|report| (report.part.message, report.part.ordinal)).collect();
        wakes.push((client, leg_parts::join(ctx, &mut tx, client, &legs).await?));
    }
    tx.commit().await?;
    for (client, wakes) in wakes {
        ctx.wake.wake_all(client, wakes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(state: SmsState, intermediate: bool) -> (DeliveryState, Option<FinalReceipt>) {
        let (bind, smsc_id) = ("bind".to_owned(), "1".to_owned());
        let (others, raw_text) = (Vec::new(), String::new());
        let receipt = SmscReceipt { bind, smsc_id, others, state, intermediate, error: None, raw_text };
        let Report { state, receipt, .. } = Report::of(receipt);
        (state, receipt)
    }

    #[test]
    fn an_intermediate_notification_ends_nothing_unless_the_sms_has_arrived() {
        let absent = SmsState::Undeliverable;
        assert_eq!(report(absent, false), (DeliveryState::Failed, Some(FinalReceipt::Undelivered)));
        assert_eq!(report(absent, true), (DeliveryState::Sent, None));
        assert_eq!(report(SmsState::Delivered, true), (DeliveryState::Delivered, Some(FinalReceipt::Delivered)));
    }
}
