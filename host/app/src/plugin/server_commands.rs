//! Commands that call a server.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use author::{
    Project,
    dev::{DevError, DevSession},
    server::{self, HttpLimitsForm, RemoteServer},
};
use serde_json::json;

use super::{
    arguments::{ActivateArguments, Dev, GiveBack, InvokeArguments, PluginScope, RecordArguments, Rollback, Verify},
    offline_commands::stem,
    output::{StepProgress, json, print_line, tell},
};
use crate::standard_output;

pub(super) async fn activate(activate: ActivateArguments) -> anyhow::Result<()> {
    let http_limits = HttpLimitsForm {
        timeout_ms: activate.http_timeout_ms,
        response_bytes: activate.http_response_bytes,
        requests: activate.http_requests,
    };
    let wanted = server::ActivationRequest {
        version: activate.version,
        number: activate.number,
        mode: Some(activate.mode),
        percent: activate.percent,
        config: activate.config.as_deref().map(json).transpose()?,
        allowed_hosts: activate.allow_host,
        http_limits: Some(http_limits).filter(|limits| *limits != HttpLimitsForm::default()),
        error_threshold: activate.error_threshold,
        minimum_calls: activate.minimum_calls,
        preview: activate.dry_run,
    };
    let active = RemoteServer::from_environment()?.activate(&activate.name, &wanted).await?;
    if activate.dry_run && !activate.json {
        print_line("This would be the result:")?;
    }
    tell(&active, activate.json)
}

pub(super) async fn rollback(wanted: Rollback) -> anyhow::Result<()> {
    let Rollback { place: PluginScope { name, number }, to, dry_run, json } = wanted;
    match RemoteServer::from_environment()?.rollback(&name, number.as_deref(), to, dry_run).await? {
        Some(report) => {
            if dry_run && !json {
                print_line("This would be the change:")?;
            }
            tell(&report, json)
        }
        None if json => print_line("null"),
        None => {
            let place = place_text(number.as_deref());
            print_line(format_args!("the trial of {name} ends, and no other version is live for {place}"))
        }
    }
}

fn place_text(number: Option<&str>) -> String {
    number.map_or_else(|| "all numbers".to_owned(), |number| format!("number {number}"))
}

pub(super) async fn deactivate(place: PluginScope) -> anyhow::Result<()> {
    let next = RemoteServer::from_environment()?.deactivate(&place.name, place.number.as_deref()).await?;
    let next = next.map(|next| format!("; {} is live there now", next.plugin)).unwrap_or_default();
    print_line(format_args!("{} is no longer active for {}{next}", place.name, place_text(place.number.as_deref())))
}

pub(super) async fn delete(name: &str) -> anyhow::Result<()> {
    RemoteServer::from_environment()?.delete(name).await?;
    print_line(format_args!("{name} is deleted with all its versions"))
}

pub(super) async fn invoke(wanted: InvokeArguments) -> anyhow::Result<()> {
    let given = |part: Option<&Path>| part.map(json).transpose();
    let event = match &wanted.text {
        Some(text) => Some(json!({"type": "message", "text": text})),
        None => given(wanted.event.as_deref())?,
    };
    let call = server::TrialCall {
        version: wanted.version,
        event,
        session: given(wanted.session.as_deref())?,
        config: given(wanted.config.as_deref())?,
    };
    let answer = RemoteServer::from_environment()?.invoke(&wanted.name, &call).await?;
    tell(&answer, wanted.json)?;
    if answer.value.error.is_some() {
        bail!("the call failed");
    }
    Ok(())
}

pub(super) async fn record(wanted: RecordArguments) -> anyhow::Result<()> {
    let RecordArguments {
        place: PluginScope { name, number },
        mode,
        sample,
        max_calls,
        max_bytes,
        seconds,
        stop,
        json,
    } = wanted;
    let server = RemoteServer::from_environment()?;
    if stop {
        server.stop_recording(&name, number.as_deref()).await?;
        return print_line(format_args!("the recording of {name} has ended"));
    }
    let terms =
        server::RecordingBounds { number, mode: Some(mode), sample: Some(sample), max_calls, max_bytes, seconds };
    let recorded = server.record(&name, &terms).await?;
    if json {
        return tell(&recorded, json);
    }
    match &recorded.value.recording {
        Some(terms) => print_line(format_args!("{name} is recorded: {terms}")),
        None => print_line(format_args!("{name} is recorded")),
    }
}

pub(super) async fn verify(wanted: Verify) -> anyhow::Result<()> {
    let Verify { name, version, file, json } = wanted;
    let local = match &file {
        Some(file) => {
            let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            Some((file, plugin_host::sha256(&bytes)))
        }
        None => None,
    };
    let found = RemoteServer::from_environment()?.verify(&name, version).await?;
    tell(&found, json)?;
    if !found.value.intact {
        bail!("version {} of {name} has problems", found.value.version);
    }
    match local {
        Some((file, sha256)) if sha256 != found.value.sha256 => {
            bail!("{} has SHA-256 {sha256}, so it is not version {}", file.display(), found.value.version)
        }
        Some((file, _)) if !json => print_line(format_args!("{} has the same bytes.", file.display())),
        _ => Ok(()),
    }
}

pub(super) async fn dev(wanted: Dev) -> anyhow::Result<()> {
    let Dev { path, number, name, config, allow_host } = wanted;
    let server = RemoteServer::from_environment()?;
    let config = config.as_deref().map(json).transpose()?;
    let number_id = server.number_id(&number).await?;
    let (own, component, project) = match path.is_dir() {
        true => {
            let project = Project::open(&path)?;
            (project.name.clone(), project.component(), Some(project))
        }
        false => (stem(&path), path.clone(), None),
    };
    let name = name.unwrap_or(own);
    let activation = server::ActivationRequest {
        number: Some(number_id),
        config,
        allowed_hosts: allow_host,
        ..server::ActivationRequest::default()
    };
    let session = DevSession { name: name.clone(), component, project, activation };
    let stop = async {
        // If the signal cannot be heard, the session ends with the program.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    match session.run(&server, stop, &mut std::io::stdout()).await {
        Err(DevError::Output(fault)) => return standard_output::if_read(Err(fault)).map(drop),
        ended => ended?,
    }
    print_line(format_args!(
        "the last version stays active for {number}. To end that: patchbay plugin deactivate {name} --number {number}"
    ))
}

pub(super) async fn give_back(wanted: &GiveBack) -> anyhow::Result<()> {
    let GiveBack { customer, number } = wanted;
    let returned = RemoteServer::from_environment()?.give_back(number, customer).await?;
    match returned.closed {
        true => print_line(format_args!("the chat of {customer} is closed: its next message begins with the chatbot")),
        false => print_line(format_args!("the chatbot has the chat of {customer}")),
    }
}

pub(super) async fn replay(name: &str, file: Option<PathBuf>, version: Option<u32>, limit: u32) -> anyhow::Result<()> {
    let server = RemoteServer::from_environment()?;
    let mut progress = StepProgress::new();
    let replayed = match (file, version) {
        (Some(file), _) => server.replay_here(name, &file, limit, &mut |text| progress.tell(text)).await?,
        (None, Some(version)) => server.replay(name, version, limit).await?,
        (None, None) => bail!("name a component file, or an uploaded version with --version"),
    };
    progress.done();
    print_line(&replayed)?;
    if !replayed.is_identical() {
        bail!("some calls have another result than recorded");
    }
    Ok(())
}
