use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use channels::http::ApiCall;
use serde::Deserialize;

use super::{BASE, RemoteServer, ServerError, SignatureEntry, UploadParts};

/// Timeout of an upload, and of the check and compilation after it.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(600);
const UPLOADS: &str = "/plugin-service/api/v1/plugin-uploads";
/// Pauses between progress requests. They grow, so that a small component is active soon after it is built.
const FIRST_POLL: Duration = Duration::from_millis(50);
const LAST_POLL: Duration = Duration::from_millis(500);
/// Most consecutive progress requests without an answer.
const MOST_SILENT: u32 = 20;
const POLL_INTERVAL: Duration = Duration::from_millis(250);

#[derive(Debug, Clone, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PushedVersion {
    pub name: String,
    pub version: u32,
    pub world: String,
    pub sha256: String,
    pub size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureEntry>,
    /// Whether the same bytes were uploaded before.
    #[serde(skip)]
    pub known: bool,
    /// The numbers for which an earlier version is live. `None` = all numbers.
    #[serde(skip)]
    pub live_for: Vec<Option<String>>,
}

impl fmt::Display for PushedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, world, .. } = self;
        match self.known {
            true => writeln!(f, "{name} version {version}: the server has these bytes already")?,
            false => writeln!(f, "{name} version {version}: uploaded ({world}, {})", size(self.size))?,
        }
        if let Some(signature) = &self.signature {
            writeln!(f, "  signed: {signature}")?;
        }
        let command = format!("Activate it: patchbay plugin activate {name} --version {version}");
        let with_place = |number: &Option<String>| match number {
            Some(number) => format!("{command} --number {number}"),
            None => command.clone(),
        };
        match self.live_for.as_slice() {
            [] => write!(f, "{command} --number NUMBER\n  (without --number: for all numbers)"),
            places => f.write_str(&places.iter().map(with_place).collect::<Vec<_>>().join("\n")),
        }
    }
}

impl RemoteServer {
    /// Uploads a component under a name. `progress` gets status messages.
    pub async fn push(
        &self,
        name: &str,
        component: &Path,
        progress: &mut dyn FnMut(&str),
    ) -> Result<PushedVersion, ServerError> {
        let unreadable = |source| ServerError::Unreadable { path: component.to_owned(), source };
        let bytes = Bytes::from(tokio::fs::read(component).await.map_err(unreadable)?);
        self.push_parts(name, UploadParts { component: bytes, signature: None, source: None }, progress).await
    }

    /// Uploads a component with its signature and source.
    pub async fn push_parts(
        &self,
        name: &str,
        parts: UploadParts,
        progress: &mut dyn FnMut(&str),
    ) -> Result<PushedVersion, ServerError> {
        crate::project::check_name(name).map_err(ServerError::Name)?;
        let (kind, bytes) = parts.into_body();
        let (total, sent) = (bytes.len() as u64, Arc::new(AtomicU64::new(0)));
        let call = ApiCall {
            method: "POST",
            path: format!("{BASE}?name={name}"),
            headers: &[("Prefer", "respond-async")],
            body: Some((&kind, bytes)),
            sent: Some(Arc::clone(&sent)),
            timeout: UPLOAD_TIMEOUT,
        };
        let uploading = self.good(call);
        tokio::pin!(uploading);
        let mut beat = tokio::time::interval(POLL_INTERVAL);
        let answer = loop {
            tokio::select! {
                answer = &mut uploading => break answer?,
                _ = beat.tick() => progress(&progress_text(sent.load(Ordering::Relaxed), total)),
            }
        };
        let strange = |fault: serde_json::Error| ServerError::Strange(fault.to_string());
        if answer.status == 202 {
            let begun: Upload = serde_json::from_slice(&answer.body).map_err(strange)?;
            return self.wait_for_compilation(&begun.id, total, progress).await;
        }
        let pushed: PushedVersion = serde_json::from_slice(&answer.body).map_err(strange)?;
        Ok(PushedVersion { known: answer.status == 200, ..pushed })
    }

    /// Waits until the server has compiled an upload. `progress` gets the elapsed time.
    async fn wait_for_compilation(
        &self,
        id: &str,
        size: u64,
        progress: &mut dyn FnMut(&str),
    ) -> Result<PushedVersion, ServerError> {
        let began = Instant::now();
        let (mut silent, mut pause) = (0, FIRST_POLL);
        loop {
            progress(&compiling(size, began.elapsed()));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_POLL);
            let asked = self.json::<Upload>("GET", format!("{UPLOADS}/{id}"), None, super::TIMEOUT).await;
            let upload = match asked {
                // A server that restarts or is briefly busy still has the upload.
                Err(ServerError::NoAnswer { .. } | ServerError::Busy(_)) if silent < MOST_SILENT => {
                    silent += 1;
                    continue;
                }
                asked => asked?,
            };
            silent = 0;
            match (upload.plugin, upload.refused) {
                (Some(pushed), _) => return Ok(pushed),
                (None, Some(refused)) => {
                    return Err(ServerError::of_refusal(refused.status, &refused.body, self.address()));
                }
                (None, None) if began.elapsed() > UPLOAD_TIMEOUT => {
                    let said = format!("the upload {id} is not compiled after {} s", UPLOAD_TIMEOUT.as_secs());
                    return Err(ServerError::Refused(said));
                }
                (None, None) => {}
            }
        }
    }
}

#[derive(Deserialize)]
struct Upload {
    id: String,
    plugin: Option<PushedVersion>,
    refused: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    status: u16,
    #[serde(flatten)]
    body: serde_json::Value,
}

fn compiling(size_of_it: u64, since: Duration) -> String {
    let seconds = match since.as_secs() {
        0 => String::new(),
        seconds => format!(": {seconds} s"),
    };
    format!("uploaded {}; the server checks and compiles it{seconds}", size(size_of_it))
}

fn progress_text(sent: u64, total: u64) -> String {
    match sent >= total {
        true => format!("uploaded {}; the server checks and compiles it", size(total)),
        false => format!("uploading: {} of {} ({} %)", size(sent), size(total), sent * 100 / total.max(1)),
    }
}

pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}
