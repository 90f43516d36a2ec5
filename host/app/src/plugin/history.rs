//! Commands that show plugins and their history at a server.

use author::server::{LogFilter, LoggedInvocation, RemoteServer, ServerAnswer};

use super::{
    arguments::{HistoryArguments, KvArguments, LogsArguments},
    output::{print_line, tell, tell_all},
};
use crate::standard_output;

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
    let filter = LogFilter { outcome, event, subject: participant };
    let mut logs = server.logs(&name, &filter)?;
    let calls = logs.next().await?;
    if calls.is_empty() && !follow && !json {
        return print_line(no_call(&server, &name, &filter).await?);
    }
    let mut is_read = show(&calls, json)?;
    while follow && is_read {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => return Ok(()),
            () = logs.wait() => {}
        }
        is_read = show(&logs.next().await?, json)?;
    }
    Ok(())
}

/// Returns whether standard output has a reader.
fn show(calls: &[ServerAnswer<LoggedInvocation>], json: bool) -> anyhow::Result<bool> {
    let line =
        |call: &ServerAnswer<LoggedInvocation>| if json { format!("{}\n", call.json) } else { format!("{call}\n") };
    standard_output::write_while_read(&calls.iter().map(line).collect::<String>())
}

/// The answer if no call fits the filter.
async fn no_call(server: &RemoteServer, name: &str, filter: &LogFilter) -> anyhow::Result<String> {
    let none = format!("no calls of {name} are kept");
    if filter.is_empty() {
        return Ok(none);
    }
    Ok(match server.count_calls(name).await? {
        0 => none,
        kept => format!("no call of {name} has {filter} ({kept} calls are kept)"),
    })
}

pub(super) async fn key_values(wanted: KvArguments) -> anyhow::Result<()> {
    let KvArguments { participant, of: HistoryArguments { name, limit, json } } = wanted;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let values = RemoteServer::from_environment()?.key_values(&name, participant.as_deref(), most).await?;
    let none = match participant {
        Some(id) => format!("{name} keeps no values of participant {id}"),
        None => format!("{name} keeps no values of all customers; with --participant ID, those of one are shown"),
    };
    tell_all(&values, json, &none)
}
