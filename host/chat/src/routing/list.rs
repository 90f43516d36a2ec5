use domain::ids::{ClientId, ParticipantId};
use storage::{Db, chat::routing_decisions};

pub use storage::chat::routing_decisions::RoutingDecision;

use base::Result;
use domain::page::{Page, PageRequest};

pub async fn list(
    db: &Db,
    client: ClientId,
    participant: Option<ParticipantId>,
    page: PageRequest,
) -> Result<Page<RoutingDecision>> {
    let mut db = db.acquire().await?;
    let at = (page.offset(), page.limit());
    let (items, total) = routing_decisions::list(&mut db, client, participant, at).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}
