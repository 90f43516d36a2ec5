//! The shared secrets of the client.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{RemoteServer, ServerAnswer, ServerError, TIMEOUT};

const SECRETS: &str = "/plugin-service/api/v1/secrets";

/// A shared secret without its value.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretEntry {
    pub name: String,
    pub plugins: Vec<String>,
    pub used_by: Vec<SecretUser>,
    pub value_time: String,
}

/// An activation that uses a secret.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretUser {
    pub plugin: String,
    pub version: Option<u32>,
    pub mode: String,
    pub whats_app_number_id: Option<String>,
    /// The number of that id, for people.
    #[serde(skip)]
    pub number: Option<String>,
}

impl fmt::Display for SecretUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.plugin)?;
        if let Some(version) = self.version {
            write!(f, " {version}")?;
        }
        write!(f, ", {}", self.mode)?;
        // If it is not one of the client's numbers any more, its id.
        match self.number.as_ref().or(self.whats_app_number_id.as_ref()) {
            Some(number) => write!(f, " for number {number}"),
            None => write!(f, " for all numbers"),
        }
    }
}

impl SecretEntry {
    /// The ids of the numbers that use it, each with the place for the number.
    fn places(&mut self) -> impl Iterator<Item = (Option<&str>, &mut Option<String>)> {
        self.used_by.iter_mut().map(|user| (user.whats_app_number_id.as_deref(), &mut user.number))
    }
}

impl fmt::Display for SecretEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let granted = match self.plugins.as_slice() {
            [] => "no plugin".to_owned(),
            [all] if all == "*" => "all plugins".to_owned(),
            plugins => plugins.join(", "),
        };
        write!(f, "{:<24} for {granted}; value of {}", self.name, self.value_time)?;
        self.used_by.iter().try_for_each(|user| write!(f, "\n  used by {user}"))
    }
}

/// The secrets of a client, by name.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct SecretList {
    pub secrets: Vec<SecretEntry>,
}

impl fmt::Display for SecretList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.secrets.is_empty() {
            return write!(f, "there are no shared secrets");
        }
        for (at, secret) in self.secrets.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{secret}")?;
        }
        Ok(())
    }
}

impl RemoteServer {
    pub async fn secrets(&self) -> Result<ServerAnswer<SecretList>, ServerError> {
        let mut answer: ServerAnswer<SecretList> = self.answer("GET", SECRETS.to_owned(), None).await?;
        let places = answer.value.secrets.iter_mut().flat_map(SecretEntry::places);
        answer.warning = self.name_places(places).await;
        Ok(answer)
    }

    /// Without a value or without plugins, the present ones stay.
    pub async fn put_secret(
        &self,
        name: &str,
        value: Option<&str>,
        plugins: Option<&[String]>,
    ) -> Result<ServerAnswer<SecretEntry>, ServerError> {
        let fields = [("value", value.map(Value::from)), ("plugins", plugins.map(|plugins| json!(plugins)))];
        let given = fields.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?)));
        let body = Value::Object(given.collect::<Map<_, _>>());
        let mut answer: ServerAnswer<SecretEntry> = self.answer("PUT", path(name)?, Some(&body)).await?;
        answer.warning = self.name_places(answer.value.places()).await;
        Ok(answer)
    }

    pub async fn remove_secret(&self, name: &str) -> Result<(), ServerError> {
        self.raw("DELETE", path(name)?, None, TIMEOUT).await.map(drop)
    }
}

fn path(name: &str) -> Result<String, ServerError> {
    crate::project::check_name(name).map_err(ServerError::Name)?;
    Ok(format!("{SECRETS}/{name}"))
}
