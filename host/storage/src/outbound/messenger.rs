//! Additional facts for Messenger (ADR 0028): unread messages, because reports of Messenger name a moment and no
//! messages, and the facts of its 24-hour window.

use chrono::{DateTime, Utc};
use domain::{
    delivery::DeliveryState,
    ids::{ChatMessageId, ClientId, InboxId, MessageId},
};
use uuid::Uuid;

use super::keys::LegKeys;
use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone, Copy)]
pub struct LegStart<'a> {
    pub message: MessageId,
    pub ordinal: i16,
    pub psid: &'a str,
    pub in_doubt: bool,
}

/// Records legs whose calls begin now. If an earlier call may have reached the provider, its moment stays.
pub async fn note(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    legs: &[LegStart<'_>],
    now: DateTime<Utc>,
) -> Result<()> {
    let keys: LegKeys = legs.iter().map(|leg| (leg.message, leg.ordinal)).collect();
    sqlx::query(
        "INSERT INTO messenger_unread AS noted (client_id, inbox_id, psid, message_id, ordinal, marked_at, in_doubt)
         SELECT $1, $2, psid, message_id, ordinal, date_trunc('milliseconds', $7::timestamptz), in_doubt
         FROM unnest($3::uuid[], $4::smallint[], $5::text[], $6::boolean[]) AS leg (message_id, ordinal, psid, in_doubt)
         ON CONFLICT (client_id, inbox_id, psid, message_id, ordinal) DO UPDATE
         SET marked_at = excluded.marked_at WHERE NOT excluded.in_doubt",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(legs.iter().map(|leg| leg.psid).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.in_doubt).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadMessage {
    pub message: MessageId,
    pub ordinal: i16,
    /// Its state; `None` if the message was removed.
    pub state: Option<DeliveryState>,
}

/// Returns the unread messages of a customer whose calls began at or before `until`, oldest first.
pub async fn unread(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    psid: &str,
    until: DateTime<Utc>,
) -> Result<Vec<UnreadMessage>> {
    let rows: Vec<(Uuid, i16, Option<String>)> = sqlx::query_as(
        "SELECT noted.message_id, noted.ordinal, leg.state
         FROM messenger_unread noted
         LEFT JOIN LATERAL (
             SELECT * FROM outbound_leg one
             WHERE one.client_id = noted.client_id AND one.message_id = noted.message_id AND one.ordinal = noted.ordinal
             OFFSET 0) leg ON true
         WHERE noted.client_id = $1 AND noted.inbox_id = $2 AND noted.psid = $3 AND noted.marked_at <= $4
         ORDER BY noted.message_id, noted.ordinal",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(psid)
    .bind(until)
    .fetch_all(db)
    .await?;
    let unread = |(message, ordinal, state): (Uuid, i16, Option<String>)| {
        let state =
            state.map(|state| read_value("outbound_leg", "state", &state, |state| state.parse().ok())).transpose()?;
        Ok(UnreadMessage { message: MessageId(message), ordinal, state })
    };
    rows.into_iter().map(unread).collect()
}

pub async fn forget(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    psid: &str,
    legs: &[(MessageId, i16)],
) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "DELETE FROM messenger_unread noted
         USING (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, $3::text AS psid, *
                FROM unnest($4::uuid[], $5::smallint[]) AS leg (message_id, ordinal) OFFSET 0) given
         WHERE noted.client_id = given.client_id AND noted.inbox_id = given.inbox_id AND noted.psid = given.psid
           AND noted.message_id = given.message_id AND noted.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(psid)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessengerWindow {
    /// Author as the chat shows it: `BOT` or the name of an agent. `None` outside chats.
    pub owner: Option<String>,
    pub wrote_at: Option<DateTime<Utc>>,
}

/// Returns the facts of messages in the order of the question: chat message and recipient of each.
pub async fn standing(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    messages: &[(Option<ChatMessageId>, &str)],
) -> Result<Vec<MessengerWindow>> {
    let rows: Vec<(Option<String>, Option<DateTime<Utc>>)> = sqlx::query_as(
        "SELECT chat.owner, customer.last_inbound_at
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS inbox_id, *
               FROM unnest($3::uuid[], $4::text[]) WITH ORDINALITY AS one (chat_message_id, psid, place) OFFSET 0) given
         LEFT JOIN LATERAL (
             SELECT * FROM chat_message one
             WHERE one.client_id = given.client_id AND one.id = given.chat_message_id OFFSET 0) chat ON true
         LEFT JOIN LATERAL (
             SELECT * FROM customer_address one
             WHERE one.client_id = given.client_id AND one.kind = 'PSID' AND one.value = given.psid OFFSET 0) address ON true
         LEFT JOIN LATERAL (
             SELECT * FROM inbox_customer one
             WHERE one.client_id = given.client_id AND one.inbox_id = given.inbox_id
               AND one.customer_id = address.customer_id OFFSET 0) customer ON true
         ORDER BY given.place",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(messages.iter().map(|(chat, _)| chat.map(|chat| chat.0)).collect::<Vec<_>>())
    .bind(messages.iter().map(|(_, psid)| *psid).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(owner, wrote_at)| MessengerWindow { owner, wrote_at }).collect())
}
