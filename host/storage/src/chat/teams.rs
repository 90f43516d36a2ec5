//! Teams for chats. `storage::tenancy` manages them.

use domain::{
    chat::ChatTeam,
    ids::{ClientId, TeamId, UserId},
};
use uuid::Uuid;

use crate::{PgConnection, Result};

fn team((id, name): (Uuid, String)) -> ChatTeam {
    ChatTeam { id: TeamId(id), name }
}

pub async fn by_id(db: &mut PgConnection, client: ClientId, id: TeamId) -> Result<Option<ChatTeam>> {
    let row: Option<(Uuid, String)> = sqlx::query_as("SELECT id, name FROM team WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .fetch_optional(db)
        .await?;
    Ok(row.map(team))
}

pub async fn by_name(db: &mut PgConnection, client: ClientId, name: &str) -> Result<Option<ChatTeam>> {
    let row: Option<(Uuid, String)> =
        sqlx::query_as("SELECT id, name FROM team WHERE client_id = $1 AND lower(name) = lower(btrim($2))")
            .bind(client.0)
            .bind(name)
            .fetch_optional(db)
            .await?;
    Ok(row.map(team))
}

pub async fn mates(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Vec<UserId>> {
    let rows: Vec<Uuid> = sqlx::query_scalar(
        "SELECT mate.id FROM client_user one
         JOIN client_user mate ON mate.client_id = $1 AND mate.team_id = one.team_id
         WHERE one.client_id = $1 AND one.id = $2 ORDER BY mate.id",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(UserId).collect())
}
