//! Records calls, and fetches recorded calls.

use plugin_host::Recording;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{RemoteServer, Scope, ServerAnswer, ServerError};

/// Recordings per page. Each may contain everything that a plugin read and sent.
const PAGE: u32 = 100;
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(600);

/// The bounds of a recording. `None` = the usual one of the server.
#[derive(Debug, Clone, Default)]
pub struct RecordingBounds {
    /// Id or spelling of a number. `None` = the activation for all numbers.
    pub number: Option<String>,
    pub mode: Option<String>,
    /// Share of the calls, above 0 and up to 1.
    pub sample: Option<f64>,
    pub max_calls: Option<u32>,
    pub max_bytes: Option<u64>,
    pub seconds: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCall {
    /// Later calls have greater ids.
    pub id: String,
    pub subject_id: String,
    pub recording: Recording,
}

#[derive(Deserialize)]
struct Page {
    content: Vec<RecordedCall>,
}

impl RemoteServer {
    pub async fn record(&self, name: &str, terms: &RecordingBounds) -> Result<ServerAnswer<Scope>, ServerError> {
        let mut body = Map::new();
        let fields = [
            ("whatsAppNumberId", self.optional_number_id(terms.number.as_deref()).await?.map(Value::from)),
            ("mode", terms.mode.clone().map(Value::from)),
            ("sample", terms.sample.map(Value::from)),
            ("maxCalls", terms.max_calls.map(Value::from)),
            ("maxBytes", terms.max_bytes.map(Value::from)),
            ("forSeconds", terms.seconds.map(Value::from)),
        ];
        body.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        self.answer("POST", Self::path(name, "/recording")?, Some(&Value::Object(body))).await
    }

    /// Ends the recordings of a plugin for a number, or for all numbers. Recorded calls stay.
    pub async fn stop_recording(&self, name: &str, number: Option<&str>) -> Result<(), ServerError> {
        let body = json!({"whatsAppNumberId": self.optional_number_id(number).await?});
        self.send("DELETE", Self::path(name, "/recording")?, Some(&body)).await
    }

    /// Up to `most` recorded calls, newest first. `progress` gets their number.
    pub async fn recorded_calls(
        &self,
        name: &str,
        most: usize,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<RecordedCall>, ServerError> {
        let (base, mut found) = (Self::path(name, "/recordings")?, vec![]);
        let size = usize::try_from(PAGE).unwrap_or(usize::MAX).min(most.max(1));
        for page in 0.. {
            progress(&format!("fetching recordings: {}", found.len()));
            let path = format!("{base}?form=exact&page={page}&size={size}");
            let Page { content } = self.json("GET", path, None, TIMEOUT).await?;
            let last = content.len() < size;
            found.extend(content);
            if last || found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        Ok(found)
    }
}
