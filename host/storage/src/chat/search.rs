//! Search text of chats: names and numbers of customers. The text and its trigrams are in an index table
//! ([`remember`]), written only on change, with the words to check hits.

use domain::{
    address::AddressKind,
    ids::{ClientId, CustomerId, ParticipantId},
    search::fold,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    people::customers::{self, Customer},
};

/// A search with fewer characters cannot use the index.
pub const SHORTEST_INDEXED: usize = 3;

/// Names in the address book and of the customer, and phone numbers, folded ([`fold`]), one per line.
pub fn words(customer: &Customer) -> String {
    let numbers = customer.addresses.iter().filter_map(|address| address.as_kind(AddressKind::Phone));
    let called = customer.contact_name.as_deref().into_iter().chain(customer.name.as_deref());
    let names = called.chain(customer.username.as_deref());
    let lines = names.chain(numbers).map(fold);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The chat's row has the text too, for lists that are read in order ([`super::common_words`]).
pub async fn remember(db: &mut PgConnection, client: ClientId, participant: ParticipantId, words: &str) -> Result<()> {
    sqlx::query(
        "INSERT INTO participant_search (client_id, participant_id, grams, words) VALUES ($1, $2, chat_grams($1, $3), $3)
         ON CONFLICT (client_id, participant_id) DO UPDATE SET grams = excluded.grams, words = excluded.words",
    )
    .bind(client.0)
    .bind(participant.0)
    .bind(words)
    .execute(db)
    .await?;
    Ok(())
}

/// Updates the search text of a customer's chats after a change of name, address book or addresses.
pub async fn customer_changed(db: &mut PgConnection, client: ClientId, customer: CustomerId) -> Result<()> {
    let Some(customer) = customers::find(db, client, customer).await? else { return Ok(()) };
    let words = words(&customer);
    let chats: Vec<Uuid> = sqlx::query_scalar(
        "UPDATE participant SET found_by = $3
         WHERE client_id = $1 AND customer_id = $2 AND merged_into IS NULL AND found_by <> $3 RETURNING id",
    )
    .bind(client.0)
    .bind(customer.id.0)
    .bind(&words)
    .fetch_all(&mut *db)
    .await?;
    for chat in chats {
        remember(db, client, ParticipantId(chat), &words).await?;
    }
    Ok(())
}
