//! The migrations of a database, compared with those of this program.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::{MIGRATOR, PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedMigration {
    pub version: i64,
    /// Digest of its file, in hexadecimal.
    pub checksum: String,
}

/// The relation of a schema to that of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lineage {
    Same,
    Older,
    Newer,
    /// One of its migrations has another content here.
    Other {
        version: i64,
    },
}

pub async fn applied(db: &mut PgConnection) -> Result<Vec<AppliedMigration>> {
    let known: Option<String> =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text").fetch_one(&mut *db).await?;
    if known.is_none() {
        return Ok(Vec::new());
    }
    let rows: Vec<(i64, String)> =
        sqlx::query_as("SELECT version, encode(checksum, 'hex') FROM _sqlx_migrations WHERE success ORDER BY version")
            .fetch_all(db)
            .await?;
    Ok(rows.into_iter().map(|(version, checksum)| AppliedMigration { version, checksum }).collect())
}

pub fn lineage(applied: &[AppliedMigration]) -> Lineage {
    let own: Vec<AppliedMigration> = MIGRATOR
        .iter()
        .map(|own| AppliedMigration { version: own.version, checksum: in_hexadecimal(&own.checksum) })
        .collect();
    compare(applied, &own)
}

fn compare(applied: &[AppliedMigration], own: &[AppliedMigration]) -> Lineage {
    if let Some((other, _)) = applied.iter().zip(own).find(|(applied, own)| applied != own) {
        return Lineage::Other { version: other.version };
    }
    match applied.len().cmp(&own.len()) {
        std::cmp::Ordering::Less => Lineage::Older,
        std::cmp::Ordering::Equal => Lineage::Same,
        std::cmp::Ordering::Greater => Lineage::Newer,
    }
}

fn in_hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(checksums: &[&str]) -> Vec<AppliedMigration> {
        let migration =
            |(version, checksum): (i64, &&str)| AppliedMigration { version, checksum: (*checksum).to_owned() };
        (1..).zip(checksums).map(migration).collect()
    }

    #[test]
    fn a_schema_is_compared_by_the_contents_of_its_migrations() {
        let own = schema(&["a", "b"]);
        assert_eq!(compare(&schema(&["a", "b"]), &own), Lineage::Same);
        assert_eq!(compare(&schema(&["a"]), &own), Lineage::Older);
        assert_eq!(compare(&schema(&["a", "b", "c"]), &own), Lineage::Newer);
        assert_eq!(compare(&schema(&["a", "x", "c"]), &own), Lineage::Other { version: 2 });
    }

    #[test]
    fn a_digest_is_written_as_postgresql_writes_it() {
        assert_eq!(in_hexadecimal(&[0, 15, 255]), "000fff");
    }
}
