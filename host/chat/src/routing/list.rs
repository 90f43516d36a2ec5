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
    let (items, total) = routing_decisions::list(&mut db, client, participant, page).await?;
    Ok(Page::of(items, total))
}
