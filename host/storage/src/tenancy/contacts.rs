//! The address book of a client: at most one entry per customer. Lists leave out merged entries (`contact_merges`).

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, ContactId, CustomerId},
    page::PageRequest,
    search::{self, SearchKind},
};
use uuid::Uuid;

use super::contact_merges;
use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub id: ContactId,
    pub customer: CustomerId,
    pub full_name: String,
    pub phone: Option<String>,
    pub bsuid: Option<String>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct ContactRow {
    id: Uuid,
    customer_id: Uuid,
    full_name: String,
    phone: Option<String>,
    bsuid: Option<String>,
    created_at: DateTime<Utc>,
}

impl From<ContactRow> for Contact {
    fn from(row: ContactRow) -> Self {
        Self {
            id: ContactId(row.id),
            customer: CustomerId(row.customer_id),
            full_name: row.full_name,
            phone: row.phone,
            bsuid: row.bsuid,
            created_at: row.created_at,
        }
    }
}

#[derive(sqlx::FromRow)]
struct FoundRow {
    total: i64,
    id: Option<Uuid>,
    customer_id: Option<Uuid>,
    full_name: Option<String>,
    phone: Option<String>,
    bsuid: Option<String>,
    created_at: Option<DateTime<Utc>>,
}

impl FoundRow {
    fn contact(self) -> Option<Contact> {
        Some(Contact {
            id: ContactId(self.id?),
            customer: CustomerId(self.customer_id?),
            full_name: self.full_name?,
            phone: self.phone,
            bsuid: self.bsuid,
            created_at: self.created_at?,
        })
    }
}

pub const CUSTOMER_UNIQUE: &str = "contact_customer_unique";

fn parts_of(client: ClientId, name: &str, phones: &[&str]) -> Vec<i64> {
    let mut parts = search::parts(client, SearchKind::Name, &search::fold(name));
    for phone in phones {
        parts.extend(search::parts(client, SearchKind::Number, phone));
    }
    parts
}

#[derive(Debug, Clone, Copy)]
pub struct NewEntry<'a> {
    pub contact: ContactId,
    pub customer: CustomerId,
    pub name: &'a str,
    pub phones: &'a [&'a str],
}

/// Inserts an entry. Fails on [`CUSTOMER_UNIQUE`] if the customer has one.
pub async fn insert(db: &mut PgConnection, client: ClientId, new: NewEntry<'_>, now: DateTime<Utc>) -> Result<()> {
    let NewEntry { contact, customer, name, phones } = new;
    sqlx::query(
        "INSERT INTO contact (client_id, id, customer_id, full_name, folded_name, parts, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(client.0)
    .bind(contact.0)
    .bind(customer.0)
    .bind(name)
    .bind(search::fold(name))
    .bind(parts_of(client, name, phones))
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns an entry. The id of a merged one finds the entry that is shown in its place.
pub async fn get(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<Option<Contact>> {
    let row: Option<ContactRow> = sqlx::query_as(
        "SELECT contact.id, contact.customer_id, contact.full_name, known.phone, known.bsuid, contact.created_at
         FROM contact CROSS JOIN LATERAL (
             SELECT (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'PHONE'))[1] AS phone,
                    (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'BSUID'))[1] AS bsuid
             FROM customer_address address
             WHERE address.client_id = contact.client_id AND address.customer_id = contact.customer_id OFFSET 0) known
         WHERE contact.client_id = $1 AND contact.id = COALESCE(
             (SELECT merge.kept_id FROM contact_merge merge WHERE merge.client_id = $1 AND merge.contact_id = $2), $2)",
    )
    .bind(client.0)
    .bind(contact.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(Contact::from))
}

pub async fn names(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
) -> Result<Vec<(CustomerId, String)>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT contact.customer_id,
                COALESCE((SELECT kept.full_name FROM contact kept
                          WHERE kept.client_id = contact.client_id AND kept.id = (
                              SELECT merge.kept_id FROM contact_merge merge
                              WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id)),
                         contact.full_name)
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN contact ON contact.client_id = wanted.client_id AND contact.customer_id = wanted.id",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(customer, name)| (CustomerId(customer), name)).collect())
}

