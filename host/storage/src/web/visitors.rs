//! Visitors of sites: their facts that are not facts of the customer.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId, InboxId};

use crate::{PgConnection, Result};

/// A visitor who has written or proven an identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Visitor {
    pub form_answered: bool,
    /// The key of that answer; `None` if none was stored.
    pub form_key: Option<String>,
    pub joined_to: Option<String>,
    pub epoch: i32,
    /// Messages up to this sequence number have reached a widget.
    pub delivered_up_to: i64,
    /// Messages up to this sequence number were seen.
    pub read_up_to: i64,
}

pub async fn find(db: &mut PgConnection, client: ClientId, inbox: InboxId, visitor: &str) -> Result<Option<Visitor>> {
    let row = sqlx::query_as(
        "SELECT form_answered, form_key, joined_to, epoch, delivered_up_to, read_up_to FROM web_visitor
         WHERE client_id = $1 AND inbox_id = $2 AND visitor = $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(visitor)
    .fetch_optional(db)
    .await?;
    Ok(row)
}

/// A visitor of a site. `proven`: the user id that the visitor has proven.
#[derive(Debug, Clone, Copy)]
pub struct NewVisitor<'a> {
    pub inbox: InboxId,
    pub visitor: &'a str,
    pub proven: Option<&'a str>,
}

/// Stores a visitor unless it is known. Returns it locked.
pub async fn begin(
    db: &mut PgConnection,
    client: ClientId,
    NewVisitor { inbox, visitor, proven }: NewVisitor<'_>,
    now: DateTime<Utc>,
) -> Result<Visitor> {
    sqlx::query(
        "INSERT INTO web_visitor (client_id, inbox_id, visitor, proven_id, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(visitor)
    .bind(proven)
    .bind(now)
    .execute(&mut *db)
    .await?;
    let row = sqlx::query_as(
        "SELECT form_answered, form_key, joined_to, epoch, delivered_up_to, read_up_to FROM web_visitor
         WHERE client_id = $1 AND inbox_id = $2 AND visitor = $3 FOR UPDATE",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(visitor)
    .fetch_one(db)
    .await?;
    Ok(row)
}

pub async fn save(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    visitor: &str,
    known: &Visitor,
) -> Result<()> {
    sqlx::query(
        "UPDATE web_visitor SET form_answered = $4, joined_to = $5, epoch = $6, delivered_up_to = $7, read_up_to = $8, form_key = $9
         WHERE client_id = $1 AND inbox_id = $2 AND visitor = $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(visitor)
    .bind(known.form_answered)
    .bind(known.joined_to.as_deref())
    .bind(known.epoch)
    .bind(known.delivered_up_to)
    .bind(known.read_up_to)
    .bind(known.form_key.as_deref())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn agent_types(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
    until: DateTime<Utc>,
) -> Result<Vec<String>> {
    let visitors = sqlx::query_scalar(
        "UPDATE web_visitor visitor SET agent_typing_until = $4
         FROM (SELECT client_id, value FROM customer_address
               WHERE client_id = $1 AND customer_id = $3 AND kind = 'VISITOR' OFFSET 0) known
         WHERE visitor.client_id = known.client_id AND visitor.inbox_id = $2 AND visitor.visitor = known.value
         RETURNING visitor.visitor",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .bind(until)
    .fetch_all(db)
    .await?;
    Ok(visitors)
}
