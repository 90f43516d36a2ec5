//! The life of plugins (CONTRACT 6): what clients upload, which version is in force where, trying versions out, and what
//! is kept of their calls. Changes leave an audit row and an event that the client can read.

mod activate;
mod catalogue;
mod follow;
mod invoke;
mod recordings;
mod replay;
mod reports;
mod schema;
mod trial;
mod upload;
mod uploads;
mod values;
mod withdraw;

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    body::FieldFault,
    ids::{ClientId, InboxId},
};
use plugin_host::{CallError, PluginRef};
use storage::{PgConnection, plugins::events};

pub use activate::{Activate, Activated, activate};
pub use catalogue::{Detail, Origin, Plugin, list, one};
pub use follow::follow;
pub use invoke::{Invoke, Invoked, invoke};
pub use recordings::end_recording;
pub use recordings::{StartRecording, readable, recorded, recordings, start_recording, stop_recording};
pub use replay::{ReplayReport, ReplayedDifference, replay};
pub use reports::{differences, events as plugin_events, invocations, skipped};
pub use storage::chat::chatbot_value_lists::{Erase, Shown as KeyValue};
pub use storage::plugins::{
    differences::Difference,
    events::PluginEvent,
    invocations::{Invocation, Wanted},
    recordings::{Listed as ListedRecording, Recording},
    skipped::Skipped,
    uploads::Upload as PendingUpload,
    versions::Version,
};
pub use upload::{Place, Uploaded, Uploads, check, upload};
pub use uploads::{Begun, Progress, begin_upload, upload_progress};
pub use values::{erase_key_values, key_values};
pub use withdraw::{deactivate, delete, fail_canary, rollback};

use base::{Context, Error, Result};

/// Why something was not done with a plugin.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// No such plugin of this client.
    #[error("there is no plugin of that name")]
    NotFound,
    /// Wrong fields of the request.
    #[error("the request is not valid")]
    Faults(Vec<FieldFault>),
    /// It does not go with how things stand.
    #[error("{0}")]
    Conflict(String),
    /// More than is allowed.
    #[error("{0}")]
    TooLarge(String),
    /// Not now; in a few seconds.
    #[error("{0}")]
    Busy(String),
    /// This client has had its share; again after `wait`.
    #[error("{said}")]
    NotYet {
        /// Share of what, and when there is more.
        said: String,
        /// How long that takes.
        wait: Duration,
    },
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl PluginError {
    fn fault(field: &str, message: impl Into<String>) -> Self {
        Self::Faults(vec![FieldFault::new(field, message)])
    }
}

impl From<storage::Error> for PluginError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for PluginError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// Makes sure that this node can run a version before it is put in force.
async fn loads(ctx: &Context, client: ClientId, plugin: &PluginRef) -> Result<(), PluginError> {
    if crate::slots::is_no_chatbot(plugin) {
        return Ok(());
    }
    match ctx.plugins.preload(client, plugin).await {
        Ok(()) => Ok(()),
        Err(error @ (CallError::Unavailable { .. } | CallError::TooBusy { .. })) => {
            Err(PluginError::Busy(format!("{error}; try again in a few seconds")))
        }
        Err(error) => Err(PluginError::Conflict(format!("{plugin} cannot be loaded: {error}"))),
    }
}

/// Notes what happened to a plugin, in the transaction that did it.
async fn note(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    (plugin, version): (&str, Option<i32>),
    (kind, reason): (&str, Option<String>),
) -> Result<()> {
    let at: DateTime<Utc> = ctx.now();
    let (plugin, kind) = (plugin.to_owned(), kind.to_owned());
    let event = PluginEvent { id: ctx.ids.mint(at), plugin, version, kind, reason, at };
    Ok(events::insert(db, client, &event).await?)
}

/// Where an activation is in force, in words.
fn place_of(activation: &crate::slots::Activation) -> String {
    let whose = activation.inbox.map_or("all numbers".to_owned(), |inbox| format!("number {inbox}"));
    format!("{} for {whose}", activation.mode.as_str())
}

/// Whether an inbox is this client's.
async fn known_inbox(db: &mut PgConnection, client: ClientId, inbox: Option<InboxId>) -> Result<(), PluginError> {
    match inbox {
        Some(inbox) if storage::inboxes::by_id(db, client, inbox).await?.is_none() => {
            let said = "is not the id of one of your numbers; leave it out for all of them";
            Err(PluginError::fault("whatsAppNumberId", said))
        }
        _ => Ok(()),
    }
}
