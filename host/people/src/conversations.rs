use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ConversationId, CustomerId, InboxId};
use storage::{PgConnection, Result, chat::conversations::merging};

/// Moves the conversations of `absorbed` to `survivor`. If both have an open one on an inbox, the older one continues,
/// and the id of the other finds it.
pub(crate) async fn fold_customer(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
    now: DateTime<Utc>,
) -> Result<()> {
    // An expired conversation must not continue with the expiry of the other one.
    for customer in [survivor, absorbed] {
        merging::expire(db, client, customer, now).await?;
    }
    let mut kept: Vec<(ConversationId, InboxId)> = Vec::new();
    for (id, inbox) in merging::lock_open(db, client, [survivor, absorbed]).await? {
        match kept.iter().find(|(_, on)| *on == inbox) {
            Some((older, _)) => merging::merge(db, client, *older, id, now).await?,
            None => kept.push((id, inbox)),
        }
    }
    merging::give_all_to(db, client, survivor, absorbed).await
}
