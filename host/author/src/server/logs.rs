//! The log of a plugin's calls.

use std::{collections::VecDeque, fmt, time::Duration};

use serde::Deserialize;

use super::{PATIENCE, Server, ServerError};

const PAGE: usize = 100;
const BEAT: Duration = Duration::from_secs(1);
/// Ids that a follower remembers, so that no call is shown twice.
const REMEMBERED: usize = 4 * PAGE;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    /// Later calls have greater ids.
    pub id: String,
    pub time: Option<String>,
    /// The version; `None` if the plugin could not be called.
    pub version: Option<u64>,
    /// `live`, `shadow` or `canary`.
    pub mode: Option<String>,
    pub outcome: String,
    pub duration_micros: i64,
    #[serde(default)]
    pub logs: Vec<String>,
    pub error: Option<String>,
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
        let time = self.time.as_deref().unwrap_or("-");
        let micros = self.duration_micros.max(0);
        write!(f, "{time}  v{version}  {:<14} {}.{:03} ms", self.outcome, micros / 1_000, micros % 1_000)?;
        if let Some(mode) = self.mode.as_deref().filter(|mode| *mode != "live") {
            write!(f, "  ({mode})")?;
        }
        if let Some(error) = &self.error {
            write!(f, "\n    {error}")?;
        }
        self.logs.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

#[derive(Deserialize)]
struct Page {
    content: Vec<Invocation>,
}

/// Reads the calls of a plugin, oldest first, each once.
pub struct Logs<'a> {
    server: &'a Server,
    path: String,
    seen: VecDeque<String>,
}

impl Server {
    /// The calls of a plugin, optionally only those with one outcome.
    ///
    /// # Errors
    /// If the name or the outcome is invalid.
    pub fn logs(&self, name: &str, outcome: Option<&str>) -> Result<Logs<'_>, ServerError> {
        let mut path = Self::path(name, "/invocations")?;
        if let Some(outcome) = outcome {
            // The server knows the valid outcomes. This only refuses text that must not be in a URL.
            if outcome.is_empty() || !outcome.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-') {
                return Err(ServerError::Refused(format!(
                    "`{outcome}` is not an outcome, such as answered or trapped"
                )));
            }
            path = format!("{path}?outcome={outcome}&");
        } else {
            path.push('?');
        }
        Ok(Logs { server: self, path, seen: VecDeque::new() })
    }
}

impl Logs<'_> {
    /// The calls since the last read, oldest first. The first read returns the latest hundred.
    pub async fn next(&mut self) -> Result<Vec<Invocation>, ServerError> {
        let (first_time, mut new) = (self.seen.is_empty(), vec![]);
        for page in 0.. {
            let path = format!("{}page={page}&size={PAGE}", self.path);
            let Page { content } = self.server.json("GET", path, None, PATIENCE).await?;
            let fetched = content.len();
            let unseen: Vec<Invocation> = content.into_iter().filter(|call| !self.seen.contains(&call.id)).collect();
            let all_new = unseen.len() == PAGE;
            new.extend(unseen);
            // Pages shift while calls are made, so duplicates are filtered here.
            if first_time || !all_new || fetched < PAGE || new.len() >= REMEMBERED {
                break;
            }
        }
        new.sort_by(|a, b| a.id.cmp(&b.id));
        new.dedup_by(|a, b| a.id == b.id);
        self.seen.extend(new.iter().map(|call| call.id.clone()));
        let forgotten = self.seen.len().saturating_sub(REMEMBERED);
        self.seen.drain(..forgotten);
        Ok(new)
    }

    pub async fn wait(&self) {
        tokio::time::sleep(BEAT).await;
    }
}
