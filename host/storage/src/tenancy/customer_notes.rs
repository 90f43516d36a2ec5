//! Notes about customers. They belong to the customer, so a merge keeps them.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, CustomerId, NoteId, UserId},
    page::{Page, PageRequest},
};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerNote {
    pub id: NoteId,
    pub author: UserId,
    pub text: String,
    pub created_at: DateTime<Utc>,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, customer: CustomerId, note: &CustomerNote) -> Result<()> {
    sqlx::query(
        "INSERT INTO customer_note (client_id, id, customer_id, author_id, body, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(client.0)
    .bind(note.id.0)
    .bind(customer.0)
    .bind(note.author.0)
    .bind(&note.text)
    .bind(note.created_at)
    .execute(db)
    .await?;
    Ok(())
}

/// The notes about the customers of a contact, newest first.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
    page: PageRequest,
) -> Result<Page<CustomerNote>> {
    let customers: Vec<Uuid> = customers.iter().map(|customer| customer.0).collect();
    let total = "SELECT count(*)
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN customer_note note ON note.client_id = wanted.client_id AND note.customer_id = wanted.id";
    let total: i64 = sqlx::query_scalar(total).bind(client.0).bind(&customers).fetch_one(&mut *db).await?;
    let rows: Vec<(Uuid, Uuid, String, DateTime<Utc>)> = sqlx::query_as(
        "SELECT note.id, note.author_id, note.body, note.created_at
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) wanted
         JOIN customer_note note ON note.client_id = wanted.client_id AND note.customer_id = wanted.id
         ORDER BY note.id DESC LIMIT $3 OFFSET $4",
    )
    .bind(client.0)
    .bind(&customers)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    let note = |(id, author, text, created_at): (Uuid, Uuid, String, DateTime<Utc>)| CustomerNote {
        id: NoteId(id),
        author: UserId(author),
        text,
        created_at,
    };
    Ok(Page::of(rows.into_iter().map(note).collect(), total))
}

/// Deletes a note; of one author, or of any. Returns false if there is none.
pub async fn delete(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
    note: NoteId,
    author: Option<UserId>,
) -> Result<bool> {
    let done = sqlx::query(
        "DELETE FROM customer_note
         WHERE client_id = $1 AND id = $2 AND customer_id = ANY($3) AND ($4::uuid IS NULL OR author_id = $4)",
    )
    .bind(client.0)
    .bind(note.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .bind(author.map(|author| author.0))
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives the notes about a merged customer to the other one.
pub async fn fold(db: &mut PgConnection, client: ClientId, survivor: CustomerId, absorbed: CustomerId) -> Result<()> {
    sqlx::query("UPDATE customer_note SET customer_id = $2 WHERE client_id = $1 AND customer_id = $3")
        .bind(client.0)
        .bind(survivor.0)
        .bind(absorbed.0)
        .execute(db)
        .await?;
    Ok(())
}
