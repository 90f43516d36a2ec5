//! Returns to an earlier activation, and reports the change.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{RemoteServer, Scope, ServerAnswer, ServerError, TIMEOUT, catalogue::config_text};

const LIVE: &str = "live";

#[derive(Debug, Clone, Deserialize)]
pub struct RollbackReport {
    #[serde(flatten)]
    pub now: Scope,
    /// The activation that was ended. `None` after a deactivation.
    pub before: Option<Scope>,
}

impl fmt::Display for RollbackReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { now, before } = self;
        let Some(before) = before else {
            return write!(f, "before: nothing was active there\nafter:  {now}");
        };
        if before.mode != LIVE {
            let whose = |scope: &Scope| match scope.version {
                Some(version) if scope.plugin == before.plugin => format!("version {version}"),
                Some(version) => format!("{} version {version}", scope.plugin),
                None => scope.plugin.clone(),
            };
            return write!(f, "ends the {} of {}; {} stays live", before.mode, whose(before), whose(now));
        }
        write!(f, "before: {before}\nafter:  {now}")?;
        let version = |scope: &Scope| match scope.version {
            Some(version) if before.plugin == now.plugin => version.to_string(),
            Some(version) => format!("{} version {version}", scope.plugin),
            None => scope.plugin.clone(),
        };
        change(f, "version", &version(before), &version(now))?;
        change(f, "configuration", &config_text(&before.config), &config_text(&now.config))?;
        change(f, "hosts", &before.hosts(), &now.hosts())?;
        if before.http_limits == now.http_limits {
            return Ok(());
        }
        change(f, "HTTP limits", &before.http_limits.to_string(), &now.http_limits.to_string())
    }
}

fn change(f: &mut fmt::Formatter<'_>, name: &str, before: &str, now: &str) -> fmt::Result {
    let name = format!("{name}:");
    match before == now {
        true => write!(f, "\n  {name:<15} {now} (no change)"),
        false => write!(f, "\n  {name:<15} {before} -> {now}"),
    }
}

impl RemoteServer {
    /// Restores the activation before, or the latest one of version `to`. `None` if only a trial was ended.
    pub async fn rollback(
        &self,
        name: &str,
        number: Option<&str>,
        to: Option<u32>,
        preview: bool,
    ) -> Result<Option<ServerAnswer<RollbackReport>>, ServerError> {
        let mut body = Map::new();
        let number = self.optional_number_id(number).await?;
        let fields = [
            ("whatsAppNumberId", number.map(Value::from)),
            ("version", to.map(Value::from)),
            ("preview", preview.then_some(Value::Bool(true))),
        ];
        body.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let answer = self.raw("POST", Self::path(name, "/rollback")?, Some(&Value::Object(body)), TIMEOUT).await;
        let answer = match answer {
            // It names the numbers where the plugin is active.
            Err(ServerError::Refused(mut text)) => {
                self.name_in_texts([&mut text]).await;
                return Err(ServerError::Refused(text));
            }
            answer => answer?,
        };
        if answer.status == 204 {
            return Ok(None);
        }
        let json = serde_json::from_slice(&answer.body).map_err(|fault| ServerError::Strange(fault.to_string()))?;
        let mut answer: ServerAnswer<RollbackReport> = ServerAnswer::read(json)?;
        let RollbackReport { now, before } = &mut answer.value;
        answer.warning = self.name_numbers(before.iter_mut().chain([now])).await;
        Ok(Some(answer))
    }
}
