//! The cost of a measurement: processor time of each process, and the statements of PostgreSQL.

use std::time::Duration;

use sqlx::{PgPool, Row};

/// Ticks of `/proc` in a second: the same wherever Linux runs.
const TICKS: f64 = 100.0;
/// Statements that are named.
const NAMED: i64 = 14;

/// Processor time that processes have used, in milliseconds.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub program: f64,
    pub postgresql: f64,
    pub provider: f64,
    pub sink: f64,
}

/// The processes that take part.
pub struct Processes {
    pub program: u32,
    /// The server that all connections are children of.
    pub postmaster: u32,
    pub provider: u32,
    /// Where there is one.
    pub sink: Option<u32>,
}

impl Processes {
    /// The cost since their start.
    pub fn spent(&self) -> Spent {
        Spent {
            program: own(self.program),
            postgresql: with_children(self.postmaster),
            provider: own(self.provider),
            sink: self.sink.map_or(0.0, own),
        }
    }
}

impl Spent {
    /// For each of `count`, since `before`.
    pub fn each(&self, before: &Self, count: f64) -> Self {
        Self {
            program: (self.program - before.program) / count,
            postgresql: (self.postgresql - before.postgresql) / count,
            provider: (self.provider - before.provider) / count,
            sink: (self.sink - before.sink) / count,
        }
    }
}

/// The server behind a connection.
pub async fn postmaster(db: &PgPool) -> u32 {
    let row = sqlx::query("SELECT pg_backend_pid()").fetch_one(db).await.unwrap();
    let backend: i32 = row.get(0);
    fields(u32::try_from(backend).unwrap()).expect("the connection is open")[PARENT].parse().unwrap()
}

// Fields of `/proc/<id>/stat` after the name of the program.
const PARENT: usize = 1;
const USER: usize = 11;
const SYSTEM: usize = 12;
const REAPED_USER: usize = 13;
const REAPED_SYSTEM: usize = 14;

fn fields(process: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn millis(fields: &[String], which: &[usize]) -> f64 {
    which.iter().map(|at| fields[*at].parse::<f64>().unwrap()).sum::<f64>() * 1000.0 / TICKS
}

fn own(process: u32) -> f64 {
    millis(&fields(process).expect("the process runs"), &[USER, SYSTEM])
}

/// Its own, that of its children, and that of those which have ended.
fn with_children(process: u32) -> f64 {
    let mut sum = millis(&fields(process).expect("the server runs"), &[USER, SYSTEM, REAPED_USER, REAPED_SYSTEM]);
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    for child in entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
        let Some(fields) = fields(child) else { continue };
        if fields[PARENT] == process.to_string() {
            sum += millis(&fields, &[USER, SYSTEM]);
        }
    }
    sum
}

/// Begins to count statements; `false` where this PostgreSQL cannot.
pub async fn count_statements(db: &PgPool) -> bool {
    if sqlx::query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements").execute(db).await.is_err() {
        return false;
    }
    let set = sqlx::query("ALTER SYSTEM SET pg_stat_statements.track = 'top'").execute(db).await;
    if set.is_err() {
        return false;
    }
    sqlx::query("SELECT pg_reload_conf(), pg_stat_statements_reset()").execute(db).await.unwrap();
    // Connections read the settings again before their next statement.
    tokio::time::sleep(Duration::from_millis(500)).await;
    true
}

/// Ends it, and says how many there were for each of `count` and which took the most time.
pub async fn counted(db: &PgPool, count: f64) -> Vec<String> {
    sqlx::query("ALTER SYSTEM SET pg_stat_statements.track = 'none'").execute(db).await.unwrap();
    sqlx::query("SELECT pg_reload_conf()").execute(db).await.unwrap();
    let ours = "FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let row = sqlx::query(&format!(
        "SELECT sum(calls)::float8, (sum(calls) FILTER (WHERE query ~* '^(begin|commit|rollback)'))::float8,
                sum(total_exec_time)::float8, sum(total_plan_time)::float8 {ours}"
    ))
    .fetch_one(db)
    .await
    .unwrap();
    let each = |at: usize| row.get::<Option<f64>, _>(at).unwrap_or_default() / count;
    let mut notes = vec![format!(
        "{:.3} statements a message, {:.3} of them BEGIN, COMMIT or ROLLBACK; {:.3} ms executing, {:.3} ms planning a message",
        each(0),
        each(1),
        each(2),
        each(3)
    )];
    let rows = sqlx::query(&format!(
        "SELECT calls, total_exec_time, total_plan_time, left(regexp_replace(query, '\\s+', ' ', 'g'), 120) {ours}
         ORDER BY total_exec_time + total_plan_time DESC LIMIT {NAMED}"
    ))
    .fetch_all(db)
    .await
    .unwrap();
    for row in rows {
        #[expect(clippy::cast_precision_loss, reason = "a count of calls")]
        let calls = row.get::<i64, _>(0) as f64;
        let (executing, planning, query): (f64, f64, String) = (row.get(1), row.get(2), row.get(3));
        notes.push(format!(
            "{:.3} ms a message in {:.3} calls of {:.3} ms ({:.3} of it planning): `{query}`",
            (executing + planning) / count,
            calls / count,
            (executing + planning) / calls,
            planning / calls
        ));
    }
    notes
}
