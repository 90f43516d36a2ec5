//! What chats are found by: names and numbers of their customers, in any script and whatever the case. Three characters each
//! of it are in an index of its own ([`remember`]), which is written only when the words have changed. Many chats have the three
//! characters and not the words, so the words stand beside them: a chat's own row is looked at only if it has them.

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

/// A search shorter than this, in characters, has nothing to look up in the index.
pub const SHORTEST_INDEXED: usize = 3;

/// What a chat of this customer is found by: what the address book and it itself call it, and its phone numbers, folded
/// ([`fold`]), one a line.
pub fn words(customer: &Customer) -> String {
    let numbers = customer.addresses.iter().filter_map(|address| address.as_kind(AddressKind::Phone));
    let called = customer.contact_name.as_deref().into_iter().chain(customer.name.as_deref());
    let names = called.chain(customer.username.as_deref());
    let lines = names.chain(numbers).map(fold);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Writes what a chat is found by into the index. The words are in the chat's row as well, for lists that are walked
/// ([`super::common_words`]).
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

/// A customer has another name, in the address book too, or other addresses: its chats are found by those from now on.
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
