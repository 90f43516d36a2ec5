//! Erasures that have ended (`erasure`), and the addresses that a database has rows of.

use chrono::{DateTime, Utc};
use domain::{address::Address, ids::ClientId};
use uuid::Uuid;

use super::rule::StopEntries;
use crate::{PgConnection, Result};

/// An erasure that has ended. It holds no address of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedErasure {
    pub client: ClientId,
    pub id: Uuid,
    /// Real time.
    pub erased_at: DateTime<Utc>,
    pub stops: StopEntries,
    /// Keyed hashes of the addresses.
    pub person_names: Vec<String>,
}

#[derive(sqlx::FromRow)]
struct ErasureRow {
    client_id: Uuid,
    id: Uuid,
    erased_at: DateTime<Utc>,
    with_stops: bool,
    person_names: Vec<String>,
}

impl From<ErasureRow> for FinishedErasure {
    fn from(row: ErasureRow) -> Self {
        Self {
            client: ClientId(row.client_id),
            id: row.id,
            erased_at: row.erased_at,
            stops: if row.with_stops { StopEntries::Erase } else { StopEntries::Keep },
            person_names: row.person_names,
        }
    }
}

/// Stores an erasure that ends now, by the clock of the database.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    id: Uuid,
    stops: StopEntries,
    person_names: &[String],
) -> Result<()> {
    sqlx::query(
        "INSERT INTO erasure (client_id, id, erased_at, with_stops, person_names)
         VALUES ($1, $2, clock_timestamp(), $3, $4)",
    )
    .bind(client.0)
    .bind(id)
    .bind(stops == StopEntries::Erase)
    .bind(person_names)
    .execute(db)
    .await?;
    Ok(())
}

/// Stores an erasure that an older database did not have, after it was repeated.
pub async fn insert_repeated(db: &mut PgConnection, erasure: &FinishedErasure) -> Result<()> {
    sqlx::query(
        "INSERT INTO erasure (client_id, id, erased_at, with_stops, person_names)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(erasure.client.0)
    .bind(erasure.id)
    .bind(erasure.erased_at)
    .bind(erasure.stops == StopEntries::Erase)
    .bind(&erasure.person_names)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the erasures after a moment, the oldest first; all of them without one.
pub async fn find_since(db: &mut PgConnection, moment: Option<DateTime<Utc>>) -> Result<Vec<FinishedErasure>> {
    let rows: Vec<ErasureRow> = sqlx::query_as(
        "SELECT client_id, id, erased_at, with_stops, person_names FROM erasure
         WHERE erased_at > COALESCE($1::timestamptz, '-infinity') ORDER BY erased_at",
    )
    .bind(moment)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(FinishedErasure::from).collect())
}

/// Returns the ids of these erasures that the database does not have.
pub async fn find_missing(db: &mut PgConnection, erasures: &[FinishedErasure]) -> Result<Vec<Uuid>> {
    let missing = sqlx::query_scalar(
        "SELECT given.id FROM (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS one (client_id, id) OFFSET 0) given
         WHERE NOT EXISTS (SELECT 1 FROM erasure known WHERE known.client_id = given.client_id AND known.id = given.id)",
    );
    let clients: Vec<Uuid> = erasures.iter().map(|erasure| erasure.client.0).collect();
    let ids: Vec<Uuid> = erasures.iter().map(|erasure| erasure.id).collect();
    Ok(missing.bind(clients).bind(ids).fetch_all(db).await?)
}

/// A column with addresses of persons.
struct AddressColumn {
    table: &'static str,
    /// An expression.
    kind: &'static str,
    value: &'static str,
    /// `$1` is the client.
    condition: &'static str,
}

const fn column(table: &'static str, kind: &'static str, value: &'static str) -> AddressColumn {
    AddressColumn { table, kind, value, condition: "client_id = $1" }
}

const ADDRESS_COLUMNS: [AddressColumn; 16] = [
    column("customer_address", "kind", "value"),
    column("outbound_message", "address_kind", "address_value"),
    column("outbound_message", "other_kind", "other_value"),
    column("outbound_leg", "address_kind", "address_value"),
    column("blocked_recipient", "kind", "value"),
    column("sms_message", "'PHONE'", "recipient"),
    column("sms_reply", "'PHONE'", "subscriber"),
    column("sms_correspondent", "'PHONE'", "subscriber"),
    column("sms_other_correspondent", "'PHONE'", "subscriber"),
    column("sms_opt_out", "'PHONE'", "subscriber"),
    column("web_visitor", "'VISITOR'", "visitor"),
    column("web_visitor", "'VISITOR'", "joined_to"),
    column("waiting_referral", "'PSID'", "address"),
    column("messenger_unread", "'PSID'", "psid"),
    // Recipients of WhatsApp, without their kind.
    column("tier_recipient", "CASE WHEN recipient ~ '^[0-9]+$' THEN 'PHONE' ELSE 'BSUID' END", "recipient"),
    AddressColumn {
        table: "sms_inbound",
        kind: "'PHONE'",
        value: "sender",
        condition: "EXISTS (SELECT FROM inbox WHERE inbox.client_id = $1 AND inbox.channel = 'SMS'
                                                AND inbox.address = receiver)",
    },
];

/// Calls `with` for each address that rows of the client have, some of them several times. It reads whole tables.
pub async fn each_address(db: &mut PgConnection, client: ClientId, mut with: impl FnMut(Address)) -> Result<()> {
    for AddressColumn { table, kind, value, condition } in ADDRESS_COLUMNS {
        let sql =
            format!("SELECT DISTINCT ({kind})::text, {value} FROM {table} WHERE {condition} AND {value} IS NOT NULL");
        let found: Vec<(String, String)> = sqlx::query_as(&sql).bind(client.0).fetch_all(&mut *db).await?;
        // A value that is no address has no hash.
        found.iter().filter_map(|(kind, value)| Address::parse(kind, value).ok()).for_each(&mut with);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ADDRESS_COLUMNS;
    use crate::personal_data::{PersonLink, REGISTRY, TableRule};

    #[test]
    fn a_repeated_erasure_reads_every_column_by_which_the_registry_finds_an_address() {
        for table in REGISTRY {
            let TableRule::Tied(ties, ..) = table.rule else { continue };
            for tie in ties {
                let PersonLink::Value(column) = *tie else { continue };
                let is_read = ADDRESS_COLUMNS.iter().any(|read| (read.table, read.value) == (table.name, column));
                assert!(is_read, "add {}.{column} to `ADDRESS_COLUMNS`", table.name);
            }
        }
    }
}
