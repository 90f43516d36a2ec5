//! `patchbay status`: prints the report of `operators::status`, which works also while no process runs. Each process writes
//! its own part.

mod report;
mod text;

use domain::status_report::StatusReport;
use operators::status::{self, ProgramBuild};
use settings::Settings;

use crate::{postgres::Database, process_base::Base};
pub use report::ReportSource;

/// The build of this program.
pub(crate) const BUILD: ProgramBuild =
    ProgramBuild { version: env!("CARGO_PKG_VERSION"), commit: env!("PATCHBAY_COMMIT") };

pub async fn run(config: &Settings, as_json: bool) -> anyhow::Result<String> {
    let database = Database::connect_for_admin(config).await?;
    let answer = read(config, database.url()).await;
    database.stop().await;
    let status = answer?;
    if as_json { Ok(format!("{}\n", serde_json::to_string(&status)?)) } else { Ok(text::of(&status)) }
}

async fn read(config: &Settings, url: &str) -> anyhow::Result<StatusReport> {
    let base = Base::open(config, url).await?;
    let now = base.administration().now();
    let report = status::read(&mut *base.db.acquire().await?, now, BUILD).await;
    base.db.close().await;
    Ok(report?)
}
