use domain::{ids::ClientId, page::PageRequest};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Calls of a canary from which its failure rate is computed.
const JUDGED_CALLS: i64 = 1_000;

#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct Invocation {
    pub id: Uuid,
    pub plugin: String,
    pub version: String,
    pub world: String,
    pub outcome: String,
    pub duration_micros: i64,
    pub peak_memory_bytes: i64,
    pub logs: String,
    pub error: Option<String>,
    /// The event of a chatbot, by its name in `wit/`.
    pub event: Option<String>,
    /// The consequence for the chat, in words. Only of calls of a chatbot that failed or were not made.
    pub consequence: Option<String>,
    #[sqlx(rename = "subject_id")]
    pub subject: Option<Uuid>,
    /// Its activation; `None`: the plugin that ships with the program.
    #[sqlx(rename = "activation_id")]
    pub activation: Option<Uuid>,
    pub mode: String,
}

pub async fn record(db: &mut PgConnection, client: ClientId, invocations: &[Invocation]) -> Result<()> {
    sqlx::query(
        "INSERT INTO plugin_invocation (client_id, id, plugin, version, world, outcome, duration_micros, peak_memory_bytes,
                                        logs, error, event, consequence, subject_id, activation_id, mode)
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
                                  $9::text[], $10::text[], $11::text[], $12::text[], $13::uuid[], $14::uuid[], $15::text[])",
    )
    .bind(client.0)
    .bind(invocations.iter().map(|call| call.id).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.plugin.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.version.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.world.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.outcome.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.duration_micros).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.peak_memory_bytes).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.logs.as_str()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.error.as_deref()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.event.as_deref()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.consequence.as_deref()).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.subject).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.activation).collect::<Vec<_>>())
    .bind(invocations.iter().map(|call| call.mode.as_str()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy, Default)]
pub struct InvocationFilter<'a> {
    pub outcome: Option<&'a str>,
    pub mode: Option<&'a str>,
    pub after: Option<Uuid>,
    pub subject: Option<Uuid>,
    /// Only calls about an event of this name.
    pub event: Option<&'a str>,
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    wanted: InvocationFilter<'_>,
    page: PageRequest,
) -> Result<(Vec<Invocation>, i64)> {
    let rows: Vec<Invocation> = sqlx::query_as(
        "SELECT id, plugin, version, world, outcome, duration_micros, peak_memory_bytes, logs, error, event, consequence,
                subject_id, activation_id, mode
         FROM plugin_invocation
         WHERE client_id = $1 AND plugin = $2 AND ($3::text IS NULL OR outcome = $3) AND ($4::text IS NULL OR mode = $4)
               AND ($5::uuid IS NULL OR id > $5) AND ($6::uuid IS NULL OR subject_id = $6)
               AND ($7::text IS NULL OR event = $7)
         ORDER BY id DESC OFFSET $8 LIMIT $9",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(wanted.outcome)
    .bind(wanted.mode)
    .bind(wanted.after)
    .bind(wanted.subject)
    .bind(wanted.event)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM plugin_invocation
         WHERE client_id = $1 AND plugin = $2 AND ($3::text IS NULL OR outcome = $3) AND ($4::text IS NULL OR mode = $4)
               AND ($5::uuid IS NULL OR id > $5) AND ($6::uuid IS NULL OR subject_id = $6)
               AND ($7::text IS NULL OR event = $7)",
    )
    .bind(client.0)
    .bind(plugin)
    .bind(wanted.outcome)
    .bind(wanted.mode)
    .bind(wanted.after)
    .bind(wanted.subject)
    .bind(wanted.event)
    .fetch_one(db)
    .await?;
    Ok((rows, total))
}

/// The latest calls of a plugin that count for its figures, at most.
const COUNTED_CALLS: i64 = 10_000;

/// The calls of one activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct CallFigures {
    #[sqlx(rename = "activation_id")]
    pub activation: Uuid,
    pub calls: i64,
    pub failures: i64,
    pub mean_micros: i64,
    /// 95 % of the calls took at most this long.
    pub p95_micros: i64,
}

/// Returns the figures of each activation of a plugin, for calls with `first` or a later id.
pub async fn figures(db: &mut PgConnection, client: ClientId, plugin: &str, first: Uuid) -> Result<Vec<CallFigures>> {
    let figures = sqlx::query_as(
        "SELECT activation_id, count(*) AS calls, count(*) FILTER (WHERE outcome <> 'answered') AS failures,
                avg(duration_micros)::bigint AS mean_micros,
                percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_micros) AS p95_micros
         FROM (SELECT activation_id, outcome, duration_micros FROM plugin_invocation
               WHERE client_id = $1 AND plugin = $2 AND id >= $3 ORDER BY id DESC LIMIT $4) latest
         WHERE activation_id IS NOT NULL GROUP BY activation_id",
    );
    Ok(figures.bind(client.0).bind(plugin).bind(first).bind(COUNTED_CALLS).fetch_all(db).await?)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Tally {
    pub calls: i64,
    pub failures: i64,
}

/// The results of the latest calls of a canary, without outcomes in `ignored`.
pub async fn tally(db: &mut PgConnection, client: ClientId, activation: Uuid, ignored: &[&str]) -> Result<Tally> {
    Ok(sqlx::query_as(
        "SELECT count(*) AS calls, count(*) FILTER (WHERE outcome <> 'answered') AS failures
         FROM (SELECT outcome FROM plugin_invocation
               WHERE client_id = $1 AND activation_id = $2 AND mode = 'canary' AND outcome <> ALL($3)
               ORDER BY id DESC LIMIT $4) AS latest",
    )
    .bind(client.0)
    .bind(activation)
    .bind(ignored)
    .bind(JUDGED_CALLS)
    .fetch_one(db)
    .await?)
}
