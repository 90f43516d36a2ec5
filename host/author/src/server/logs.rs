use std::{collections::VecDeque, fmt, time::Duration};

use serde::Deserialize;
use serde_json::Value;

use super::{RemoteServer, ServerAnswer, ServerError, TIMEOUT, size};

const PAGE: usize = 100;
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Ids that a follower remembers, so that no call is shown twice.
const REMEMBERED: usize = 4 * PAGE;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedInvocation {
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
    pub peak_memory_bytes: u64,
    /// For a chatbot: the event, such as `message`.
    pub event: Option<String>,
    /// For a failed call of a chatbot: the consequence for the chat.
    pub consequence: Option<String>,
    /// The participant, message or delivery.
    pub subject_id: Option<String>,
    #[serde(default)]
    pub logs: Vec<String>,
    pub error: Option<String>,
}

impl LoggedInvocation {
    /// Its memory; `-` if no call was made.
    pub(crate) fn memory(&self) -> String {
        match self.peak_memory_bytes {
            0 => "-".to_owned(),
            bytes => size(bytes),
        }
    }
}

impl fmt::Display for LoggedInvocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
        let time = self.time.as_deref().unwrap_or("-");
        let micros = self.duration_micros.max(0);
        write!(f, "{time}  v{version}  {:<14} {}.{:03} ms", self.outcome, micros / 1_000, micros % 1_000)?;
        write!(f, "  {}", self.memory())?;
        if let Some(event) = &self.event {
            write!(f, "  {event}")?;
        }
        if let Some(subject) = &self.subject_id {
            write!(f, "  {subject}")?;
        }
        if let Some(mode) = self.mode.as_deref().filter(|mode| *mode != "live") {
            write!(f, "  ({mode})")?;
        }
        if let Some(error) = &self.error {
            write!(f, "\n    {error}")?;
        }
        if let Some(consequence) = &self.consequence {
            write!(f, "\n    -> {consequence}")?;
        }
        self.logs.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

/// A filter of calls. `None` = all.
#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    /// Such as `trapped`.
    pub outcome: Option<String>,
    pub event: Option<String>,
    pub subject: Option<String>,
}

/// The conditions, such as `the outcome trapped and the event timer`.
impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = [("outcome", &self.outcome), ("event", &self.event), ("participant", &self.subject)];
        let given = fields.into_iter().filter_map(|(name, value)| Some(format!("the {name} {}", value.as_ref()?)));
        f.write_str(&given.collect::<Vec<_>>().join(" and "))
    }
}

impl LogFilter {
    pub fn is_empty(&self) -> bool {
        self.outcome.is_none() && self.event.is_none() && self.subject.is_none()
    }

    fn query(&self) -> Result<String, ServerError> {
        let mut query = String::new();
        let fields = [
            ("outcome", &self.outcome, "an outcome, such as answered or trapped"),
            ("event", &self.event, "an event, such as message or timer"),
            ("subjectId", &self.subject, "the id of a participant"),
        ];
        for (name, value, meaning) in fields {
            let Some(value) = value else { continue };
            // The server knows the valid words. This only refuses text that must not be in a URL.
            if value.is_empty() || !value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') {
                return Err(ServerError::Refused(format!("`{value}` is not {meaning}")));
            }
            query = format!("{query}{name}={value}&");
        }
        Ok(query)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    content: Vec<Value>,
    #[serde(default)]
    total_elements: u64,
}

pub struct Logs<'a> {
    server: &'a RemoteServer,
    path: String,
    seen: VecDeque<String>,
}

impl RemoteServer {
    /// The calls of a plugin that fit a filter. An invalid name or filter is an error.
    pub fn logs(&self, name: &str, filter: &LogFilter) -> Result<Logs<'_>, ServerError> {
        let path = format!("{}?{}", Self::path(name, "/invocations")?, filter.query()?);
        Ok(Logs { server: self, path, seen: VecDeque::new() })
    }

    /// The number of calls of a plugin that are kept.
    pub async fn count_calls(&self, name: &str) -> Result<u64, ServerError> {
        let path = format!("{}?page=0&size=1", Self::path(name, "/invocations")?);
        let page: Page = self.json("GET", path, None, TIMEOUT).await?;
        Ok(page.total_elements)
    }
}

impl Logs<'_> {
    /// The calls since the last read, oldest first. The first read returns the latest hundred.
    pub async fn next(&mut self) -> Result<Vec<ServerAnswer<LoggedInvocation>>, ServerError> {
        let (first_time, mut new) = (self.seen.is_empty(), vec![]);
        for page in 0.. {
            let path = format!("{}page={page}&size={PAGE}", self.path);
            let Page { content, .. } = self.server.json("GET", path, None, TIMEOUT).await?;
            let fetched = content.len();
            let mut unseen: Vec<ServerAnswer<LoggedInvocation>> =
                content.into_iter().map(ServerAnswer::read).collect::<Result<_, ServerError>>()?;
            unseen.retain(|call| !self.seen.contains(&call.value.id));
            let all_new = unseen.len() == PAGE;
            new.extend(unseen);
            // Pages shift while calls are made, so duplicates are filtered here.
            if first_time || !all_new || fetched < PAGE || new.len() >= REMEMBERED {
                break;
            }
        }
        new.sort_by(|a, b| a.value.id.cmp(&b.value.id));
        new.dedup_by(|a, b| a.value.id == b.value.id);
        self.seen.extend(new.iter().map(|call| call.value.id.clone()));
        let forgotten = self.seen.len().saturating_sub(REMEMBERED);
        self.seen.drain(..forgotten);
        Ok(new)
    }

    pub async fn wait(&self) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
