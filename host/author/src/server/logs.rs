//! What the calls of a plugin did.

use std::{collections::VecDeque, fmt, time::Duration};

use serde::Deserialize;

use super::{PATIENCE, Server, ServerError};

/// Calls that are fetched at once.
const PAGE: usize = 100;
/// How often a follower looks.
const BEAT: Duration = Duration::from_secs(1);
/// Ids that a follower remembers, so that nothing is shown twice.
const REMEMBERED: usize = 4 * PAGE;

/// One call of a plugin.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    /// Id; later calls have greater ones.
    pub id: String,
    /// When.
    pub time: Option<String>,
    /// Which version was asked; none was where it could not be called.
    pub version: Option<u64>,
    /// `live`, `shadow` or `canary`.
    pub mode: Option<String>,
    /// How it ended.
    pub outcome: String,
    /// How long it took.
    pub duration_micros: i64,
    /// Log lines.
    #[serde(default)]
    pub logs: Vec<String>,
    /// Why it failed.
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
    /// The calls of a plugin, perhaps only those with one outcome.
    ///
    /// # Errors
    /// When the name or the outcome is none.
    pub fn logs(&self, name: &str, outcome: Option<&str>) -> Result<Logs<'_>, ServerError> {
        let mut path = Self::path(name, "/invocations")?;
        if let Some(outcome) = outcome {
            // The server knows which there are; what is no word at all has no place in an address.
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
    /// Those that were not read before, oldest first; the first time, the latest hundred.
    ///
    /// # Errors
    /// See [`ServerError`].
    pub async fn next(&mut self) -> Result<Vec<Invocation>, ServerError> {
        let (first_time, mut new) = (self.seen.is_empty(), vec![]);
        for page in 0.. {
            let path = format!("{}page={page}&size={PAGE}", self.path);
            let Page { content } = self.server.json("GET", path, None, PATIENCE).await?;
            let fetched = content.len();
            let unseen: Vec<Invocation> = content.into_iter().filter(|call| !self.seen.contains(&call.id)).collect();
            let all_new = unseen.len() == PAGE;
            new.extend(unseen);
            // Pages shift while calls are made; what comes twice is filtered here.
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

    /// Waits until it is worth looking again.
    pub async fn wait(&self) {
        tokio::time::sleep(BEAT).await;
    }
}
