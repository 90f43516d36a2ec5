//! Readers of a stream, with the facts that decide which events they see.

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
    pub key_hash: Vec<u8>,
}

/// Returns a reader; `None` if the user is deleted, disabled or has no key.
pub async fn find(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<StreamReader>> {
    let row: Option<(String, Option<Uuid>, bool, Vec<u8>)> = sqlx::query_as(
        "SELECT member.role, member.team_id, client.popia_compliant, key.key_hash
         FROM client_user member
         JOIN client ON client.id = $1 AND client.disabled_at IS NULL
         JOIN api_key key ON key.client_id = $1 AND key.user_id = $2 AND key.disabled_at IS NULL
         WHERE member.client_id = $1 AND member.id = $2 AND member.deleted_at IS NULL AND member.disabled_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(|(role, team, popia_compliant, key_hash)| {
        let role = stored_role(&role)?;
        Ok(StreamReader { role, team: team.map(TeamId), sight: role.sight(popia_compliant), key_hash })
    })
    .transpose()
}
