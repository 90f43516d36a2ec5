//! Merges two customers who are one person: the rows of the younger one move to the older one.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId};
use storage::{
    PgConnection, Result,
    chat::{participants, search},
    people::{customers::merging, marketing_stops},
    tenancy::{contact_attributes, contacts, customer_notes},
};

use crate::chats::{self, FoldedChats};

/// Merges `absorbed` into `survivor`: addresses, facts per inbox, chats. Both rows stay; the absorbed one names the
/// survivor, so that old ids still resolve. Returns the merged chats.
pub(crate) async fn merge(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
    now: DateTime<Utc>,
) -> Result<Vec<FoldedChats>> {
    merging::lock_both(db, client, survivor, absorbed).await?;
    merging::take_addresses(db, client, survivor, absorbed).await?;
    merging::fold_facts(db, client, survivor, absorbed).await?;
    marketing_stops::fold(db, client, survivor, absorbed).await?;
    let folded = chats::fold_customer(db, client, survivor, absorbed, now).await?;
    participants::merging::move_values(db, client, survivor.0, absorbed.0).await?;
    contacts::fold(db, client, survivor, absorbed).await?;
    customer_notes::fold(db, client, survivor, absorbed).await?;
    contact_attributes::fold(db, client, survivor, absorbed).await?;
    merging::take_names(db, client, survivor, absorbed).await?;
    merging::lead_to(db, client, survivor, absorbed).await?;
    search::customer_changed(db, client, survivor).await?;
    Ok(folded)
}
