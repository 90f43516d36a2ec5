//! Rates of a client: the cost of a message by billing category and destination.

use domain::{ids::ClientId, rate::Rate};

use crate::{PgConnection, Result};

pub async fn all(db: &mut PgConnection, client: ClientId) -> Result<Vec<Rate>> {
    let rows: Vec<(String, String, String, String)> = sqlx::query_as(
        "SELECT category, country, amount, currency FROM rate WHERE client_id = $1 AND category >= ''
         ORDER BY category, country",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    let rate = |(category, country, amount, currency)| Rate { category, country, amount, currency };
    Ok(rows.into_iter().map(rate).collect())
}

pub async fn replace(db: &mut PgConnection, client: ClientId, rates: &[Rate]) -> Result<()> {
    sqlx::query("DELETE FROM rate WHERE client_id = $1 AND category >= ''").bind(client.0).execute(&mut *db).await?;
    let column = |of: fn(&Rate) -> &str| rates.iter().map(of).collect::<Vec<&str>>();
    sqlx::query(
        "INSERT INTO rate (client_id, category, country, amount, currency)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])",
    )
    .bind(client.0)
    .bind(column(|rate| &rate.category))
    .bind(column(|rate| &rate.country))
    .bind(column(|rate| &rate.amount))
    .bind(column(|rate| &rate.currency))
    .execute(db)
    .await?;
    Ok(())
}
