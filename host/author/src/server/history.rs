use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::{RemoteServer, ServerAnswer, ServerError, TIMEOUT, answer::PAGE};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventEntry {
    pub time: String,
    /// `UPLOADED`, `ACTIVATED`, `CIRCUIT_OPENED` and others.
    pub kind: String,
    pub version: Option<u64>,
    pub reason: Option<String>,
}

impl fmt::Display for EventEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.map_or_else(|| "-".to_owned(), |version| format!("v{version}"));
        write!(f, "{}  {version:<5} {:<18}", self.time, self.kind)?;
        match &self.reason {
            Some(reason) => write!(f, " {reason}"),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct ShadowDifferences {
    content: Vec<ShadowDifference>,
    #[serde(default)]
    skipped: Vec<SkippedComparisons>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShadowDifference {
    time: Option<String>,
    version: Option<u64>,
    live_plugin: String,
    live_version: Option<u64>,
    subject_id: String,
    live: Value,
    shadow: Value,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SkippedComparisons {
    comparisons: u64,
    last_time: String,
}

impl fmt::Display for ShadowDifferences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut line = |f: &mut fmt::Formatter<'_>| if std::mem::take(&mut first) { Ok(()) } else { writeln!(f) };
        for difference in &self.content {
            line(f)?;
            let ShadowDifference { version, live_plugin, live_version, subject_id, live, shadow, .. } = difference;
            let number = |version: &Option<u64>| version.map_or_else(|| "-".to_owned(), |version| version.to_string());
            let time = difference.time.as_deref().unwrap_or("-");
            write!(f, "{time}  about {subject_id}")?;
            write!(f, "\n    live   {live_plugin} v{}: {live}", number(live_version))?;
            write!(f, "\n    shadow v{}: {shadow}", number(version))?;
        }
        for SkippedComparisons { comparisons, last_time } in &self.skipped {
            line(f)?;
            write!(
                f,
                "{comparisons} comparisons were skipped because the server had no room, the last at {last_time}"
            )?;
        }
        if self.content.is_empty() {
            line(f)?;
            write!(f, "no shadow answered differently")?;
        }
        Ok(())
    }
}

impl RemoteServer {
    pub async fn events(&self, name: &str, most: usize) -> Result<Vec<ServerAnswer<EventEntry>>, ServerError> {
        let mut events: Vec<ServerAnswer<EventEntry>> = self.items(&Self::path(name, "/events")?, most).await?;
        self.name_in_texts(events.iter_mut().filter_map(|event| event.value.reason.as_mut())).await;
        Ok(events)
    }

    pub async fn differences(&self, name: &str, most: usize) -> Result<ServerAnswer<ShadowDifferences>, ServerError> {
        let path = format!("{}?page=0&size={}", Self::path(name, "/differences")?, most.clamp(1, PAGE));
        ServerAnswer::read(self.json("GET", path, None, TIMEOUT).await?)
    }
}
