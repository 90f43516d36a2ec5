//! Merges contacts by hand, and undoes it (ADR 0067). No customer changes: both keep their addresses, chats and notes.

use base::audit::{Actor, Administration, AuditObject, audit};
use domain::{
    body::FieldFault,
    ids::{ClientId, ContactId, UserId},
    page::{Page, PageRequest},
};
use storage::{
    Db, PgConnection,
    chat::{participants, search as chat_search},
    live_events::chat_updates,
    tenancy::{
        contact_merges::{self, ContactMerge, ListedMerge},
        contact_tags,
        contacts::{self, Contact},
    },
};

use crate::contacts::ContactError;

/// Most customers of one contact.
const MOST_CUSTOMERS: usize = 20;

const CHANGED: ContactError = ContactError::Conflict("another user changes one of the contacts: try again");

/// A merge, with the name of the user.
#[derive(Debug, Clone)]
pub struct ContactMergeView {
    pub listed: ListedMerge,
    pub user: Option<String>,
}

/// Two contacts: the one that stays, and the one that is merged into it.
#[derive(Debug, Clone, Copy)]
pub struct ContactPair {
    pub kept: ContactId,
    pub second: ContactId,
}

/// Merges `second` into `kept`. Lists show `kept` in its place, with the tags, notes and chats of both.
pub async fn merge(
    admin: &Administration<'_>,
    client: ClientId,
    contacts: ContactPair,
    by: UserId,
) -> Result<ContactMergeView, ContactError> {
    let mut tx = admin.db.begin().await?;
    let (kept, second) = lock_both(&mut tx, client, contacts).await?;
    let followers = contact_merges::customers(&mut tx, client, second.id).await?;
    let mut customers = contact_merges::customers(&mut tx, client, kept.id).await?;
    if customers.len() + followers.len() > MOST_CUSTOMERS {
        return Err(ContactError::Conflict("a contact can have 20 customers at most"));
    }
    let tags_added = add_tags(&mut tx, client, kept.id, second.id).await?;
    let merge = ContactMerge {
        id: admin.mint(),
        contact: second.id,
        kept: kept.id,
        customer: second.customer,
        tags_added,
        followers: contact_merges::give_all(&mut tx, client, second.id, kept.id).await?,
        by,
        created_at: admin.now(),
    };
    contact_merges::insert(&mut tx, client, &merge).await?;
    for customer in &followers {
        chat_search::customer_changed(&mut tx, client, *customer).await?;
    }
    customers.extend(followers);
    chat_updates::of_customers(&mut tx, client, &customers, (admin.mint(), admin.now())).await?;
    audit(admin, &mut tx, client, Actor::User(by), "merge", AuditObject::new("contact", &pair(&merge))).await?;
    let user = participants::agent_names(&mut tx, client, &[by]).await?.remove(&by);
    tx.commit().await?;
    Ok(ContactMergeView { listed: ListedMerge { merge, name: second.full_name, phone: second.phone }, user })
}

/// Undoes the merge of `second` into `kept`: the contacts are as before, with later changes of their own.
pub async fn undo(
    admin: &Administration<'_>,
    client: ClientId,
    ContactPair { kept, second }: ContactPair,
    actor: Actor,
) -> Result<(), ContactError> {
    let mut tx = admin.db.begin().await?;
    let shown = contacts::get(&mut tx, client, kept).await?.ok_or(ContactError::Unknown)?.id;
    contact_merges::lock_contacts(&mut tx, client, &[shown, second]).await?;
    let merge = contact_merges::find(&mut tx, client, second).await?.filter(|merge| merge.kept == shown);
    let merge = merge.ok_or(ContactError::Unknown)?;
    if contact_merges::newest(&mut tx, client, shown).await? != Some(second) {
        return Err(ContactError::Conflict("another contact was merged into this one later: undo that merge first"));
    }
    let mut tags = contact_tags::get(&mut tx, client, shown).await?.unwrap_or_default();
    tags.retain(|tag| !merge.tags_added.contains(tag));
    contact_tags::set(&mut tx, client, shown, &tags).await?;
    contact_merges::remove(&mut tx, client, second).await?;
    contact_merges::give(&mut tx, client, &merge.followers, (shown, second)).await?;
    let mut customers = contact_merges::customers(&mut tx, client, second).await?;
    for customer in &customers {
        chat_search::customer_changed(&mut tx, client, *customer).await?;
    }
    customers.extend(contact_merges::customers(&mut tx, client, shown).await?);
    chat_updates::of_customers(&mut tx, client, &customers, (admin.mint(), admin.now())).await?;
    audit(admin, &mut tx, client, actor, "unmerge", AuditObject::new("contact", &pair(&merge))).await?;
    tx.commit().await?;
    Ok(())
}

/// The merges into a contact, newest first.
pub async fn list(
    db: &Db,
    client: ClientId,
    contact: ContactId,
    page: PageRequest,
) -> Result<Page<ContactMergeView>, ContactError> {
    let mut db = db.acquire().await?;
    let shown = contacts::get(&mut db, client, contact).await?.ok_or(ContactError::Unknown)?.id;
    let (found, total) = contact_merges::page(&mut db, client, shown, page).await?;
    let users: Vec<UserId> = found.iter().map(|listed| listed.merge.by).collect();
    let names = participants::agent_names(&mut db, client, &users).await?;
    let view = |listed: ListedMerge| ContactMergeView { user: names.get(&listed.merge.by).cloned(), listed };
    Ok(Page::of(found.into_iter().map(view).collect(), total))
}

fn pair(merge: &ContactMerge) -> String {
    format!("{}/{}", merge.kept, merge.contact)
}

/// Finds and locks two contacts that are shown. The id of a merged contact finds the one in its place.
async fn lock_both(
    db: &mut PgConnection,
    client: ClientId,
    ContactPair { kept, second }: ContactPair,
) -> Result<(Contact, Contact), ContactError> {
    let fault = |said: &str| ContactError::Fault(FieldFault::new("contactId", said));
    let first = contacts::get(db, client, kept).await?.ok_or(ContactError::Unknown)?;
    if kept == second {
        return Err(fault("is the contact itself"));
    }
    let other = contacts::get(db, client, second).await?;
    let other = other.ok_or_else(|| fault("is not the id of one of your contacts"))?;
    if first.id == other.id {
        return Err(ContactError::Conflict("the two contacts are merged already"));
    }
    contact_merges::lock_contacts(db, client, &[first.id, other.id]).await?;
    let kept = contacts::get(db, client, first.id).await?.filter(|now| now.id == first.id).ok_or(CHANGED)?;
    let second = contacts::get(db, client, other.id).await?.filter(|now| now.id == other.id).ok_or(CHANGED)?;
    Ok((kept, second))
}

/// Gives the tags of `second` to `kept`. Returns the new ones.
async fn add_tags(
    db: &mut PgConnection,
    client: ClientId,
    kept: ContactId,
    second: ContactId,
) -> Result<Vec<String>, ContactError> {
    let mut tags = contact_tags::get(db, client, kept).await?.unwrap_or_default();
    let folded: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
    let mut added = contact_tags::get(db, client, second).await?.unwrap_or_default();
    added.retain(|tag| !folded.contains(&tag.to_lowercase()));
    tags.extend(added.iter().cloned());
    contact_tags::set(db, client, kept, &tags).await?;
    Ok(added)
}
