//! Answers of the server in two forms.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{RemoteServer, ServerError, TIMEOUT};

pub(super) const PAGE: usize = 200;

/// An answer of the server: the JSON as it came, for scripts, and its meaning, for people.
#[derive(Debug, Clone)]
pub struct ServerAnswer<T> {
    pub json: Value,
    pub value: T,
    /// A part of the text for people could not be made. The JSON is complete.
    pub warning: Option<String>,
}

impl<T: DeserializeOwned> ServerAnswer<T> {
    pub(super) fn read(json: Value) -> Result<Self, ServerError> {
        let value = T::deserialize(&json).map_err(|fault| ServerError::Strange(fault.to_string()))?;
        Ok(Self { json, value, warning: None })
    }
}

impl<T: fmt::Display> fmt::Display for ServerAnswer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        match &self.warning {
            Some(warning) => write!(f, "\nWarning: {warning}"),
            None => Ok(()),
        }
    }
}

impl RemoteServer {
    /// A request whose answer is kept in both forms.
    pub(super) async fn answer<T: DeserializeOwned>(
        &self,
        method: &str,
        path: String,
        body: Option<&Value>,
    ) -> Result<ServerAnswer<T>, ServerError> {
        ServerAnswer::read(self.json(method, path, body, TIMEOUT).await?)
    }

    /// The first `most` items of a list, page by page.
    pub(super) async fn items<T: DeserializeOwned>(
        &self,
        path: &str,
        most: usize,
    ) -> Result<Vec<ServerAnswer<T>>, ServerError> {
        let mut found = vec![];
        for page in 0.. {
            let size = PAGE.min(most);
            let joint = if path.contains('?') { '&' } else { '?' };
            let path = format!("{path}{joint}page={page}&size={size}");
            let read: Value = self.json("GET", path, None, TIMEOUT).await?;
            let Some(content) = read.get("content").and_then(Value::as_array) else {
                return Err(ServerError::Strange("a list without `content`".to_owned()));
            };
            for item in content {
                found.push(ServerAnswer::read(item.clone())?);
            }
            if content.len() < size || found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        Ok(found)
    }
}
