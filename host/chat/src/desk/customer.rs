use domain::{chat::ChatScope, ids::ParticipantId, page::PageRequest};
pub use storage::tenancy::{contact_attributes::AttributeValues, contact_tags::TaggedContact};
use storage::{
    Db,
    chat::{
        lists::{self, ChatList, ListSearch},
        participants,
    },
    tenancy::{contact_attributes, contact_merges, contact_tags},
};

use super::{ActingUser, ChatView, DeskError, view};

/// Chats of one customer that are shown.
const MOST: u32 = 50;

/// The customer of a chat, as the desk shows it next to the chat.
#[derive(Debug, Clone)]
pub struct CustomerPanel {
    /// `None`: the customer has no contact.
    pub contact: Option<TaggedContact>,
    /// A customer without a contact can have some: a chatbot set them.
    pub attributes: AttributeValues,
    /// All chats of the customer and of those whose contacts are merged with its own, the newest message first.
    pub chats: Vec<ChatView>,
}

pub async fn customer(db: &Db, acting: ActingUser, chat: ParticipantId) -> Result<CustomerPanel, DeskError> {
    let mut db = db.acquire().await?;
    let client = acting.client;
    let chat = participants::find(&mut db, client, chat).await?.ok_or(DeskError::NotFound)?;
    let contact = contact_tags::of_customers(&mut db, client, &[chat.customer]).await?.remove(&chat.customer);
    let attributes = contact_attributes::of_customer(&mut db, client, chat.customer).await?;
    let of_customer = match &contact {
        Some(contact) => ListSearch::Customers(contact_merges::customers(&mut db, client, contact.id).await?),
        None => ListSearch::Customer(chat.customer),
    };
    let page = PageRequest::first(MOST);
    let all = ChatList { scope: ChatScope::All, caller: acting.user };
    let found = lists::page(&mut db, client, all, &of_customer, page).await?;
    Ok(CustomerPanel { contact, attributes, chats: view::of(&mut db, client, found.items).await? })
}
