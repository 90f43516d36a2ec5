//! A client's rate card: the costs of its messages, shown with every status (SPEC 6.2 `cost`).

use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::{ids::ClientId, rate::Rate};
use storage::{Db, outbound::rates};

pub async fn all(db: &Db, client: ClientId) -> Result<Vec<Rate>> {
    let mut db = db.acquire().await?;
    Ok(rates::all(&mut db, client).await?)
}

pub async fn replace(ctx: &Context, client: ClientId, actor: Actor, card: &[Rate]) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    rates::replace(&mut tx, client, card).await?;
    let admin = Administration::from(ctx);
    audit(&admin, &mut tx, client, actor, "replace", AuditObject::new("rate-card", &card.len())).await?;
    tx.commit().await?;
    Ok(())
}
