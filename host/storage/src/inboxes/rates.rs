use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};

use crate::{PgConnection, Result};

/// Sets the messages per second of a number; `None`: as configured. Returns true if its kind has a rate.
pub async fn set_rate(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    kind: InboxKind,
    per_second: Option<i32>,
) -> Result<bool> {
    let statement = match kind {
        InboxKind::WhatsappCloud => {
            "UPDATE whatsapp_cloud_inbox SET rate_per_second = $3 WHERE client_id = $1 AND id = $2"
        }
        // The owner of a Lite number sets its rate (SPEC 4.7). Other kinds have none.
        _ => return Ok(false),
    };
    let set = sqlx::query(statement).bind(client.0).bind(inbox.0).bind(per_second).execute(db).await?;
    Ok(set.rows_affected() == 1)
}
