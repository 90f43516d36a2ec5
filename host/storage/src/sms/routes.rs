use domain::{
    ids::{ClientId, MessageId},
    sms_route::SmsRoute,
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values};

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct RouteFacts {
    pub id: Uuid,
    pub client_ref: String,
    /// Its product; `None`: not of a gateway.
    pub product: Option<String>,
    /// True if its text is to be forgotten, so no recording may keep it.
    pub forgets: bool,
}

pub async fn background(db: &mut PgConnection, client: ClientId, messages: &[MessageId]) -> Result<Vec<RouteFacts>> {
    let rows = sqlx::query_as(
        "SELECT given.id, client.client_ref, request.product, COALESCE(request.forgets, false) AS forgets
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (SELECT client_ref FROM client one WHERE one.id = given.client_id OFFSET 0) client
         LEFT JOIN LATERAL (
             SELECT request_id FROM sms_message one
             WHERE one.client_id = given.client_id AND one.id = given.id OFFSET 0) sms ON true
         LEFT JOIN LATERAL (
             SELECT product, forgets FROM sms_request one
             WHERE one.client_id = given.client_id AND one.id = sms.request_id OFFSET 0) request ON true",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub async fn keep(db: &mut PgConnection, client: ClientId, routes: &[(MessageId, i16, &SmsRoute)]) -> Result<()> {
    if routes.is_empty() {
        return Ok(());
    }
    let written =
        routes.iter().map(|(_, _, route)| column_values::write_text(route)).collect::<Result<Vec<String>>>()?;
    sqlx::query(
        "UPDATE outbound_leg leg SET sms_route = given.route::jsonb
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::uuid[], $3::smallint[], $4::text[]) AS leg (message_id, ordinal, route) OFFSET 0) given
         WHERE leg.client_id = given.client_id AND leg.message_id = given.message_id AND leg.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(routes.iter().map(|(message, _, _)| message.0).collect::<Vec<_>>())
    .bind(routes.iter().map(|(_, ordinal, _)| *ordinal).collect::<Vec<_>>())
    .bind(written)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes the texts that routers gave to messages. Used after the texts of the messages are removed.
pub async fn forget_texts(db: &mut PgConnection, client: ClientId, messages: &[MessageId]) -> Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE outbound_leg leg SET sms_route = leg.sms_route #- '{value,text}'
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[]) AS id OFFSET 0) given
         WHERE leg.client_id = given.client_id AND leg.message_id = given.id AND leg.sms_route IS NOT NULL",
    )
    .bind(client.0)
    .bind(messages.iter().map(|message| message.0).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

pub async fn keep_incoming(db: &mut PgConnection, sms: Uuid, route: &SmsRoute) -> Result<()> {
    sqlx::query("UPDATE sms_inbound SET sms_route = $2 WHERE id = $1")
        .bind(sms)
        .bind(column_values::write(route))
        .execute(db)
        .await?;
    Ok(())
}
