//! Attributes that a client defines for its contacts, and their values (ADR 0071).

use std::collections::HashMap;

use base::audit::{Actor, Administration, AuditObject, audit};
use domain::{
    contact_attribute::{AttributeChanges, AttributeDefinition, AttributeName, MOST_ATTRIBUTES},
    ids::{ClientId, ContactId, CustomerId},
};
pub use storage::tenancy::contact_attributes::AttributeValues;
use storage::{
    Db, PgConnection,
    tenancy::{
        clients, contact_attributes,
        contacts::{self, Contact},
    },
};

use crate::contacts::ContactError;

/// Values of a deleted attribute that one transaction deletes.
const PAGE: u64 = 2_000;

const CHANGED: ContactError = ContactError::Conflict("another user changes the attributes of your contacts: try again");

/// The attributes of a client, by name.
pub async fn definitions(db: &Db, client: ClientId) -> base::Result<Vec<AttributeDefinition>> {
    Ok(contact_attributes::definitions(&mut *db.acquire().await?, client).await?)
}

/// Defines an attribute, or replaces the label and the choices of one. Returns true if it is new. The type of an
/// attribute never changes, because its values are of that type.
pub async fn define(
    admin: &Administration<'_>,
    client: ClientId,
    definition: &AttributeDefinition,
    actor: Actor,
) -> Result<bool, ContactError> {
    let mut tx = admin.db.begin().await?;
    clients::lock(&mut tx, client).await?;
    let known = contact_attributes::definitions(&mut tx, client).await?;
    let before = known.iter().find(|known| known.name == definition.name);
    match before {
        Some(before) if before.kind.as_str() != definition.kind.as_str() => {
            return Err(ContactError::Conflict(
                "the type of an attribute cannot change: delete the attribute with its values first, or take another name",
            ));
        }
        None if known.len() >= MOST_ATTRIBUTES => {
            return Err(ContactError::Conflict("a client can have 50 attributes at most: delete one first"));
        }
        _ => {}
    }
    let is_new = before.is_none();
    contact_attributes::save(&mut tx, client, definition).await?;
    let action = if is_new { "create" } else { "update" };
    audit(admin, &mut tx, client, actor, action, AuditObject::new("contactAttribute", definition.name.as_str()))
        .await?;
    tx.commit().await?;
    Ok(is_new)
}

/// Deletes an attribute with its values, page by page. If that was interrupted, the attribute is there, and the deletion
/// can be repeated.
pub async fn delete(
    admin: &Administration<'_>,
    client: ClientId,
    name: &AttributeName,
    actor: Actor,
) -> Result<(), ContactError> {
    loop {
        let mut tx = admin.db.begin().await?;
        let deleted = contact_attributes::delete_values(&mut tx, client, name, PAGE.cast_signed()).await?;
        tx.commit().await?;
        if deleted < PAGE {
            break;
        }
    }
    let mut tx = admin.db.begin().await?;
    if !contact_attributes::delete(&mut tx, client, name).await? {
        return Err(ContactError::Unknown);
    }
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("contactAttribute", name.as_str())).await?;
    tx.commit().await?;
    Ok(())
}

async fn find(db: &mut PgConnection, client: ClientId, contact: ContactId) -> Result<Contact, ContactError> {
    contacts::get(db, client, contact).await?.ok_or(ContactError::Unknown)
}

/// The values of a contact. The id of a merged contact finds the one in its place.
pub async fn values(db: &Db, client: ClientId, contact: ContactId) -> Result<AttributeValues, ContactError> {
    let mut db = db.acquire().await?;
    let customer = find(&mut db, client, contact).await?.customer;
    Ok(contact_attributes::of_customer(&mut db, client, customer).await?)
}

/// The values of many contacts, by their customers.
pub async fn of_contacts(
    db: &Db,
    client: ClientId,
    contacts: &[Contact],
) -> base::Result<HashMap<CustomerId, AttributeValues>> {
    if contacts.is_empty() {
        return Ok(HashMap::new());
    }
    let customers: Vec<CustomerId> = contacts.iter().map(|contact| contact.customer).collect();
    Ok(contact_attributes::of_customers(&mut *db.acquire().await?, client, &customers).await?)
}

/// Sets and removes values of a contact. Returns all its values.
pub async fn change(
    admin: &Administration<'_>,
    client: ClientId,
    contact: ContactId,
    changes: AttributeChanges,
    actor: Actor,
) -> Result<AttributeValues, ContactError> {
    let mut tx = admin.db.begin().await?;
    let contact = find(&mut tx, client, contact).await?;
    let known = contact_attributes::definitions(&mut tx, client).await?;
    let changes = changes.check(&known).map_err(ContactError::Faults)?;
    if !contact_attributes::change(&mut tx, client, contact.customer, &changes, admin.now()).await? {
        return Err(CHANGED);
    }
    if !changes.is_empty() {
        audit(admin, &mut tx, client, actor, "update", AuditObject::new("contact", &contact.id)).await?;
    }
    let values = contact_attributes::of_customer(&mut tx, client, contact.customer).await?;
    tx.commit().await?;
    Ok(values)
}
