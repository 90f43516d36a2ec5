use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone)]
pub struct InboundSms<'a> {
    pub id: Uuid,
    pub bind: &'a str,
    pub sender: &'a str,
    pub receiver: &'a str,
    pub body: &'a str,
}

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
