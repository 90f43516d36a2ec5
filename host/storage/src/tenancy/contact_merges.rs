//! Contacts that users merged by hand (ADR 0067): the links from merged contacts to those that are shown in their place.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, ContactId, CustomerId, UserId},
    page::PageRequest,
};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactMerge {
    pub id: Uuid,
    /// The merged contact.
    pub contact: ContactId,
    /// The contact that is shown in its place.
    pub kept: ContactId,
    /// Of the merged contact.
    pub customer: CustomerId,
    pub tags_added: Vec<String>,
    /// Contacts that were merged into the merged one before.
    pub followers: Vec<ContactId>,
    pub by: UserId,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct MergeRow {
    id: Uuid,
    contact_id: Uuid,
    kept_id: Uuid,
    customer_id: Uuid,
    tags_added: Vec<String>,
    followers: Vec<Uuid>,
    merged_by: Uuid,
    created_at: DateTime<Utc>,
}

impl From<MergeRow> for ContactMerge {
    fn from(row: MergeRow) -> Self {
        Self {
            id: row.id,
            contact: ContactId(row.contact_id),
            kept: ContactId(row.kept_id),
            customer: CustomerId(row.customer_id),
            tags_added: row.tags_added,
            followers: row.followers.into_iter().map(ContactId).collect(),
            by: UserId(row.merged_by),
            created_at: row.created_at,
        }
    }
}

/// Locks contacts in the order of ids, so that two merges of the same contacts do not deadlock.
pub async fn lock_contacts(db: &mut PgConnection, client: ClientId, contacts: &[ContactId]) -> Result<()> {
    sqlx::query("SELECT 1 FROM contact WHERE client_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE")
        .bind(client.0)
        .bind(contacts.iter().map(|contact| contact.0).collect::<Vec<_>>())
        .execute(db)
        .await?;
    Ok(())
}

pub async fn insert(db: &mut PgConnection, client: ClientId, merge: &ContactMerge) -> Result<()> {
    sqlx::query(
        "INSERT INTO contact_merge (client_id, contact_id, kept_id, id, customer_id, tags_added, followers, merged_by,
                                    created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(client.0)
    .bind(merge.contact.0)
    .bind(merge.kept.0)
    .bind(merge.id)
    .bind(merge.customer.0)
    .bind(&merge.tags_added)
    .bind(merge.followers.iter().map(|contact| contact.0).collect::<Vec<_>>())
    .bind(merge.by.0)
    .bind(merge.created_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the merge of a merged contact.
pub async fn find(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<Option<ContactMerge>> {
    let row: Option<MergeRow> = sqlx::query_as(
        "SELECT id, contact_id, kept_id, customer_id, tags_added, followers, merged_by, created_at FROM contact_merge
         WHERE client_id = $1 AND contact_id = $2",
    )
    .bind(client.0)
    .bind(contact.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(ContactMerge::from))
}

/// The contact that was merged into this one last.
pub async fn newest(db: &mut PgConnection, client: ClientId, kept: ContactId) -> Result<Option<ContactId>> {
    let newest: Option<Uuid> = sqlx::query_scalar(
        "SELECT contact_id FROM contact_merge WHERE client_id = $1 AND kept_id = $2 ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(kept.0)
    .fetch_optional(db)
    .await?;
    Ok(newest.map(ContactId))
}

/// A merge with the name and the number of the merged contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMerge {
    pub merge: ContactMerge,
    pub name: String,
    pub phone: Option<String>,
}

#[derive(sqlx::FromRow)]
struct ListedRow {
    #[sqlx(flatten)]
    merge: MergeRow,
    full_name: String,
    phone: Option<String>,
}

/// The merges into a contact, newest first, and their number.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    kept: ContactId,
    page: PageRequest,
) -> Result<(Vec<ListedMerge>, i64)> {
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM contact_merge WHERE client_id = $1 AND kept_id = $2")
        .bind(client.0)
        .bind(kept.0)
        .fetch_one(&mut *db)
        .await?;
    let rows: Vec<ListedRow> = sqlx::query_as(
        "SELECT one.id, one.contact_id, one.kept_id, one.customer_id, one.tags_added, one.followers, one.merged_by,
                one.created_at, merged.full_name,
                (SELECT value FROM customer_address address
                 WHERE address.client_id = merged.client_id AND address.customer_id = merged.customer_id
                   AND address.kind = 'PHONE' ORDER BY seen_at DESC, value LIMIT 1) AS phone
         FROM (SELECT * FROM contact_merge WHERE client_id = $1 AND kept_id = $2 ORDER BY id DESC LIMIT $3 OFFSET $4) one
         CROSS JOIN LATERAL (
             SELECT * FROM contact WHERE contact.client_id = one.client_id AND contact.id = one.contact_id OFFSET 0) merged
         ORDER BY one.id DESC",
    )
    .bind(client.0)
    .bind(kept.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    let listed = |row: ListedRow| ListedMerge { merge: row.merge.into(), name: row.full_name, phone: row.phone };
    Ok((rows.into_iter().map(listed).collect(), total))
}

/// Ends a merge. Returns false if there is none.
pub async fn remove(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM contact_merge WHERE client_id = $1 AND contact_id = $2")
        .bind(client.0)
        .bind(contact.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives the contacts that are merged into `from` to `to`. Returns them.
pub async fn give_all(
    db: &mut PgConnection,
    client: ClientId,
    from: ContactId,
    to: ContactId,
) -> Result<Vec<ContactId>> {
    let given: Vec<Uuid> = sqlx::query_scalar(
        "UPDATE contact_merge SET kept_id = $3 WHERE client_id = $1 AND kept_id = $2 AND contact_id <> $3
         RETURNING contact_id",
    )
    .bind(client.0)
    .bind(from.0)
    .bind(to.0)
    .fetch_all(db)
    .await?;
    Ok(given.into_iter().map(ContactId).collect())
}

/// Gives those of the contacts that are merged into `from` to `to`.
pub async fn give(
    db: &mut PgConnection,
    client: ClientId,
    contacts: &[ContactId],
    (from, to): (ContactId, ContactId),
) -> Result<()> {
    sqlx::query("UPDATE contact_merge SET kept_id = $4 WHERE client_id = $1 AND contact_id = ANY($2) AND kept_id = $3")
        .bind(client.0)
        .bind(contacts.iter().map(|contact| contact.0).collect::<Vec<_>>())
        .bind(from.0)
        .bind(to.0)
        .execute(db)
        .await?;
    Ok(())
}

/// The customers of a contact and of those that are merged into it.
pub async fn customers(db: &mut PgConnection, client: ClientId, kept: ContactId) -> Result<Vec<CustomerId>> {
    customers_of(db, client, &[kept]).await
}

/// The customers of contacts and of those that are merged into them.
pub async fn customers_of(db: &mut PgConnection, client: ClientId, kept: &[ContactId]) -> Result<Vec<CustomerId>> {
    let found: Vec<Uuid> = sqlx::query_scalar(
        "SELECT DISTINCT one.customer_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id
               UNION ALL
               SELECT client_id, contact_id FROM contact_merge WHERE client_id = $1 AND kept_id = ANY($2)) shown
         CROSS JOIN LATERAL (
             SELECT * FROM contact WHERE contact.client_id = shown.client_id AND contact.id = shown.id OFFSET 0) one",
    )
    .bind(client.0)
    .bind(kept.iter().map(|contact| contact.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(CustomerId).collect())
}
