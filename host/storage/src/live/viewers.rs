//! Who reads a stream, as what they may see depends on it.

use domain::{
    ids::{ClientId, TeamId, UserId},
    privacy::Sight,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Result,
    tenancy::users::{Role, stored_role},
};

/// Whoever reads a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// What the user may do.
    pub role: Role,
    /// The team that it answers for.
    pub team: Option<TeamId>,
    /// How it sees customers.
    pub sight: Sight,
}

/// A user that reads; `None` when the user is gone, or has no key any more.
pub async fn find(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<Reader>> {
    let row: Option<(String, Option<Uuid>, bool)> = sqlx::query_as(
        "SELECT member.role, member.team_id, client.popia_compliant
         FROM client_user member JOIN client ON client.id = $1
         WHERE member.client_id = $1 AND member.id = $2 AND member.deleted_at IS NULL
           AND EXISTS (SELECT 1 FROM api_key WHERE client_id = $1 AND user_id = $2)",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(|(role, team, popia_compliant)| {
        let role = stored_role(&role)?;
        Ok(Reader { role, team: team.map(TeamId), sight: role.sight(popia_compliant) })
    })
    .transpose()
}
