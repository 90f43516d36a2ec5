//! The address book of a client (SPEC 2.10, 4.4).

use domain::{
    address::{Address, AddressKind},
    body::{Faults, FieldFault},
    contact::{ContactName, NewContact},
    ids::{ClientId, ContactId, CustomerId},
    page::{Page, PageRequest},
    privacy::{CustomerVisibility, MaskedSearch},
    search::SearchText,
};
use storage::{
    Db, PgConnection,
    chat::search as chat_search,
    live_events::chat_updates,
    people::customers::{self, Customer},
    tenancy::{
        contact_merges,
        contacts::{self, CUSTOMER_UNIQUE, MaskedContactSearch},
    },
    violates,
};

pub use storage::tenancy::contacts::Contact;

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};

#[derive(Debug, thiserror::Error)]
pub enum ContactError {
    #[error("there is no such contact")]
    Unknown,
    #[error("the customer with this number has a contact already: rename that one")]
    Taken,
    #[error("{0}")]
    Fault(FieldFault),
    #[error("{} fields are wrong", .0.count())]
    Faults(Faults),
    /// Not possible in the present state of the contacts.
    #[error("{0}")]
    Conflict(&'static str),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for ContactError {
    fn from(error: storage::Error) -> Self {
        if violates(&error, CUSTOMER_UNIQUE) { Self::Taken } else { Self::Failed(error.into()) }
    }
}

/// Adds a customer to the address book. All chats of the customer, old ones too, show the name and are found by it.
pub async fn create(
    admin: &Administration<'_>,
    client: ClientId,
    new: NewContact,
    actor: Actor,
) -> Result<Contact, ContactError> {
    let mut tx = admin.db.begin().await?;
    let address = Address::from(new.phone.clone());
    let found = people::resolve_many(&mut tx, client, admin.ids, &[&address], admin.now()).await?;
    let customer = found.first().copied().ok_or(ContactError::Unknown)?;
    let id: ContactId = admin.mint();
    let known = customers::find(&mut tx, client, customer).await?;
    let phones = phones(known.as_ref());
    let entry = contacts::NewEntry { contact: id, customer, name: new.name.as_str(), phones: &phones };
    contacts::insert(&mut tx, client, entry, admin.now()).await?;
    chat_search::customer_changed(&mut tx, client, customer).await?;
    chat_updates::of_customers(&mut tx, client, &[customer], (admin.mint(), admin.now())).await?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("contact", &id)).await?;
    let made = contacts::get(&mut tx, client, id).await?.ok_or(ContactError::Unknown)?;
    tx.commit().await?;
    Ok(made)
}

pub(crate) fn phones(customer: Option<&Customer>) -> Vec<&str> {
    let addresses = customer.into_iter().flat_map(|customer| customer.addresses.iter());
    addresses.filter_map(|address| address.as_kind(AddressKind::Phone)).collect()
}

pub async fn rename(
    admin: &Administration<'_>,
    client: ClientId,
    contact: ContactId,
    name: &ContactName,
    actor: Actor,
) -> Result<Contact, ContactError> {
    let mut tx = admin.db.begin().await?;
    let found = contacts::get(&mut tx, client, contact).await?.ok_or(ContactError::Unknown)?;
    let customers = set_name(&mut tx, client, &found, name.as_str()).await?;
    chat_updates::of_customers(&mut tx, client, &customers, (admin.mint(), admin.now())).await?;
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("contact", &found.id)).await?;
    let renamed = contacts::get(&mut tx, client, found.id).await?.ok_or(ContactError::Unknown)?;
    tx.commit().await?;
    Ok(renamed)
}

/// Renames a contact. The chats of all its customers, which are returned, show the name and are found by it.
pub(crate) async fn set_name(
    db: &mut PgConnection,
    client: ClientId,
    contact: &Contact,
    name: &str,
) -> Result<Vec<CustomerId>, ContactError> {
    let customer = customers::find(db, client, contact.customer).await?;
    if !contacts::rename(db, client, contact.id, name, &phones(customer.as_ref())).await? {
        return Err(ContactError::Unknown);
    }
    let named = contact_merges::customers(db, client, contact.id).await?;
    for customer in &named {
        chat_search::customer_changed(db, client, *customer).await?;
    }
    Ok(named)
}

/// Removes a contact, and those that are merged into it. The customers and their chats stay.
pub async fn delete(
    admin: &Administration<'_>,
    client: ClientId,
    contact: ContactId,
    actor: Actor,
) -> Result<(), ContactError> {
    let mut tx = admin.db.begin().await?;
    let found = contacts::get(&mut tx, client, contact).await?.ok_or(ContactError::Unknown)?;
    let customers = contact_merges::customers(&mut tx, client, found.id).await?;
    if !contacts::delete(&mut tx, client, found.id).await? {
        return Err(ContactError::Unknown);
    }
    for customer in &customers {
        chat_search::customer_changed(&mut tx, client, *customer).await?;
    }
    chat_updates::of_customers(&mut tx, client, &customers, (admin.mint(), admin.now())).await?;
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("contact", &found.id)).await?;
    tx.commit().await?;
    Ok(())
}

/// The contacts whose name or number contains `searched` (blank = all), sorted by name. Separators in numbers are
/// ignored, and so are case, accents and script of names. For a role that sees masked customers, search and order use
/// only the visible parts.
pub async fn list(
    db: &Db,
    client: ClientId,
    sight: CustomerVisibility,
    searched: &str,
    page: PageRequest,
) -> base::Result<Page<Contact>> {
    let mut db = db.acquire().await?;
    let (items, total) = match sight {
        CustomerVisibility::Whole => match SearchText::parse(searched) {
            None => contacts::page(&mut db, client, page).await?,
            Some(sought) => {
                let digits = sought.digits.as_deref().unwrap_or_default();
                contacts::search(&mut db, client, &sought.words, digits, page).await?
            }
        },
        CustomerVisibility::Masked => {
            let sought = MaskedSearch::parse(searched);
            let glimpse = match &sought {
                None => MaskedContactSearch::default(),
                Some(MaskedSearch::Initial(letter)) => MaskedContactSearch { initial: Some(letter), ending: None },
                Some(MaskedSearch::Ending(digits)) => MaskedContactSearch { initial: None, ending: Some(digits) },
                Some(MaskedSearch::Nothing) => return Ok(Page { items: Vec::new(), total: 0 }),
            };
            contacts::page_masked(&mut db, client, glimpse, page).await?
        }
    };
    Ok(Page::of(items, total))
}
