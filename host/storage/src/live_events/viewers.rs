//! Readers of a stream, with the facts that decide which events they see.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, TeamId, UserId},
    privacy::CustomerVisibility,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    tenancy::users::{Role, stored_role},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamReader {
    pub role: Role,
    pub team: Option<TeamId>,
    pub sight: CustomerVisibility,
    /// Of a session key, the last recorded use.
    pub session_used_at: Option<DateTime<Utc>>,
}

/// Role, team, whether the client masks personal data, and the last recorded use of a session key.
type ReaderRow = (String, Option<Uuid>, bool, Option<DateTime<Utc>>);

/// Returns a reader; `None` if the user is deleted or disabled, or no longer has this key.
pub async fn find(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    key_hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<StreamReader>> {
    let row: Option<ReaderRow> = sqlx::query_as(
        "SELECT member.role, member.team_id, client.popia_compliant, key.used_at
         FROM client_user member
         JOIN client ON client.id = $1 AND client.disabled_at IS NULL
         JOIN (SELECT client_id, user_id, NULL::timestamptz AS used_at
               FROM api_key WHERE key_hash = $3 AND disabled_at IS NULL
               UNION ALL
               SELECT client_id, user_id, used_at FROM session_key WHERE key_hash = $3 AND expires_at > $4) key
              ON key.client_id = $1 AND key.user_id = $2
         WHERE member.client_id = $1 AND member.id = $2 AND member.deleted_at IS NULL AND member.disabled_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(key_hash)
    .bind(now)
    .fetch_optional(db)
    .await?;
    row.map(|(role, team, popia_compliant, session_used_at)| {
        let role = stored_role(&role)?;
        Ok(StreamReader { role, team: team.map(TeamId), sight: role.sight(popia_compliant), session_used_at })
    })
    .transpose()
}
