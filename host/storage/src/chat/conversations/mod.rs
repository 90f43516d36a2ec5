//! Long-lived conversations (SPEC 2.11, 3.1; ADR 0022). A unique index allows one open conversation per inbox and
//! customer. The clock decides if a conversation takes messages; upkeep only records expiries.
//!
//! `closed_at` and `close_reason` are null together. A statement that finds a conversation by id tests `close_reason`:
//! with a test of `closed_at` the planner could use the index of all open conversations.

mod lists;
pub mod merging;
mod messages;

use chrono::{DateTime, Utc};
use domain::{
    conversation::{CloseReason, Conversation},
    ids::{ClientId, ConversationId, ConversationParticipantId, CustomerId, InboxId},
    numbering,
};
use uuid::Uuid;

use crate::{Error, PgConnection, Result, column_values::read_value};

pub use lists::{ConversationSearch, after, page};
pub use messages::{NamedConversation, active_with, find_refs, lock_named, name, note_tap};

#[derive(Debug, Clone)]
pub struct NewConversation {
    pub id: ConversationId,
    pub inbox: InboxId,
    /// Its customer; locked by [`hold_customer`].
    pub customer: CustomerId,
    /// The customer's id in the conversation engine, if there was no conversation before.
    pub participant: ConversationParticipantId,
    pub recipient: Option<String>,
    pub customer_user_id: Option<String>,
    pub expires_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct ConversationRow {
    id: Uuid,
    inbox_id: Uuid,
    sender: Option<String>,
    client_ref: String,
    participant_id: Uuid,
    recipient: Option<String>,
    customer_user_id: Option<String>,
    ct_id: Option<String>,
    tqrmt_id: Option<String>,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    closed_at: Option<DateTime<Utc>>,
    close_reason: Option<String>,
}

impl TryFrom<ConversationRow> for Conversation {
    type Error = Error;

