//! `patchbay plugin dev`: builds, uploads and activates a chatbot for a development number after each change of a
//! source, and shows its conversations, which are read from the recordings of the activation.

mod screen;

use std::{
    io,
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    Project,
    build::BackgroundBuild,
    server::{ActivationRequest, LogFilter, Logs, RecordingBounds, RemoteServer, ServerError},
    watch::{ChangeWatch, WatchTarget},
};

const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Recordings that are fetched at each beat.
const RECORDINGS: usize = 50;
const RECORDING_SECONDS: u64 = 86_400;
const RECORDED_CALLS: u32 = 10_000;

pub struct DevSession {
    pub name: String,
    pub component: PathBuf,
    /// The project of the component. It is built again when a source changes. `None` = the component itself is watched.
    pub project: Option<Project>,
    /// Version, mode and so on are set by the session.
    pub activation: ActivationRequest,
}

#[derive(Debug, thiserror::Error)]
pub enum DevError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("the sources cannot be watched: {0}")]
    Watch(String),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

enum DevEvent {
    Changed,
    Built(Result<(), String>),
    Beat,
    Stop,
}

impl DevSession {
    /// Runs until `stop` is ready. Failures of builds and uploads are shown, and the session waits for the next change.
    pub async fn run(
        &self,
        server: &RemoteServer,
        stop: impl Future<Output = ()>,
        out: &mut (dyn io::Write + Send),
    ) -> Result<(), DevError> {
        let mut watch = ChangeWatch::start(WatchTarget::of(self.project.as_ref(), &self.component))
            .map_err(|fault| DevError::Watch(fault.to_string()))?;
        let mut stop = std::pin::pin!(stop);
        let mut beat = tokio::time::interval(POLL_INTERVAL);
        let mut shown = ShownCalls::new(server, &self.name)?;
        // Calls of earlier sessions are not shown.
        shown.skip_present().await;
        let mut build = BackgroundBuild::default();
        let mut changed_at = Instant::now();
        let mut is_stale = false;
        match &self.project {
            Some(project) => {
                build.start(project.clone());
                writeln!(out, "building")?;
            }
            None => self.put_in_force(server, changed_at, out).await?,
        }
        loop {
            out.flush()?;
            let event = tokio::select! {
                biased;
                () = &mut stop => DevEvent::Stop,
                built = build.finish() => DevEvent::Built(built),
                () = watch.wait_for_change() => DevEvent::Changed,
                _ = beat.tick() => DevEvent::Beat,
            };
            match event {
                DevEvent::Stop => return Ok(()),
                DevEvent::Changed => {
                    changed_at = Instant::now();
                    match &self.project {
                        // A source that is saved during a build needs another build.
                        Some(_) if build.is_running() => is_stale = true,
                        Some(project) => {
                            writeln!(out, "a source has changed: building")?;
                            build.start(project.clone());
                        }
                        None => self.put_in_force(server, changed_at, out).await?,
                    }
                }
                DevEvent::Built(built) => {
                    match built {
                        Ok(()) => self.put_in_force(server, changed_at, out).await?,
                        Err(reason) => {
                            writeln!(out, "the build failed, and the version before stays active:\n{reason}")?;
                        }
                    }
                    if let Some(project) = self.project.as_ref().filter(|_| std::mem::take(&mut is_stale)) {
                        build.start(project.clone());
                    }
                }
                DevEvent::Beat => shown.show_new(out).await?,
            }
        }
    }

    /// Uploads, activates and records. A refusal of the server is shown.
    async fn put_in_force(
        &self,
        server: &RemoteServer,
        changed_at: Instant,
        out: &mut (dyn io::Write + Send),
    ) -> Result<(), DevError> {
        match self.swap(server).await {
            Ok(Some(active)) => {
                let seconds = changed_at.elapsed().as_secs_f64();
                writeln!(out, "{active}\n  {seconds:.1} s after the change")?;
            }
            Ok(None) => writeln!(out, "built; nothing has changed")?,
            Err(error @ (ServerError::NoKey | ServerError::UnknownKey(_) | ServerError::NotAllowed)) => {
                return Err(error.into());
            }
            Err(error) => writeln!(out, "not active: {error}")?,
        }
        Ok(())
    }

    /// The new activation, in words. `None` if the same version with the same settings is active already.
    async fn swap(&self, server: &RemoteServer) -> Result<Option<String>, ServerError> {
        let pushed = server.push(&self.name, &self.component, &mut |_| {}).await?;
        let wanted = ActivationRequest {
            version: Some(pushed.version),
            mode: Some("live".to_owned()),
            ..self.activation.clone()
        };
        let active = server.activate(&self.name, &wanted).await?;
        let is_recorded = active.value.recording.as_ref().is_some_and(|recording| recording.stop_reason.is_none());
        if is_recorded {
            return Ok(None);
        }
        let terms = RecordingBounds {
            number: self.activation.number.clone(),
            max_calls: Some(RECORDED_CALLS),
            seconds: Some(RECORDING_SECONDS),
            ..RecordingBounds::default()
        };
        server.record(&self.name, &terms).await?;
        Ok(Some(active.to_string()))
    }
}

struct ShownCalls<'a> {
    server: &'a RemoteServer,
    name: &'a str,
    logs: Logs<'a>,
}

impl<'a> ShownCalls<'a> {
    fn new(server: &'a RemoteServer, name: &'a str) -> Result<Self, ServerError> {
        Ok(Self { server, name, logs: server.logs(name, &LogFilter::default())? })
    }

    /// Passes over the calls until now. A plugin that is not there yet has none.
    async fn skip_present(&mut self) {
        drop(self.logs.next().await);
    }

    /// Shows new calls. If the server does not answer, they come at a later beat.
    async fn show_new(&mut self, out: &mut (dyn io::Write + Send)) -> Result<(), DevError> {
        let Ok(calls) = self.logs.next().await else { return Ok(()) };
        if calls.is_empty() {
            return Ok(());
        }
        // A recording is stored in one transaction with its call.
        let recorded = self.server.recorded_calls(self.name, RECORDINGS, &mut |_| {}).await.unwrap_or_default();
        for call in &calls {
            let recorded = recorded.iter().find(|recorded| recorded.id == call.value.id);
            writeln!(out, "{}", screen::words(&call.value, recorded))?;
        }
        Ok(())
    }
}
