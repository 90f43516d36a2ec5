//! Databases for tests: one private PostgreSQL cluster per test process, reachable through a unix socket only, and a
//! fresh copy of the migrated schema for every test. The cluster ends with the process, however that ends, and leaves
//! nothing behind.
//!
//! ```no_run
//! # async fn test() {
//! let scratch = scratch::database().await;
//! let pool = scratch.pool(5).await;
//! # }
//! ```

mod binaries;
mod client_requests;
mod cluster;
mod frozen_cluster;
mod lock_waits;
mod proxy;
mod search;
mod wire;

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use tokio::sync::Mutex;

use cluster::{Cluster, Purpose};
pub use frozen_cluster::Frozen;
pub use lock_waits::{until_lock_wait, until_table_wait, waits_for_lock};
pub use proxy::{Proxy, Target};
pub use search::files_with;
use storage::{Db, PgConnection};
pub use wire::Wire;

/// Name of the database that every scratch database is a copy of.
const MIGRATED: &str = "migrated";

/// Longest time for one statement of a test. Some fill large tables, on machines that have other work.
const PATIENCE: Duration = Duration::from_secs(600);

/// Names of databases that no test needs any more.
static RETIRED: parking_lot::Mutex<Vec<String>> = parking_lot::Mutex::new(Vec::new());

/// A database that belongs to one test.
pub struct Scratch {
    /// `postgres://` URL, through the cluster's unix socket. `psql`, `pgbench` and `patchbay` take it too.
    pub url: String,
}

impl Scratch {
    /// A pool on the database, as the program opens it, but with more time for each statement.
    pub async fn pool(&self, connections: u32) -> Db {
        storage::connect(&self.url, connections)
            .await
            .unwrap_or_else(|error| panic!("the scratch database does not take connections: {error:?}"))
            .with_patience(PATIENCE)
    }

    /// Lets the next database of this process drop this one. Its program must have ended.
    pub fn retire(&self) {
        let name = self.url.split(['/', '?']).nth(3).unwrap_or_default().to_owned();
        RETIRED.lock().push(name);
    }

    /// The same database over TCP.
    pub async fn wire(&self) -> Wire {
        Wire::to(&self.url).await.unwrap_or_else(|error| panic!("no way to the scratch database: {error:?}"))
    }

    /// One connection.
    pub async fn connection(&self) -> PgConnection {
        PgConnection::connect(&self.url)
            .await
            .unwrap_or_else(|error| panic!("the scratch database does not take connections: {error:?}"))
            .with_patience(PATIENCE)
    }
}

/// A fresh, migrated database.
///
/// # Panics
///
/// When PostgreSQL is not installed or does not start: no test of the caller could say anything then.
pub async fn database() -> Scratch {
    create(Purpose::Tests, Some(MIGRATED)).await.unwrap_or_else(|error| panic!("no scratch database: {error:?}"))
}

/// A fresh, migrated database whose commits are on the disk: for benchmarks.
///
/// # Panics
///
/// As [`database`] does.
pub async fn durable_database() -> Scratch {
    create(Purpose::Benchmarks, Some(MIGRATED)).await.unwrap_or_else(|error| panic!("no durable database: {error:?}"))
}

/// Where the programs of PostgreSQL are, `pgbench` among them.
pub fn programs() -> anyhow::Result<std::path::PathBuf> {
    binaries::directory()
}

/// A database without any table, for tests of the migrations themselves.
///
/// # Panics
///
/// As [`database`] does.
pub async fn empty_database() -> Scratch {
    create(Purpose::Tests, None).await.unwrap_or_else(|error| panic!("no scratch database: {error:?}"))
}

/// Stops the PostgreSQL of this test process, with all databases of its tests, until the answer is dropped. For programs that have
/// one test only.
///
/// # Panics
///
/// When there is no database yet, or its processes cannot be stopped.
pub async fn freeze() -> Frozen {
    let frozen = async { migrated_cluster(Purpose::Tests).await?.freeze() };
    frozen.await.unwrap_or_else(|error: anyhow::Error| panic!("PostgreSQL cannot be stopped: {error:?}"))
}

/// The log of the PostgreSQL of this test process.
///
/// # Panics
///
/// As [`database`] does.
pub async fn server_log() -> String {
    let log = async { anyhow::Ok(migrated_cluster(Purpose::Tests).await?.log()) };
    log.await.unwrap_or_else(|error| panic!("no log of PostgreSQL: {error:?}"))
}

async fn create(purpose: Purpose, template: Option<&str>) -> anyhow::Result<Scratch> {
    static COUNTER: AtomicU32 = AtomicU32::new(1);
    let cluster = migrated_cluster(purpose).await?;
    let name = format!("scratch_{}", COUNTER.fetch_add(1, Ordering::Relaxed));
    create_database(cluster, &name, template.unwrap_or("template0")).await?;
    Ok(Scratch { url: cluster.url(&name) })
}

/// Starts the cluster and migrates the template on first use.
async fn migrated_cluster(purpose: Purpose) -> anyhow::Result<&'static Cluster> {
    static TESTS: OnceLock<Cluster> = OnceLock::new();
    static BENCHMARKS: OnceLock<Cluster> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::const_new(());
    let _starting = STARTING.lock().await;
    let place = match purpose {
        Purpose::Tests => &TESTS,
        Purpose::Benchmarks => &BENCHMARKS,
    };
    if let Some(cluster) = place.get() {
        return Ok(cluster);
    }
    let cluster = tokio::task::spawn_blocking(move || Cluster::start(purpose)).await??;
    create_database(&cluster, MIGRATED, "template0").await?;
    let pool = storage::connect(&cluster.url(MIGRATED), 1).await?;
    storage::migrate(&pool).await.context("the migrations do not apply to an empty database")?;
    // A template must have no connections.
    pool.close().await;
    Ok(place.get_or_init(|| cluster))
}

async fn create_database(cluster: &Cluster, name: &str, template: &str) -> anyhow::Result<()> {
    // One copy at a time, because PostgreSQL refuses a template that is in use.
    static COPYING: Mutex<()> = Mutex::const_new(());
    let _copying = COPYING.lock().await;
    let mut connection = PgConnection::connect(&cluster.url("postgres")).await?;
    let retired = std::mem::take(&mut *RETIRED.lock());
    for name in retired {
        sqlx::query(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).execute(&mut connection).await?;
    }
    // A copy of the files takes half of the processor time of a copy through the WAL, because `fsync` is off.
    let copy = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY");
    sqlx::query(&copy).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
