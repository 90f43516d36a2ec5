use std::sync::Arc;

use anyhow::{Context as _, bail};
use base::{
    audit::Administration,
    secrets::{self, Sealer},
};
use domain::clock::IdSource;
use settings::{SecretUrl, Settings};
use storage::{Db, work::safeguards};

use crate::{clock::SystemClock, master_key};

pub struct Base {
    pub db: Db,
    pub clock: Arc<SystemClock>,
    pub ids: IdSource,
    pub sealer: Sealer,
}

impl Base {
    /// Connects, migrates, and checks that the data was encrypted with our key.
    pub async fn open(config: &Settings, database_url: &str) -> anyhow::Result<Self> {
        let db = storage::connect(database_url, config.limits.database_connections)
            .await
            .with_context(|| unreachable(config))?;
        refuse_unfinished_restore(&db).await?;
        storage::migrate(&db).await.context("cannot migrate the database")?;
        // Again, because the rows may have been restored since.
        refuse_unfinished_restore(&db).await?;
        let clock = Arc::new(SystemClock::new());
        let mut connection = db.acquire().await?;
        let (schema, own) = (storage::schema(&mut connection).await?, storage::own_schema());
        if schema > own {
            tracing::info!("the database has schema {schema}, which allows this program of schema {own}");
        }
        let is_sealed = storage::tenancy::settings::master_key_check(&mut connection).await?.is_some();
        let sealer = if is_sealed { master_key::sealer_of_data(config) } else { master_key::sealer(config) }?;
        sealer.check_or_init(&mut connection).await?;
        if config.testing.clock {
            clock.set_offset(storage::tenancy::settings::testing_clock_offset(&mut connection).await?);
        }
        drop(connection);
        Ok(Self { db, clock, ids: IdSource::new(secrets::random()?), sealer })
    }

    /// Of a database that is being restored. The sealer has checked it.
    pub fn of_restored(db: Db, sealer: Sealer) -> anyhow::Result<Self> {
        Ok(Self { db, clock: Arc::new(SystemClock::new()), ids: IdSource::new(secrets::random()?), sealer })
    }

    /// Names each setting of PostgreSQL that is off although acknowledged messages depend on it.
    pub async fn warn_of_disabled_safeguards(&self) -> anyhow::Result<()> {
        let disabled = safeguards::disabled(&mut *self.db.acquire().await?).await?;
        for name in disabled {
            tracing::warn!("`{name}` of PostgreSQL: {}", safeguards::advice(&name));
        }
        Ok(())
    }

    pub fn administration(&self) -> Administration<'_> {
        Administration { db: &self.db, clock: self.clock.as_ref(), ids: &self.ids, sealer: &self.sealer }
    }
}

/// Only `patchbay restore` may change a database whose restore is not finished. An empty database is none.
pub async fn refuse_unfinished_restore(db: &Db) -> anyhow::Result<()> {
    if storage::backup::find_unfinished(&mut *db.acquire().await?).await?.is_some() {
        bail!("the restore of this database is not finished; run `patchbay restore` with the same backup again");
    }
    Ok(())
}

/// The error for an unreachable database, without the password in the URL.
pub fn unreachable(config: &Settings) -> String {
    match config.database.url.as_ref().map(SecretUrl::url) {
        Some(url) => {
            let (host, port) = (url.host_str().unwrap_or_default(), url.port().unwrap_or(5432));
            format!("cannot reach the database at {host}:{port}; is database.url right, and does it run?")
        }
        None => "cannot reach the embedded database; postgres.log in the data directory says more".to_owned(),
    }
}
