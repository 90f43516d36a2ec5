//! Facts from providers: the messaging tier of a number, and a customer's consent to marketing (SPEC 6.4).

use domain::{event::Event, ids::ClientId};
use storage::{PgConnection, outbound::tiers, people::marketing_stops};

use crate::NewEvent;
use base::{Context, Result};

const MARKETING: &str = "MARKETING";

pub(crate) async fn take(ctx: &Context, db: &mut PgConnection, client: ClientId, events: &[NewEvent]) -> Result<()> {
    for new in events {
        match &new.event {
            Event::InboxQualityChanged(changed) => {
                if let Some((inbox, tier)) = new.inbox.zip(changed.limit.as_deref()) {
                    tiers::set(db, client, inbox, tier, ctx.now()).await?;
                }
            }
            Event::PreferenceChanged(changed) if changed.category == MARKETING => {
                let Some(address) = &changed.address else { continue };
                for customer in people::resolve_many(db, client, &ctx.ids, &[address], ctx.now()).await? {
                    if changed.stop {
                        marketing_stops::stop(db, client, customer, new.at).await?;
                    } else {
                        marketing_stops::resume(db, client, customer).await?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}
