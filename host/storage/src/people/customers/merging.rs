use domain::ids::{ClientId, CustomerId};

use crate::{PgConnection, Result};

/// Locks two customers, in the order of ids, so that two merges of the same customers do not deadlock.
pub async fn lock_both(db: &mut PgConnection, client: ClientId, one: CustomerId, other: CustomerId) -> Result<()> {
    for customer in [one.min(other), one.max(other)] {
        sqlx::query("SELECT 1 FROM customer WHERE client_id = $1 AND id = $2 FOR UPDATE")
            .bind(client.0)
            .bind(customer.0)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

pub async fn take_addresses(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
) -> Result<()> {
    sqlx::query("UPDATE customer_address SET customer_id = $2 WHERE client_id = $1 AND customer_id = $3")
        .bind(client.0)
        .bind(survivor.0)
        .bind(absorbed.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn fold_facts(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
) -> Result<()> {
    sqlx::query(
        "WITH gone AS (DELETE FROM inbox_customer WHERE client_id = $1 AND customer_id = $3 RETURNING *)
         INSERT INTO inbox_customer AS kept (client_id, inbox_id, customer_id, last_inbound_at, reached,
                                              last_outbound_at, last_template_id, last_template_name)
         SELECT client_id, inbox_id, $2, last_inbound_at, reached, last_outbound_at, last_template_id,
                last_template_name FROM gone
         ON CONFLICT (client_id, inbox_id, customer_id) DO UPDATE SET
             last_inbound_at = GREATEST(kept.last_inbound_at, excluded.last_inbound_at),
             reached = kept.reached OR excluded.reached,
             last_outbound_at = GREATEST(kept.last_outbound_at, excluded.last_outbound_at),
             last_template_id = CASE WHEN excluded.last_outbound_at > COALESCE(kept.last_outbound_at, '-infinity')
                                     THEN excluded.last_template_id ELSE kept.last_template_id END,
             last_template_name = CASE WHEN excluded.last_outbound_at > COALESCE(kept.last_outbound_at, '-infinity')
                                       THEN excluded.last_template_name ELSE kept.last_template_name END",
    )
    .bind(client.0)
    .bind(survivor.0)
    .bind(absorbed.0)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn take_names(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
) -> Result<()> {
    sqlx::query(
        "UPDATE customer kept SET full_name = COALESCE(kept.full_name, gone.full_name),
                                  username = COALESCE(kept.username, gone.username),
                                  parent_user_id = COALESCE(kept.parent_user_id, gone.parent_user_id)
         FROM customer gone
         WHERE kept.client_id = $1 AND kept.id = $2 AND gone.client_id = $1 AND gone.id = $3",
    )
    .bind(client.0)
    .bind(survivor.0)
    .bind(absorbed.0)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn lead_to(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
) -> Result<()> {
    for followers in [
        "UPDATE customer SET merged_into = $2 WHERE client_id = $1 AND id = $3",
        "UPDATE customer SET merged_into = $2 WHERE client_id = $1 AND merged_into = $3",
    ] {
        sqlx::query(followers).bind(client.0).bind(survivor.0).bind(absorbed.0).execute(&mut *db).await?;
    }
    Ok(())
}
