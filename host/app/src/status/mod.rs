//! `patchbay status`: the state of the queues, the processes and the providers. Queues come from the database, and the
//! figures of a process from its last report, which works also while no process runs.

mod figures;
mod lanes;
mod report;
mod text;

use settings::Settings;

use crate::{postgres::Database, process_base::Base};
use figures::StatusFigures;
pub use report::{ProcessRole, ReportSource};

pub async fn run(config: &Settings, as_json: bool) -> anyhow::Result<String> {
    let database = Database::connect_for_admin(config).await?;
    let answer = read(config, database.url()).await;
    database.stop().await;
    let status = answer?;
    if as_json { Ok(format!("{}\n", serde_json::to_string(&status)?)) } else { Ok(text::of(&status)) }
}

async fn read(config: &Settings, url: &str) -> anyhow::Result<StatusFigures> {
    let base = Base::open(config, url).await?;
    let now = base.administration().now();
    let status = StatusFigures::read(&mut *base.db.acquire().await?, now).await;
    base.db.close().await;
    Ok(status?)
}