/// Renames an entry; `false` if there is none. The old name no longer finds it.
pub async fn rename(
    db: &mut PgConnection,
    client: ClientId,
    contact: ContactId,
    name: &str,
    phones: &[&str],
) -> Result<bool> {
    let done =
        sqlx::query("UPDATE contact SET full_name = $3, folded_name = $4, parts = $5 WHERE client_id = $1 AND id = $2")
            .bind(client.0)
            .bind(contact.0)
            .bind(name)
            .bind(search::fold(name))
            .bind(parts_of(client, name, phones))
            .execute(db)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes an entry, and those that are merged into it.
pub async fn delete(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<bool> {
    let done = sqlx::query(
        "DELETE FROM contact WHERE client_id = $1 AND id = ANY(array_append(ARRAY(
             SELECT contact_id FROM contact_merge WHERE client_id = $1 AND kept_id = $2), $2))",
    )
    .bind(client.0)
    .bind(contact.0)
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

pub async fn page(db: &mut PgConnection, client: ClientId, page: PageRequest) -> Result<(Vec<Contact>, i64)> {
    let total: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM contact WHERE client_id = $1)
              - (SELECT count(*) FROM contact_merge WHERE client_id = $1)",
    )
    .bind(client.0)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<ContactRow> = sqlx::query_as(
        "SELECT one.id, one.customer_id, one.full_name, known.phone, known.bsuid, one.created_at
         FROM (SELECT * FROM contact
               WHERE client_id = $1 AND NOT EXISTS (
                     SELECT 1 FROM contact_merge merge
                     WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id OFFSET 0)
               ORDER BY client_id, folded_name, id LIMIT $2 OFFSET $3) one
         CROSS JOIN LATERAL (
             SELECT (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'PHONE'))[1] AS phone,
                    (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'BSUID'))[1] AS bsuid
             FROM customer_address address
             WHERE address.client_id = one.client_id AND address.customer_id = one.customer_id OFFSET 0) known
         ORDER BY one.folded_name, one.id",
    )
    .bind(client.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(Contact::from).collect(), total))
}

/// A page of the entries with `name` or `digits` (`""`: none), by name, and the total. The index of parts finds
/// candidates. A merged entry finds the one that is shown in its place.
pub async fn search(
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
    digits: &str,
    page: PageRequest,
) -> Result<(Vec<Contact>, i64)> {
    let rows: Vec<FoundRow> = sqlx::query_as(
        "WITH known AS MATERIALIZED (
             SELECT hit.*, (SELECT merge.kept_id FROM contact_merge merge
                            WHERE merge.client_id = hit.client_id AND merge.contact_id = hit.id) AS kept_id
             FROM (
                 SELECT * FROM contact WHERE parts @> $2 AND cardinality($2) > 0
                 UNION
                 SELECT * FROM contact WHERE parts @> $3 AND cardinality($3) > 0) hit
             CROSS JOIN LATERAL (
                 SELECT bool_or(address.kind = 'PHONE' AND $5 <> '' AND position($5 IN address.value) > 0) AS numbered
                 FROM customer_address address
                 WHERE address.client_id = hit.client_id AND address.customer_id = hit.customer_id OFFSET 0) known
             WHERE hit.client_id = $1 AND (($4 <> '' AND position($4 IN hit.folded_name) > 0) OR known.numbered)),
         found AS MATERIALIZED (
             SELECT shown.*
             FROM (SELECT DISTINCT client_id, COALESCE(kept_id, id) AS id FROM known) one
             CROSS JOIN LATERAL (
                 SELECT * FROM contact WHERE contact.client_id = one.client_id AND contact.id = one.id OFFSET 0) shown)
         SELECT counted.total, one.id, one.customer_id, one.full_name, one.phone, one.bsuid, one.created_at
         FROM (SELECT count(*) AS total FROM found) counted
         LEFT JOIN LATERAL (
             SELECT named.*, known.phone, known.bsuid
             FROM (SELECT * FROM found ORDER BY folded_name, id LIMIT $6 OFFSET $7) named
             CROSS JOIN LATERAL (
                 SELECT (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'PHONE'))[1] AS phone,
                        (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'BSUID'))[1] AS bsuid
                 FROM customer_address address
                 WHERE address.client_id = named.client_id AND address.customer_id = named.customer_id OFFSET 0) known
         ) one ON true
         ORDER BY one.folded_name, one.id",
    )
    .bind(client.0)
    .bind(search::search_hashes(client, SearchKind::Name, name))
    .bind(search::search_hashes(client, SearchKind::Number, digits))
    .bind(name)
    .bind(digits)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    Ok((rows.into_iter().filter_map(FoundRow::contact).collect(), total))
}

/// The search of a masked address book; `None`: any value.
#[derive(Debug, Clone, Copy, Default)]
pub struct MaskedContactSearch<'a> {
    pub initial: Option<&'a str>,
    /// Digits among the last three of the shown number.
    pub ending: Option<&'a str>,
}

