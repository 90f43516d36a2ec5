//! Who reads a stream, as what they may see depends on it.

use domain::{
    ids::{ClientId, TeamId, UserId},
    privacy::Sight,
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    tenancy::users::{Role, stored_role},
};

/// Whoever reads a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// What the user may do.
    pub role: Role,
    /// The team that it answers for.
    pub team: Option<TeamId>,
    /// How it sees customers.
    pub sight: Sight,
    /// SHA-256 of the key that it has.
    pub key_hash: Vec<u8>,
}

/// A user that reads; `None` when the user is gone, or has no key any more.
pub async fn find(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<Reader>> {
    let row: Option<(String, Option<Uuid>, bool, Vec<u8>)> = sqlx::query_as(
        "SELECT member.role, member.team_id, client.popia_compliant, key.key_hash
         FROM client_user member
         JOIN client ON client.id = $1
         JOIN api_key key ON key.client_id = $1 AND key.user_id = $2
         WHERE member.client_id = $1 AND member.id = $2 AND member.deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(|(role, team, popia_compliant, key_hash)| {
        let role = stored_role(&role)?;
        Ok(Reader { role, team: team.map(TeamId), sight: role.sight(popia_compliant), key_hash })
    })
    .transpose()
}
