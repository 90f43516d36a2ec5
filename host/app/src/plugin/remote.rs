//! Commands that call a server.

use std::path::{Path, PathBuf};

use anyhow::bail;
use author::{
    Project,
    server::{self, Server},
};

use super::{
    commands::{Activate, Place},
    local::stem,
    output::{Progress, built, json, say},
};

pub(super) async fn push(path: &Path, name: Option<String>) -> anyhow::Result<()> {
    // Checked before a long build.
    let server = Server::from_environment()?;
    let (own, component) = match path.is_dir() {
        true => {
            let project = Project::open(path)?;
            (project.name.clone(), built(project).await?)
        }
        false => (stem(path), path.to_owned()),
    };
    let mut progress = Progress::new();
    let pushed = server.push(name.as_deref().unwrap_or(&own), &component, &mut |text| progress.tell(text)).await;
    progress.done();
    say(pushed?)
}

pub(super) async fn activate(activate: Activate) -> anyhow::Result<()> {
    let wanted = server::Activate {
        version: activate.version,
        number: activate.number,
        mode: Some(activate.mode),
        percent: activate.percent,
        config: activate.config.as_deref().map(json).transpose()?,
        allowed_hosts: activate.allow_host,
        error_threshold: activate.error_threshold,
        minimum_calls: activate.minimum_calls,
    };
    say(Server::from_environment()?.activate(&activate.name, &wanted).await?)
}

pub(super) async fn rollback(place: Place) -> anyhow::Result<()> {
    let now = Server::from_environment()?.rollback(&place.name, place.number.as_deref()).await?;
    say(format_args!("rolled back: {now}"))
}

pub(super) async fn deactivate(place: Place) -> anyhow::Result<()> {
    Server::from_environment()?.deactivate(&place.name, place.number.as_deref()).await?;
    say(format_args!("{} is no longer in charge there", place.name))
}

pub(super) async fn logs(name: &str, follow: bool, outcome: Option<&str>) -> anyhow::Result<()> {
    let server = Server::from_environment()?;
    let mut logs = server.logs(name, outcome)?;
    let calls = logs.next().await?;
    if calls.is_empty() && !follow {
        return say(format_args!("no calls of {name} are kept"));
    }
    calls.iter().try_for_each(say)?;
    if !follow {
        return Ok(());
    }
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => return Ok(()),
            () = logs.wait() => {}
        }
        logs.next().await?.iter().try_for_each(say)?;
    }
}

pub(super) async fn replay(name: &str, file: Option<PathBuf>, version: Option<u32>, limit: u32) -> anyhow::Result<()> {
    let server = Server::from_environment()?;
    let mut progress = Progress::new();
    let replayed = match (file, version) {
        (Some(file), _) => server.replay_here(name, &file, limit, &mut |text| progress.tell(text)).await?,
        (None, Some(version)) => server.replay(name, version, limit).await?,
        (None, None) => bail!("name a component file, or an uploaded version with --version"),
    };
    progress.done();
    say(&replayed)?;
    if !replayed.is_identical() {
        bail!("some calls give something else than they did");
    }
    Ok(())
}
