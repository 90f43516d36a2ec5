//! Uploads a component.

use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use channels::http::ApiCall;
use serde::Deserialize;

use super::{BASE, Server, ServerError};

/// Time for an upload, and for the check and the compiling that follow.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often the progress is told.
const BEAT: Duration = Duration::from_millis(250);

/// A version at the server.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pushed {
    /// Name of the plugin.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// What it is.
    pub world: String,
    /// Hash of the component.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// The same bytes had been uploaded before.
    #[serde(skip)]
    pub known: bool,
}

impl fmt::Display for Pushed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, world, .. } = self;
        match self.known {
            true => writeln!(f, "{name} version {version}: the server has these bytes already")?,
            false => writeln!(f, "{name} version {version}: uploaded ({world}, {})", size(self.size))?,
        }
        write!(f, "Put it in charge with: patchbay plugin activate {name} --version {version}")
    }
}

impl Server {
    /// Uploads a component under a name. `progress` hears how far it is.
    ///
    /// # Errors
    /// See [`ServerError`].
    pub async fn push(
        &self,
        name: &str,
        component: &Path,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Pushed, ServerError> {
        crate::project::check_name(name).map_err(ServerError::Name)?;
        let unreadable = |source| ServerError::Unreadable { path: component.to_owned(), source };
        let bytes = Bytes::from(tokio::fs::read(component).await.map_err(unreadable)?);
        let (total, sent) = (bytes.len() as u64, Arc::new(AtomicU64::new(0)));
        let call = ApiCall {
            method: "POST",
            path: format!("{BASE}?name={name}"),
            body: Some(("application/wasm", bytes)),
            sent: Some(Arc::clone(&sent)),
            timeout: PATIENCE,
        };
        let uploading = self.good(call);
        tokio::pin!(uploading);
        let mut beat = tokio::time::interval(BEAT);
        let answer = loop {
            tokio::select! {
                answer = &mut uploading => break answer?,
                _ = beat.tick() => progress(&told(sent.load(Ordering::Relaxed), total)),
            }
        };
        let pushed: Pushed =
            serde_json::from_slice(&answer.body).map_err(|fault| ServerError::Strange(fault.to_string()))?;
        Ok(Pushed { known: answer.status == 200, ..pushed })
    }
}

/// How far an upload is.
fn told(sent: u64, total: u64) -> String {
    match sent >= total {
        true => format!("uploaded {}; the server checks and compiles it", size(total)),
        false => format!("uploading: {} of {} ({} %)", size(sent), size(total), sent * 100 / total.max(1)),
    }
}

/// A number of bytes as people write it.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}
