use crate::Error;

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("the database has no tables of Patchbay; check `database.url` and `data_dir`")]
    NoTables,
    #[error("a migration changed the schema while the backup began; run the command again when the migration is done")]
    SchemaChanged,
    #[error(
        "{sessions} sessions of other Patchbay processes are connected to the database; stop `patchbay serve` and \
         `patchbay work`, then run the command again"
    )]
    InUse { sessions: i64 },
    #[error("the database is not empty: `{table}` has rows. Restore into a new database")]
    NotEmpty { table: String },
    #[error("the database has tables of another program, such as `{table}`. Restore into a new database")]
    Foreign { table: String },
    #[error(
        "the database has schema {present}, and the backup has schema {wanted}. Restore into a new database without tables"
    )]
    OtherSchema { present: i64, wanted: i64 },
    #[error("the backup and its schema differ at table `{table}`; the backup was changed, take another one")]
    Mismatch {
        /// The table that one of them does not have, or that has other columns.
        table: String,
    },
    #[error(transparent)]
    Storage(#[from] Error),
}

impl From<sqlx::Error> for CopyError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error.into())
    }
}
