//! An upload: everything that is found out about a component before anybody's events go to it.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::ClientId;

use super::loader::LoadedPlugin;
use crate::World;
use crate::compile::{Fault, Purpose, UsedUp};
use crate::error::CallError;
use crate::host::PluginHost;
use crate::worlds::ReadSchema;

/// What a good component is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Examined {
    /// What the plugin is.
    pub world: World,
    /// Version of `patchbay:plugin` that it was built for.
    pub api_version: String,
    /// Hash of the component, in hexadecimal.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// Interfaces that it imports.
    pub imports: Vec<String>,
    /// JSON Schema of its configuration, if it has one: an object as a JSON text.
    pub config_schema: Option<String>,
}

/// Why a component is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Everything that is wrong with it, in words for its author.
    #[error("{}", .0.join("; "))]
    Problems(Vec<String>),
    /// It has too many bytes.
    #[error("the file has {size} bytes; {most} are allowed")]
    TooLarge {
        /// Bytes of the file.
        size: u64,
        /// Bytes that are allowed.
        most: u64,
    },
    /// Too many components are being compiled, or this client has one under way. Try again a little later.
    #[error("too many plugins are being compiled at the moment; try again in a few seconds")]
    Busy,
    /// Compiling for this client has taken all the processor time that it gets.
    #[error(
        "compiling your uploads has taken the {} s of processor time that a client gets in {} s: try again in {} s; \
         components that are built with optimisation and leave out what they do not use cost less",
        budget.as_secs_f64(), period.as_secs_f64(), in_seconds(*wait)
    )]
    UsedUp {
        /// Processor time that a client gets in `period`.
        budget: Duration,
        /// The time in which it comes back.
        period: Duration,
        /// How long the client has to wait.
        wait: Duration,
    },
    /// The component is not to blame.
    #[error("the component could not be examined: {0}")]
    Failed(String),
}

/// Whole seconds, so that after them it is so.
fn in_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Problems(problems) => Self::Problems(problems),
            Fault::Busy => Self::Busy,
            Fault::UsedUp(UsedUp { budget, period, wait }) => Self::UsedUp { budget, period, wait },
            Fault::Host(reason) => Self::Failed(reason),
        }
    }
}

impl PluginHost {
    /// Finds out what a component is: checks it, compiles it, reads the schema of its configuration and makes a trial
    /// call. It stays loaded, so that the first real call finds it ready. One at a time per client, a few in all.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub async fn examine(&self, client: ClientId, name: &str, bytes: Vec<u8>) -> Result<Examined, Refusal> {
        let (size, most) = (bytes.len() as u64, self.limits().component_bytes as u64);
        if size > most {
            return Err(Refusal::TooLarge { size, most });
        }
        let _turn = self.loader().scheduler().turn(client).await?;
        let program = Arc::new(self.loader().load(bytes, Purpose::Upload(client)).await?);
        let loaded = LoadedPlugin { name: name.to_owned(), version: 0, program: Arc::clone(&program), ships: false };
        let (config_schema, tried) = (self.config_schema(&loaded).await, self.try_out(&loaded).await);
        let problems: Vec<String> =
            [config_schema.as_ref().err(), tried.as_ref().err()].into_iter().flatten().cloned().collect();
        if !problems.is_empty() {
            return Err(Refusal::Problems(problems));
        }
        let examined = Examined {
            world: program.linked.world(),
            api_version: program.api_version.clone(),
            sha256: program.sha256.clone(),
            size,
            imports: program.imports.clone(),
            config_schema: config_schema.ok().flatten(),
        };
        self.programs().keep(program);
        Ok(examined)
    }

    /// JSON Schema of the configuration of a plugin that ships or lies in the watched directory, if it has one: an object
    /// as a JSON text. Uploaded plugins have theirs in [`Examined`].
    ///
    /// # Errors
    /// When it exports one that cannot be read, in words for its author.
    pub async fn shipped_config_schema(&self, name: &str) -> Result<Option<String>, String> {
        match self.registry().get(name) {
            Some(loaded) => self.config_schema(&loaded).await,
            None => Ok(None),
        }
    }

    /// The schema of a plugin's configuration, if it exports one.
    async fn config_schema(&self, loaded: &LoadedPlugin) -> Result<Option<String>, String> {
        if !loaded.program.configurable {
            return Ok(None);
        }
        let read = self.trial(loaded, &ReadSchema(loaded.program.linked.world())).await;
        let explain = |error: CallError| match error {
            CallError::BadAnswer { reason, .. } => reason,
            error => format!("the schema of its configuration cannot be read: {error}"),
        };
        read.map(Some).map_err(explain)
    }
}