    fn try_from(row: ConversationRow) -> Result<Self> {
        let reason = |name: &str| {
            read_value("conversation", "close_reason", name, |name| {
                CloseReason::ALL.into_iter().find(|reason| reason.as_str() == name)
            })
        };
        let closed = row.closed_at.zip(row.close_reason);
        Ok(Self {
            id: ConversationId(row.id),
            inbox: InboxId(row.inbox_id),
            sender: row.sender.unwrap_or_default(),
            client_ref: row.client_ref,
            participant: ConversationParticipantId(row.participant_id),
            recipient: row.recipient,
            customer_user_id: row.customer_user_id,
            ct_id: row.ct_id,
            tqrmt_id: row.tqrmt_id,
            created_at: row.created_at,
            expires_at: row.expires_at,
            closed: closed.map(|(at, name)| Ok::<_, Error>((at, reason(&name)?))).transpose()?,
        })
    }
}

/// Most merges of a customer that are followed.
const ROUNDS: usize = 4;

/// Locks a customer against merges. Returns its id, or that of the customer into which it was merged.
pub async fn hold_customer(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<CustomerId> {
    let mut held = customer;
    for _ in 0..ROUNDS {
        let merged: Option<Uuid> =
            sqlx::query_scalar("SELECT merged_into FROM customer WHERE client_id = $1 AND id = $2 FOR SHARE")
                .bind(client.0)
                .bind(held.0)
                .fetch_one(&mut *db)
                .await?;
        match merged {
            Some(survivor) => held = CustomerId(survivor),
            None => return Ok(held),
        }
    }
    Err(Error::Database(sqlx::Error::Protocol("a customer keeps being merged; try again".to_owned())))
}

/// Opens a conversation; `false` if one is open already. Closes an expired one first.
pub async fn open(db: &mut PgConnection, client: ClientId, new: &NewConversation, now: DateTime<Utc>) -> Result<bool> {
    sqlx::query(
        "UPDATE conversation SET closed_at = expires_at, close_reason = 'EXPIRED'
         WHERE client_id = $1 AND inbox_id = $2 AND customer_id = $3 AND closed_at IS NULL AND expires_at <= $4",
    )
    .bind(client.0)
    .bind(new.inbox.0)
    .bind(new.customer.0)
    .bind(now)
    .execute(&mut *db)
    .await?;
    let done = sqlx::query(
        "INSERT INTO conversation (client_id, id, inbox_id, customer_id, participant_id, recipient, customer_user_id,
                                   created_at, expires_at)
         SELECT $1, $2, $3, $4,
                COALESCE((SELECT participant_id FROM conversation before
                          WHERE before.client_id = $1 AND before.customer_id = $4 AND before.inbox_id = $3
                          ORDER BY before.id DESC LIMIT 1), $5),
                $6, $7, $8, $9
         ON CONFLICT (client_id, inbox_id, customer_id) WHERE closed_at IS NULL DO NOTHING",
    )
    .bind(client.0)
    .bind(new.id.0)
    .bind(new.inbox.0)
    .bind(new.customer.0)
    .bind(new.participant.0)
    .bind(new.recipient.as_deref())
    .bind(new.customer_user_id.as_deref())
    .bind(now)
    .bind(new.expires_at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn readdress(
    db: &mut PgConnection,
    client: ClientId,
    customer: CustomerId,
    old: &str,
    new: &str,
) -> Result<()> {
    sqlx::query(
        "UPDATE conversation SET recipient = $4
         WHERE client_id = $1 AND customer_id = $2 AND recipient = ANY($3) AND closed_at IS NULL",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(numbering::spellings(old))
    .bind(new)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn active(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
    now: DateTime<Utc>,
) -> Result<Option<Conversation>> {
    let row: Option<ConversationRow> = sqlx::query_as(
        "SELECT one.client_id, one.id, one.inbox_id, one.customer_id, one.participant_id, one.recipient,
                one.customer_user_id, one.ct_id, one.tqrmt_id, one.created_at, one.expires_at, one.closed_at,
                one.close_reason, one.merged_into,
                (SELECT address FROM inbox WHERE inbox.client_id = $1 AND inbox.id = one.inbox_id) AS sender,
                (SELECT client_ref FROM client WHERE client.id = $1) AS client_ref
         FROM conversation one
         WHERE one.client_id = $1 AND one.inbox_id = $2 AND one.customer_id = $3 AND one.closed_at IS NULL
           AND one.expires_at > $4",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(customer.0)
    .bind(now)
    .fetch_optional(db)
    .await?;
    row.map(Conversation::try_from).transpose()
}

/// Returns a conversation by id. The id of a merged one finds the one that continues.
pub async fn find(db: &mut PgConnection, client: ClientId, id: ConversationId) -> Result<Option<Conversation>> {
    let row: Option<ConversationRow> = sqlx::query_as(
        "SELECT one.client_id, one.id, one.inbox_id, one.customer_id, one.participant_id, one.recipient,
                one.customer_user_id, one.ct_id, one.tqrmt_id, one.created_at, one.expires_at, one.closed_at,
                one.close_reason, one.merged_into,
                (SELECT address FROM inbox WHERE inbox.client_id = $1 AND inbox.id = one.inbox_id) AS sender,
                (SELECT client_ref FROM client WHERE client.id = $1) AS client_ref
         FROM conversation one
         WHERE one.client_id = $1 AND one.id = (
             SELECT COALESCE(asked.merged_into, asked.id) FROM conversation asked
             WHERE asked.client_id = $1 AND asked.id = $2)",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(Conversation::try_from).transpose()
}

pub async fn close(
    db: &mut PgConnection,
    client: ClientId,
    id: ConversationId,
    reason: CloseReason,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE conversation SET closed_at = $4, close_reason = $3
         WHERE client_id = $1 AND id = $2 AND close_reason IS NULL AND expires_at > $4",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(reason.as_str())
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Records at most `limit` expiries, the oldest first, without locked ones. Fewer: this was the last page.
pub async fn close_expired(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> Result<u64> {
    let done = sqlx::query(
        "UPDATE conversation SET closed_at = expires_at, close_reason = 'EXPIRED'
         WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM conversation WHERE closed_at IS NULL AND close_reason IS NULL AND expires_at <= $1
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
    )
    .bind(now)
    .bind(limit)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}
