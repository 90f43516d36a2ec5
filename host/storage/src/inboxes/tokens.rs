use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};

use crate::{PgConnection, Result};

/// Replaces the access token of an inbox; `false` if there is no inbox of this kind with a token.
pub async fn renew_token(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    kind: InboxKind,
    sealed: &[u8],
) -> Result<bool> {
    let statement = match kind {
        InboxKind::WhatsappCloud => {
            "UPDATE whatsapp_cloud_inbox SET access_token_sealed = $3 WHERE client_id = $1 AND id = $2"
        }
        InboxKind::Messenger => "UPDATE messenger_inbox SET access_token_sealed = $3 WHERE client_id = $1 AND id = $2",
        InboxKind::WhatsappLite | InboxKind::Web | InboxKind::Sms => return Ok(false),
        // All other kinds are accounts.
        _ => "UPDATE account_inbox SET access_token_sealed = $3 WHERE client_id = $1 AND id = $2",
    };
    let renewed = sqlx::query(statement).bind(client.0).bind(inbox.0).bind(sealed).execute(db).await?;
    Ok(renewed.rows_affected() == 1)
}
