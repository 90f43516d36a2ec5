//! Import of contacts from CSV: a preview first, then the same with effects.

use base::audit::{Actor, Administration, AuditObject, audit};
use domain::{
    address::Address,
    contact_import::{ImportRow, ImportTable, RowFault},
    ids::{ClientId, ContactId, CustomerId},
};
use storage::{
    PgConnection,
    chat::search as chat_search,
    live_events::chat_updates,
    people::customers::{self, addresses},
    tenancy::{
        contact_merges,
        contact_tags::{self, TaggedContact},
        contacts,
    },
};
use uuid::Uuid;

use crate::contacts::{ContactError, phones, set_name};

/// Rows of one transaction.
const AT_ONCE: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportAction {
    Create,
    /// The contact exists, with another name or without one of the tags.
    Update,
    Unchanged,
}

#[derive(Debug, Clone)]
pub struct PlannedRow {
    pub row: ImportRow,
    pub action: ImportAction,
}

#[derive(Debug, Clone)]
pub struct ContactImport {
    pub rows: Vec<PlannedRow>,
    /// Rows that are not imported.
    pub faults: Vec<RowFault>,
    pub ignored: Vec<String>,
}

impl ContactImport {
    pub fn count(&self, action: ImportAction) -> usize {
        self.rows.iter().filter(|row| row.action == action).count()
    }
}

/// Returns the effect of an import, and changes nothing.
pub async fn preview(
    admin: &Administration<'_>,
    client: ClientId,
    table: ImportTable,
) -> Result<ContactImport, ContactError> {
    let mut db = admin.db.acquire().await?;
    let phones: Vec<Address> = table.rows.iter().map(|row| Address::from(row.phone.clone())).collect();
    let known = addresses::find(&mut db, client, &phones).await?;
    let customers: Vec<CustomerId> = known.values().copied().collect();
    let entries = contact_tags::of_customers(&mut db, client, &customers).await?;
    let entry = |row: &ImportRow| entries.get(known.get(&Address::from(row.phone.clone()))?);
    let planned = |row: ImportRow| PlannedRow { action: action(&row, entry(&row)), row };
    let rows = table.rows.into_iter().map(planned).collect();
    Ok(ContactImport { rows, faults: table.faults, ignored: table.ignored })
}

/// Creates and updates contacts. An existing one gets the name of the row, and its tags in addition.
pub async fn import(
    admin: &Administration<'_>,
    client: ClientId,
    table: ImportTable,
    actor: Actor,
) -> Result<ContactImport, ContactError> {
    let mut rows = Vec::with_capacity(table.rows.len());
    let import: Uuid = admin.mint();
    for page in table.rows.chunks(AT_ONCE) {
        let mut tx = admin.db.begin().await?;
        rows.extend(import_page(admin, &mut tx, client, page).await?);
        audit(admin, &mut tx, client, actor, "import", AuditObject::new("contacts", &import)).await?;
        tx.commit().await?;
    }
    Ok(ContactImport { rows, faults: table.faults, ignored: table.ignored })
}

async fn import_page(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    page: &[ImportRow],
) -> Result<Vec<PlannedRow>, ContactError> {
    let phones: Vec<Address> = page.iter().map(|row| Address::from(row.phone.clone())).collect();
    let found = people::resolve_many(db, client, admin.ids, &phones.iter().collect::<Vec<_>>(), admin.now()).await?;
    let mut entries = contact_tags::of_customers(db, client, &found).await?;
    let mut planned = Vec::with_capacity(page.len());
    let mut changed = Vec::new();
    for (row, customer) in page.iter().zip(found) {
        let action = action(row, entries.get(&customer));
        let entry = match entries.remove(&customer) {
            Some(entry) => entry,
            None => create(admin, db, client, customer, row.name.as_str()).await?,
        };
        let entry = update(db, client, entry, row).await?;
        if action != ImportAction::Unchanged {
            changed.push(entry.id);
        }
        // Two spellings of a number may be one customer, so the entries are kept up to date.
        entries.insert(customer, entry);
        planned.push(PlannedRow { row: row.clone(), action });
    }
    let customers = contact_merges::customers_of(db, client, &changed).await?;
    chat_updates::of_customers(db, client, &customers, (admin.mint(), admin.now())).await?;
    Ok(planned)
}

fn action(row: &ImportRow, entry: Option<&TaggedContact>) -> ImportAction {
    match entry {
        None => ImportAction::Create,
        Some(entry) if entry.name == row.name.as_str() && row.tags.iter().all(|tag| entry.tags.contains(tag)) => {
            ImportAction::Unchanged
        }
        Some(_) => ImportAction::Update,
    }
}

async fn create(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    customer: CustomerId,
    name: &str,
) -> Result<TaggedContact, ContactError> {
    let id: ContactId = admin.mint();
    let known = customers::find(db, client, customer).await?;
    let phones = phones(known.as_ref());
    let new = contacts::NewEntry { contact: id, customer, name, phones: &phones };
    contacts::insert(db, client, new, admin.now()).await?;
    chat_search::customer_changed(db, client, customer).await?;
    Ok(TaggedContact { id, name: name.to_owned(), tags: Vec::new() })
}

/// Gives an entry the name of the row, and its tags in addition.
async fn update(
    db: &mut PgConnection,
    client: ClientId,
    mut entry: TaggedContact,
    row: &ImportRow,
) -> Result<TaggedContact, ContactError> {
    let name = row.name.as_str();
    if entry.name != name {
        let known = contacts::get(db, client, entry.id).await?.ok_or(ContactError::Unknown)?;
        set_name(db, client, &known, name).await?;
        name.clone_into(&mut entry.name);
    }
    let new: Vec<String> = row.tags.iter().filter(|tag| !entry.tags.contains(tag)).cloned().collect();
    if !new.is_empty() {
        entry.tags.extend(new);
        contact_tags::set(db, client, entry.id, &entry.tags).await?;
    }
    Ok(entry)
}
