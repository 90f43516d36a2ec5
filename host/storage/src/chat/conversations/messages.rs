//! Conversations of messages: those that a send names, and those that a message belongs to by its addresses.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    conversation::ConversationRef,
    ids::{ClientId, ConversationId, ConversationParticipantId, InboxId},
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedConversation {
    /// Its id. If the named conversation was merged, the id of the one that continues.
    pub id: ConversationId,
    pub inbox: InboxId,
    pub expires_at: DateTime<Utc>,
    pub closed: bool,
    pub has_ct_id: bool,
    /// Addresses of its customer, with those that it was opened with.
    pub addresses: HashSet<Address>,
}

#[derive(sqlx::FromRow)]
struct NamedRow {
    asked_id: Uuid,
    id: Uuid,
    inbox_id: Uuid,
    expires_at: DateTime<Utc>,
    closed: bool,
    has_ct_id: bool,
    recipient: Option<String>,
    customer_user_id: Option<String>,
    kinds: Vec<String>,
    values: Vec<String>,
}

/// Locks and returns the conversations that a send names, so that none is closed until the transaction ends.
pub async fn lock_named(
    db: &mut PgConnection,
    client: ClientId,
    ids: &[ConversationId],
) -> Result<HashMap<ConversationId, NamedConversation>> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    // In the order of ids, which prevents deadlocks.
    let held: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT asked.id, COALESCE(asked.merged_into, asked.id)
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         JOIN conversation asked ON asked.client_id = given.client_id AND asked.id = given.id
         ORDER BY 2",
    )
    .bind(client.0)
    .bind(&ids)
    .fetch_all(&mut *db)
    .await?;
    if held.is_empty() {
        return Ok(HashMap::new());
    }
    let mut kept: Vec<Uuid> = held.iter().map(|(_, kept)| *kept).collect();
    kept.dedup();
    let rows: Vec<NamedRow> = sqlx::query_as(
        "SELECT one.id AS asked_id, one.id, one.inbox_id, one.expires_at, one.closed_at IS NOT NULL AS closed,
                one.ct_id IS NOT NULL AS has_ct_id, one.recipient, one.customer_user_id,
                COALESCE(known.kinds, '{}') AS kinds, COALESCE(known.values, '{}') AS values
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM conversation held WHERE held.client_id = given.client_id AND held.id = given.id
             FOR NO KEY UPDATE) one
         CROSS JOIN LATERAL (
             SELECT array_agg(kind ORDER BY kind, value) AS kinds, array_agg(value ORDER BY kind, value) AS values
             FROM customer_address address
             WHERE address.client_id = $1 AND address.customer_id = one.customer_id) known",
    )
    .bind(client.0)
    .bind(&kept)
    .fetch_all(db)
    .await?;
    let found: HashMap<Uuid, NamedConversation> =
        rows.into_iter().map(|row| Ok((row.asked_id, row.try_into()?))).collect::<Result<_>>()?;
    let asked = held.into_iter().filter_map(|(asked, kept)| Some((ConversationId(asked), found.get(&kept)?.clone())));
    Ok(asked.collect())
}

impl TryFrom<NamedRow> for NamedConversation {
    type Error = crate::Error;

    fn try_from(row: NamedRow) -> Result<Self> {
        let address = |(kind, value): (&String, &String)| {
            column_values::address("customer_address", ("kind", "value"), kind, value)
        };
        let mut addresses: HashSet<Address> = row.kinds.iter().zip(&row.values).map(address).collect::<Result<_>>()?;
        let opened_with = [(AddressKind::Phone, row.recipient), (AddressKind::Bsuid, row.customer_user_id)];
        addresses.extend(opened_with.into_iter().filter_map(|(kind, value)| Address::of_kind(kind, &value?)));
        Ok(Self {
            id: ConversationId(row.id),
            inbox: InboxId(row.inbox_id),
            expires_at: row.expires_at,
            closed: row.closed,
            has_ct_id: row.has_ct_id,
            addresses,
        })
    }
}

/// Sets tracking ids of conversations. The caller holds them, and they have none yet.
pub async fn name(db: &mut PgConnection, client: ClientId, names: &[(ConversationId, &str)]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE conversation one SET ct_id = given.ct_id
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::text[]) AS name (id, ct_id) OFFSET 0) given
         WHERE one.client_id = given.client_id AND one.id = given.id",
    )
    .bind(client.0)
    .bind(names.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
    .bind(names.iter().map(|(_, ct_id)| *ct_id).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn active_with(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    addresses: &[&Address],
    now: DateTime<Utc>,
) -> Result<HashMap<Address, ConversationId>> {
    let rows: Vec<(String, String, Uuid)> = sqlx::query_as(
        "SELECT address.kind, address.value, active.id
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, * FROM unnest($3::text[], $4::text[]) AS one (kind, value)
               OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT * FROM customer_address one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value OFFSET 0) address
         CROSS JOIN LATERAL (
             SELECT * FROM conversation one
             WHERE one.client_id = wanted.client_id AND one.inbox_id = wanted.inbox_id
               AND one.customer_id = address.customer_id AND one.closed_at IS NULL AND one.expires_at > $5 OFFSET 0) active",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(addresses.iter().map(|address| address.kind().as_str()).collect::<Vec<_>>())
    .bind(addresses.iter().map(|address| address.value()).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(db)
    .await?;
    let pair = |(kind, value, id): (String, String, Uuid)| {
        Ok((column_values::address("customer_address", ("kind", "value"), &kind, &value)?, ConversationId(id)))
    };
    rows.into_iter().map(pair).collect()
}

pub async fn find_refs(
    db: &mut PgConnection,
    client: ClientId,
    ids: &[ConversationId],
) -> Result<HashMap<ConversationId, ConversationRef>> {
    let rows: Vec<(Uuid, Uuid, Uuid, Option<String>)> = sqlx::query_as(
        "SELECT asked.id, one.id, one.participant_id, one.ct_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM conversation known WHERE known.client_id = given.client_id AND known.id = given.id OFFSET 0) asked
         CROSS JOIN LATERAL (
             SELECT * FROM conversation known
             WHERE known.client_id = given.client_id AND known.id = COALESCE(asked.merged_into, asked.id) OFFSET 0) one",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let shown = |(asked, id, participant, ct_id)| {
        let shown =
            ConversationRef { id: ConversationId(id), participant: ConversationParticipantId(participant), ct_id };
        (ConversationId(asked), shown)
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// Records a tap of a template's quick reply in a conversation that is not closed. `gst_id`: of the template.
pub async fn note_tap(
    db: &mut PgConnection,
    client: ClientId,
    conversation: ConversationId,
    gst_id: &str,
) -> Result<()> {
    sqlx::query("UPDATE conversation SET tqrmt_id = $3 WHERE client_id = $1 AND id = $2 AND close_reason IS NULL")
        .bind(client.0)
        .bind(conversation.0)
        .bind(gst_id)
        .execute(db)
        .await?;
    Ok(())
}
