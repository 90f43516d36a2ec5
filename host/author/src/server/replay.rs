//! Replays recorded calls: at the server, or here with a local build.

use std::{fmt, path::Path, sync::Arc, time::Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{RecordedCall, RemoteServer, ServerError};
use crate::local_run::{LocalError, LocalHost, web::StubWeb};

const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(600);
/// Most differences that are printed.
const SHOWN: usize = 20;

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Local(#[from] LocalError),
    #[error("a recorded call cannot be repeated: {0}")]
    Call(#[from] plugin_host::CallError),
    #[error("no calls of `{0}` are recorded; start with: patchbay plugin record {0}")]
    Nothing(String),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplaySummary {
    pub replayed: u64,
    pub identical: u64,
    pub different: Vec<Value>,
    pub per_second: f64,
}

impl ReplaySummary {
    /// True if each call gave its recorded result again.
    pub fn is_identical(&self) -> bool {
        self.identical == self.replayed
    }
}

impl fmt::Display for ReplaySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { replayed, identical, different, per_second } = self;
        let others = replayed.saturating_sub(*identical);
        write!(f, "{replayed} calls replayed ({per_second:.0} a second): {identical} identical, {others} different")?;
        for difference in different.iter().take(SHOWN) {
            let text = |name: &str| difference.get(name).and_then(Value::as_str);
            let id = text("id").or_else(|| text("recordingId")).unwrap_or("-");
            match text("firstDifference").or_else(|| text("difference")) {
                Some(words) => write!(f, "\n  {id}\n    {}", words.replace('\n', "\n    "))?,
                None => write!(f, "\n  {id}\n    {difference}")?,
            }
        }
        match different.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl RemoteServer {
    /// Replays recorded calls at the server, with a version that was uploaded.
    pub async fn replay(&self, name: &str, version: u32, limit: u32) -> Result<ReplaySummary, ServerError> {
        let body = json!({"version": version, "limit": limit});
        self.json("POST", Self::path(name, "/replay")?, Some(&body), TIMEOUT).await
    }

    /// Replays recorded calls here, with a component that need not be uploaded. `progress` gets status messages.
    pub async fn replay_here(
        &self,
        name: &str,
        component: &Path,
        limit: u32,
        progress: &mut dyn FnMut(&str),
    ) -> Result<ReplaySummary, ReplayError> {
        progress("loading the component");
        let local_host = LocalHost::start().await?;
        let loaded = local_host.load(name, component).await?;
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let recordings = self.recorded_calls(name, most, progress).await?;
        if recordings.is_empty() {
            return Err(ReplayError::Nothing(name.to_owned()));
        }
        progress(&format!("replaying {} calls", recordings.len()));
        let client = local_host.client(Arc::new(StubWeb::default()));
        let (began, mut identical, mut different) = (Instant::now(), 0, vec![]);
        for RecordedCall { id, recording, .. } in &recordings {
            let replay = local_host.host.replay(client, &loaded.plugin, recording).await?;
            match replay.identical {
                true => identical += 1,
                false => different.push(json!({"id": id, "firstDifference": replay.first_difference})),
            }
        }
        let replayed = recordings.len() as u64;
        let per_second = replayed as f64 / began.elapsed().as_secs_f64().max(f64::EPSILON);
        Ok(ReplaySummary { replayed, identical, different, per_second })
    }
}