/// A page for masked callers, by the shown first letter, then the oldest entry: the order reveals no more.
pub async fn page_masked(
    db: &mut PgConnection,
    client: ClientId,
    sought: MaskedContactSearch<'_>,
    page: PageRequest,
) -> Result<(Vec<Contact>, i64)> {
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM contact
         WHERE contact.client_id = $1 AND ($2::text IS NULL OR starts_with(contact.folded_name, $2))
           AND NOT EXISTS (
                     SELECT 1 FROM contact_merge merge
                     WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id OFFSET 0)
           AND ($3::text IS NULL OR strpos(right(
                (SELECT value FROM customer_address address
                 WHERE address.client_id = contact.client_id AND address.customer_id = contact.customer_id
                   AND address.kind = 'PHONE' ORDER BY seen_at DESC, value LIMIT 1), 3), $3) > 0)",
    )
    .bind(client.0)
    .bind(sought.initial)
    .bind(sought.ending)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<ContactRow> = sqlx::query_as(
        "SELECT contact.id, contact.customer_id, contact.full_name, known.phone, known.bsuid, contact.created_at
         FROM contact CROSS JOIN LATERAL (
             SELECT (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'PHONE'))[1] AS phone,
                    (array_agg(value ORDER BY seen_at DESC, value) FILTER (WHERE kind = 'BSUID'))[1] AS bsuid
             FROM customer_address address
             WHERE address.client_id = contact.client_id AND address.customer_id = contact.customer_id OFFSET 0) known
         WHERE contact.client_id = $1 AND ($2::text IS NULL OR starts_with(contact.folded_name, $2))
           AND NOT EXISTS (
                     SELECT 1 FROM contact_merge merge
                     WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id OFFSET 0)
           AND ($3::text IS NULL OR strpos(right(known.phone, 3), $3) > 0)
         ORDER BY contact.client_id, translate(left(contact.folded_name, 1), '0123456789', ''), contact.id
         LIMIT $4 OFFSET $5",
    )
    .bind(client.0)
    .bind(sought.initial)
    .bind(sought.ending)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(Contact::from).collect(), total))
}

/// Adds a new number of a customer to the search of its entry.
pub async fn learn_number(db: &mut PgConnection, client: ClientId, customer: CustomerId, phone: &str) -> Result<()> {
    sqlx::query("UPDATE contact SET parts = parts || $3 WHERE client_id = $1 AND customer_id = $2")
        .bind(client.0)
        .bind(customer.0)
        .bind(search::parts(client, SearchKind::Number, phone))
        .execute(db)
        .await?;
    Ok(())
}

/// Merges the entries of two customers who are one: the older one stays, and the numbers of both find it. One that is
/// shown stays before one that is merged.
pub async fn fold(db: &mut PgConnection, client: ClientId, survivor: CustomerId, absorbed: CustomerId) -> Result<()> {
    let entries: Vec<Uuid> = sqlx::query_scalar(
        "SELECT contact.id FROM contact WHERE client_id = $1 AND customer_id IN ($2, $3)
         ORDER BY EXISTS (SELECT 1 FROM contact_merge merge
                          WHERE merge.client_id = contact.client_id AND merge.contact_id = contact.id OFFSET 0),
                  created_at, id",
    )
    .bind(client.0)
    .bind(survivor.0)
    .bind(absorbed.0)
    .fetch_all(&mut *db)
    .await?;
    let [kept, gone @ ..] = entries.as_slice() else { return Ok(()) };
    if let [gone] = gone {
        // Entries that were merged by hand into the one that goes.
        contact_merges::give_all(db, client, ContactId(*gone), ContactId(*kept)).await?;
        sqlx::query(
            "UPDATE contact kept
             SET parts = ARRAY(SELECT DISTINCT unnest(kept.parts || gone.parts)),
                 tags = ARRAY(SELECT DISTINCT unnest(kept.tags || gone.tags) AS tag ORDER BY tag)
             FROM contact gone
             WHERE kept.client_id = $1 AND kept.id = $2 AND gone.client_id = $1 AND gone.id = $3",
        )
        .bind(client.0)
        .bind(kept)
        .bind(gone)
        .execute(&mut *db)
        .await?;
        sqlx::query("DELETE FROM contact WHERE client_id = $1 AND id = $2")
            .bind(client.0)
            .bind(gone)
            .execute(&mut *db)
            .await?;
    }
    sqlx::query("UPDATE contact SET customer_id = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(kept)
        .bind(survivor.0)
        .execute(db)
        .await?;
    Ok(())
}
