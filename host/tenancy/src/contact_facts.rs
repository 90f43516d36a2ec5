//! Notes and tags of contacts.

use base::audit::{Actor, Administration, AuditObject, audit};
use domain::{
    ids::{ClientId, ContactId, CustomerId, NoteId, UserId},
    page::{Page, PageRequest},
};
use storage::{
    Db, PgConnection,
    chat::participants,
    live_events::chat_updates,
    tenancy::{
        contact_merges, contact_tags,
        contacts::{self, Contact},
        customer_notes::{self, CustomerNote},
    },
};

use crate::contacts::ContactError;

/// A note about a customer, with the name of its author.
#[derive(Debug, Clone)]
pub struct CustomerNoteView {
    pub note: CustomerNote,
    pub author: Option<String>,
}

async fn find(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<Contact, ContactError> {
    contacts::get(db, client, contact).await?.ok_or(ContactError::Unknown)
}

/// The customers of a contact and of those that are merged into it.
async fn customers(
    db: &mut PgConnection,
    client: ClientId,
    contact: ContactId,
) -> Result<Vec<CustomerId>, ContactError> {
    let shown = find(db, client, contact).await?.id;
    Ok(contact_merges::customers(db, client, shown).await?)
}

pub async fn tags(db: &Db, client: ClientId, contact: ContactId) -> Result<Vec<String>, ContactError> {
    let mut db = db.acquire().await?;
    contact_tags::get(&mut db, client, contact).await?.ok_or(ContactError::Unknown)
}

/// Replaces the tags of a contact.
pub async fn set_tags(
    admin: &Administration<'_>,
    client: ClientId,
    contact: ContactId,
    tags: Vec<String>,
    actor: Actor,
) -> Result<Vec<String>, ContactError> {
    let mut tx = admin.db.begin().await?;
    if !contact_tags::set(&mut tx, client, contact, &tags).await? {
        return Err(ContactError::Unknown);
    }
    let customers = customers(&mut tx, client, contact).await?;
    chat_updates::of_customers(&mut tx, client, &customers, (admin.mint(), admin.now())).await?;
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("contact", &contact)).await?;
    tx.commit().await?;
    Ok(tags)
}

/// The notes about the customers of a contact, newest first.
pub async fn notes(
    db: &Db,
    client: ClientId,
    contact: ContactId,
    page: PageRequest,
) -> Result<Page<CustomerNoteView>, ContactError> {
    let mut db = db.acquire().await?;
    let customers = customers(&mut db, client, contact).await?;
    let found = customer_notes::page(&mut db, client, &customers, page).await?;
    let authors: Vec<UserId> = found.items.iter().map(|note| note.author).collect();
    let names = participants::agent_names(&mut db, client, &authors).await?;
    let view = |note: CustomerNote| CustomerNoteView { author: names.get(&note.author).cloned(), note };
    Ok(Page { items: found.items.into_iter().map(view).collect(), total: found.total })
}

/// Writes a note about the customer of a contact.
pub async fn write_note(
    admin: &Administration<'_>,
    client: ClientId,
    contact: ContactId,
    text: String,
    author: UserId,
) -> Result<CustomerNoteView, ContactError> {
    let mut tx = admin.db.begin().await?;
    let customer = find(&mut tx, client, contact).await?.customer;
    let note = CustomerNote { id: admin.mint(), author, text, created_at: admin.now() };
    customer_notes::insert(&mut tx, client, customer, &note).await?;
    let author = participants::agent_names(&mut tx, client, &[author]).await?.remove(&author);
    tx.commit().await?;
    Ok(CustomerNoteView { note, author })
}

/// A note to delete.
#[derive(Debug, Clone, Copy)]
pub struct NoteDeletion {
    pub contact: ContactId,
    pub note: NoteId,
    /// Only a note of this user. `None`: of any user.
    pub author: Option<UserId>,
}

pub async fn delete_note(
    admin: &Administration<'_>,
    client: ClientId,
    NoteDeletion { contact, note, author }: NoteDeletion,
    actor: Actor,
) -> Result<(), ContactError> {
    let mut tx = admin.db.begin().await?;
    let customers = customers(&mut tx, client, contact).await?;
    if !customer_notes::delete(&mut tx, client, &customers, note, author).await? {
        return Err(ContactError::Unknown);
    }
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("contactNote", &note)).await?;
    tx.commit().await?;
    Ok(())
}
