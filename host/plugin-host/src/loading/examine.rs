//! The examination of an uploaded component before it gets any events.

use std::sync::Arc;
use std::time::Duration;

use domain::{body::FieldFault, ids::ClientId, plugin_origin::ComponentNotes};
use tokio::task;

use super::loader::LoadedPlugin;
use crate::check::component_notes;
use crate::compile::{BudgetExceeded, CompileFault, CompilePurpose};
use crate::error::CallError;
use crate::host::PluginHost;
use crate::worlds::{JudgeConfig, ReadSchema, sample};
use crate::{PluginRef, World};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComponentFacts {
    pub world: World,
    pub api_version: String,
    pub sha256: String,
    pub size: u64,
    pub imports: Vec<String>,
    pub notes: ComponentNotes,
    /// JSON Schema of its configuration, if it exports one: an object as JSON text.
    pub config_schema: Option<String>,
}

/// A fault that a plugin found in its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFinding {
    /// Such as `topics/0/title` or `topics[0].title`, as the plugin writes it; empty for the whole configuration.
    pub field: String,
    pub message: String,
}

/// The fault that a finding reports. Its place is spelled as in all other faults.
impl From<ConfigFinding> for FieldFault {
    fn from(ConfigFinding { field, message }: ConfigFinding) -> Self {
        Self::new(format!("config{}", pointer(&field)), message)
    }
}

/// A place in a configuration as a JSON pointer: `/topics/0/title` for `topics[0].title`. A place with a slash is one
/// already.
fn pointer(place: &str) -> String {
    let is_pointer = place.contains('/');
    let separators: &[char] = if is_pointer { &['/'] } else { &['.', '[', ']', '"'] };
    let steps = place.split(separators).filter(|step| !step.is_empty());
    let escaped = steps.map(|step| if is_pointer { step.to_owned() } else { step.replace('~', "~0") });
    escaped.fold(String::new(), |path, step| path + "/" + &step)
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComponentRefusal {
    #[error("{}", .0.join("; "))]
    Problems(Vec<String>),
    #[error("the file has {size} bytes; {most} are allowed")]
    TooLarge {
        size: u64,
        /// Largest permitted size in bytes.
        most: u64,
    },
    #[error("too many plugins are being compiled at the moment; try again in a few seconds")]
    Busy,
    /// Compilations for this client have used up their processor time.
    #[error(
        "compiling your uploads has taken the {} s of processor time that a client gets in {} s: try again in {} s; \
         optimised components without unused code cost less",
        budget.as_secs_f64(), period.as_secs_f64(), in_seconds(*wait)
    )]
    UsedUp {
        /// Processor time of a client per `period`.
        budget: Duration,
        /// Time in which the budget refills.
        period: Duration,
        /// Time until the client may try again.
        wait: Duration,
    },
    #[error("the component could not be examined: {0}")]
    Failed(String),
}

/// Whole seconds, rounded up, so that the wait is over after them.
fn in_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

impl From<CompileFault> for ComponentRefusal {
    fn from(fault: CompileFault) -> Self {
        match fault {
            CompileFault::Problems(problems) => Self::Problems(problems),
            CompileFault::Busy => Self::Busy,
            CompileFault::UsedUp(BudgetExceeded { budget, period, wait }) => Self::UsedUp { budget, period, wait },
            CompileFault::Host(reason) => Self::Failed(reason),
        }
    }
}

impl PluginHost {
    /// Checks and compiles a component, reads its schema and makes a trial call. One upload at a time per client.
    pub async fn examine(
        &self,
        client: ClientId,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<ComponentFacts, ComponentRefusal> {
        let (size, most) = (bytes.len() as u64, self.limits().component_bytes as u64);
        if size > most {
            return Err(ComponentRefusal::TooLarge { size, most });
        }
        let _turn = self.loader().scheduler().turn(client).await?;
        let noted = task::spawn_blocking(move || (component_notes(&bytes), bytes)).await;
        let (notes, bytes) = noted.map_err(|fault| ComponentRefusal::Failed(fault.to_string()))?;
        let program = Arc::new(self.loader().load(bytes, CompilePurpose::Upload(client)).await?);
        let loaded = LoadedPlugin { name: name.to_owned(), version: 0, program: Arc::clone(&program), ships: false };
        let (config_schema, tried) = (self.config_schema(&loaded).await, self.try_out(&loaded).await);
        let problems: Vec<String> =
            [config_schema.as_ref().err(), tried.as_ref().err()].into_iter().flatten().cloned().collect();
        if !problems.is_empty() {
            return Err(ComponentRefusal::Problems(problems));
        }
        let examined = ComponentFacts {
            world: program.linked.world(),
            api_version: program.api_version.clone(),
            sha256: program.sha256.clone(),
            size,
            imports: program.imports.clone(),
            notes,
            config_schema: config_schema.ok().flatten(),
        };
        self.programs().keep(program);
        Ok(examined)
    }

    /// JSON Schema of the configuration of a built-in or directory plugin, if it exports one: an object as JSON text.
    pub async fn shipped_config_schema(&self, name: &str) -> Result<Option<String>, String> {
        match self.registry().get(name) {
            Some(loaded) => self.config_schema(&loaded).await,
            None => Ok(None),
        }
    }

    /// The findings of a plugin about a configuration, a JSON text with sealed secrets. They have placeholders for the
    /// secrets. A plugin that does not judge its configurations has none.
    pub async fn validate_config(
        &self,
        client: ClientId,
        plugin: &PluginRef,
        config: &str,
    ) -> Result<Vec<ConfigFinding>, CallError> {
        let loaded = self.resolve(client, plugin).await?;
        let secrets = self.opened(client, plugin.name(), config)?;
        let open = secrets.as_ref().map_or(config, |secrets| &secrets.config);
        let question = JudgeConfig { world: loaded.program.linked.world(), config: open.into() };
        let findings = self.trial(&loaded, &question, open).await?;
        let shown = |mut text: String| {
            secrets.iter().for_each(|secrets| secrets.leave_out_of_text(&mut text));
            text
        };
        Ok(findings
            .into_iter()
            .map(|finding| ConfigFinding { field: shown(finding.field), message: shown(finding.message) })
            .collect())
    }

    async fn config_schema(&self, loaded: &LoadedPlugin) -> Result<Option<String>, String> {
        if !loaded.program.configurable {
            return Ok(None);
        }
        let read = self.trial(loaded, &ReadSchema(loaded.program.linked.world()), sample::CONFIG).await;
        let explain = |error: CallError| match error {
            CallError::BadAnswer { reason, .. } => reason,
            error => format!("the schema of its configuration cannot be read: {error}"),
        };
        read.map(Some).map_err(explain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_its_place_like_all_other_faults_of_a_configuration() {
        for (field, place) in [
            ("", "config"),
            ("greeting", "config/greeting"),
            ("topics[0].title", "config/topics/0/title"),
            ("topics/0/title", "config/topics/0/title"),
            ("/topics/0/title", "config/topics/0/title"),
            ("[2]", "config/2"),
            (r#"headers["X-Shop"].a~b"#, "config/headers/X-Shop/a~0b"),
            ("hosts/a~1b", "config/hosts/a~1b"),
            ("/", "config"),
            ("/a.b", "config/a.b"),
        ] {
            let finding = ConfigFinding { field: field.to_owned(), message: "is wrong".to_owned() };
            assert_eq!(FieldFault::from(finding), FieldFault::new(place, "is wrong"), "{field}");
        }
    }
}
