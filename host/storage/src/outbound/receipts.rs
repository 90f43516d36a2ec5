//! Every step that a leg made, once.

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// One step.
#[derive(Debug, Clone)]
pub struct NewReceipt {
    /// UUIDv7 of the moment it was stored.
    pub id: Uuid,
    /// The message.
    pub message: MessageId,
    /// Channel of the leg.
    pub channel: Channel,
    /// The state reached.
    pub state: DeliveryState,
    /// When, by the provider.
    pub happened_at: DateTime<Utc>,
    /// Code and text of a failure.
    pub error: Option<(String, String)>,
}

/// Stores steps, in one statement.
pub async fn insert(db: &mut PgConnection, client: ClientId, receipts: &[NewReceipt]) -> Result<()> {
    sqlx::query(
        "INSERT INTO delivery_receipt (client_id, id, message_id, channel, state, happened_at, error_code, error_text)
         SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])",
    )
    .bind(client.0)
    .bind(receipts.iter().map(|receipt| receipt.id).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.message.0).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.channel.as_str()).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.state.as_str()).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.happened_at).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.error.as_ref().map(|error| error.0.as_str())).collect::<Vec<_>>())
    .bind(receipts.iter().map(|receipt| receipt.error.as_ref().map(|error| error.1.as_str())).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}
