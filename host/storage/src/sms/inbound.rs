//! Text messages that subscribers sent to us.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// An SMS from a subscriber.
#[derive(Debug, Clone)]
pub struct InboundSms<'a> {
    /// Its id.
    pub id: Uuid,
    /// The bind it came over.
    pub bind: &'a str,
    /// Subscriber.
    pub sender: &'a str,
    /// Our number or short code.
    pub receiver: &'a str,
    /// What it says.
    pub body: &'a str,
}

/// Stores an SMS from a subscriber.
pub async fn insert(db: &mut PgConnection, sms: &InboundSms<'_>, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO sms_inbound (id, bind, sender, receiver, body, received_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(sms.id)
    .bind(sms.bind)
    .bind(sms.sender)
    .bind(sms.receiver)
    .bind(sms.body)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}
