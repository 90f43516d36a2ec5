//! Commands that show plugins and their history at a server.

use author::server::{LogFilter, RemoteServer};

use super::{
    arguments::{HistoryArguments, LogsArguments},
    output::{print_line, tell, tell_all},
};

pub(super) async fn list(json: bool) -> anyhow::Result<()> {
    let plugins = RemoteServer::from_environment()?.list_plugins().await?;
    tell_all(&plugins, json, "there are no plugins")
}

pub(super) async fn status(name: &str, json: bool) -> anyhow::Result<()> {
    let status = RemoteServer::from_environment()?.status(name).await?;
    tell(&status, json)
}

pub(super) async fn events(wanted: HistoryArguments) -> anyhow::Result<()> {
    let HistoryArguments { name, limit, json } = wanted;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let events = RemoteServer::from_environment()?.events(&name, most).await?;
    tell_all(&events, json, &format!("no events of {name} are kept"))
}

pub(super) async fn differences(wanted: HistoryArguments) -> anyhow::Result<()> {
    let HistoryArguments { name, limit, json } = wanted;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let differences = RemoteServer::from_environment()?.differences(&name, most).await?;
    tell(&differences, json)
}

pub(super) async fn logs(wanted: LogsArguments) -> anyhow::Result<()> {
    let LogsArguments { name, follow, outcome, event, participant, json } = wanted;
    let server = RemoteServer::from_environment()?;
    let mut logs = server.logs(&name, &LogFilter { outcome, event, subject: participant })?;
    let show = |calls: &[author::server::ServerAnswer<author::server::LoggedInvocation>]| {
        calls.iter().try_for_each(|call| if json { print_line(&call.json) } else { print_line(call) })
    };
    let calls = logs.next().await?;
    if calls.is_empty() && !follow && !json {
        return print_line(format_args!("no calls of {name} are kept"));
    }
    show(&calls)?;
    if !follow {
        return Ok(());
    }
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => return Ok(()),
            () = logs.wait() => {}
        }
        show(&logs.next().await?)?;
    }
}
