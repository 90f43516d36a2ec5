//! The parts of SMS legs that an SMSC has taken, and how far each has come.

use std::collections::HashMap;

use domain::{
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    sms_products::FinalReceipt,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{Result, stored::known};

/// One part of an SMS leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SmsPart {
    /// The message.
    pub message: MessageId,
    /// Which leg of it.
    pub ordinal: i16,
    /// Which part of that leg.
    pub part: i16,
}

/// The parts of legs (`legs` = message and ordinal) that the SMSC has taken, those of a leg in their order. A leg of which it has
/// none is absent.
pub async fn submitted(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
) -> Result<HashMap<(MessageId, i16), Vec<i16>>> {
    if legs.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, i16, i16)> = sqlx::query_as(
        "SELECT part.message_id, part.ordinal, part.part
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS one (message_id, ordinal)
               OFFSET 0) leg
         JOIN sms_part part ON part.client_id = leg.client_id AND part.message_id = leg.message_id
             AND part.ordinal = leg.ordinal
         ORDER BY part.part",
    )
    .bind(client.0)
    .bind(legs.iter().map(|(message, _)| message.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let mut taken: HashMap<(MessageId, i16), Vec<i16>> = HashMap::new();
    for (message, ordinal, part) in rows {
        taken.entry((MessageId(message), ordinal)).or_default().push(part);
    }
    Ok(taken)
}

/// Writes what a receipt said of a part, and in which words of the SMSC; a final state stays.
pub async fn set_state(
    db: &mut PgConnection,
    client: ClientId,
    part: SmsPart,
    state: DeliveryState,
    receipt: Option<FinalReceipt>,
) -> Result<()> {
    sqlx::query(
        "UPDATE sms_part SET state = $5, receipt = $6 WHERE client_id = $1 AND message_id = $2 AND ordinal = $3 AND part = $4
         AND state NOT IN ('DELIVERED', 'FAILED')",
    )
    .bind(client.0)
    .bind(part.message.0)
    .bind(part.ordinal)
    .bind(part.part)
    .bind(state.as_str())
    .bind(receipt.map(FinalReceipt::as_str))
    .execute(db)
    .await?;
    Ok(())
}

/// The states of all parts of a leg that the SMSC has taken.
pub async fn states(
    db: &mut PgConnection,
    client: ClientId,
    (message, ordinal): (MessageId, i16),
) -> Result<Vec<DeliveryState>> {
    let states: Vec<String> =
        sqlx::query_scalar("SELECT state FROM sms_part WHERE client_id = $1 AND message_id = $2 AND ordinal = $3")
            .bind(client.0)
            .bind(message.0)
            .bind(ordinal)
            .fetch_all(db)
            .await?;
    states.iter().map(|state| known("sms_part", "state", state, |state| state.parse().ok())).collect()
}
