//! The values that a plugin has stored.

use std::fmt;

use serde::Deserialize;

use super::{RemoteServer, ServerAnswer, ServerError};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredValue {
    pub key: String,
    /// The value, if it is text.
    pub value: Option<String>,
    /// The value, if it is not text.
    pub value_base64: Option<String>,
    /// `None`: it is kept.
    pub expires_time: Option<String>,
}

impl fmt::Display for StoredValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.value, &self.value_base64) {
            (Some(text), _) => write!(f, "{} = {text}", self.key)?,
            (None, base64) => write!(f, "{} = {} (base64)", self.key, base64.as_deref().unwrap_or_default())?,
        }
        match &self.expires_time {
            Some(time) => write!(f, "  (until {time})"),
            None => Ok(()),
        }
    }
}

impl RemoteServer {
    /// The values of a participant, or those that all participants share.
    pub async fn key_values(
        &self,
        name: &str,
        participant: Option<&str>,
        most: usize,
    ) -> Result<Vec<ServerAnswer<StoredValue>>, ServerError> {
        let path = Self::path(name, "/key-values")?;
        let path = match participant {
            Some(id) if uuid::Uuid::parse_str(id).is_ok() => format!("{path}?participantId={id}"),
            Some(id) => {
                let said =
                    format!("`{id}` is not the id of a participant; `patchbay plugin logs {name}` shows the ids");
                return Err(ServerError::Refused(said));
            }
            None => path,
        };
        self.items(&path, most).await
    }
}
