//! The life cycle of plugins (CONTRACT 6): uploads, activations, trial calls, and the records of calls. Each change
//! leaves an audit row and an event that the client can read.

mod activate;
mod built_in_rules;
mod catalogue;
mod follow;
mod health;
mod inspection;
mod invoke;
mod recordings;
mod referred_secrets;
mod replay;
mod reports;
mod same_terms;
mod schema;
mod shared_secrets;
mod signature;
mod source;
mod trial;
mod trust;
mod upload;
mod upload_places;
mod uploads;
mod validation;
mod values;
mod verify;
mod withdraw;

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    body::FieldFault,
    ids::{ClientId, InboxId},
};
use plugin_host::{CallError, PluginRef};
use storage::{PgConnection, plugins::events};

pub use activate::{ActivationResult, NewActivation, activate};
pub use catalogue::{CataloguePlugin, Detail, PluginOrigin, list, one};
pub use follow::follow;
pub use health::{ActivationHealth, PluginHealth, PluginSuspension, health};
pub use inspection::NewUpload;
pub use invoke::{Invoke, InvokeAnswer, invoke};
pub use recordings::{FullRecording, end_recording};
pub use recordings::{StartRecording, find_recorded, readable, recordings, start_recording, stop_recording};
pub use replay::{ReplayReport, ReplayedDifference, replay};
pub use reports::{differences, events as plugin_events, invocations, list_skipped};
pub use shared_secrets::{SecretChange, SharedSecret, list_secrets, put_secret, remove_secret};
pub use signature::{SignatureFacts, key_id};
pub use source::NewSource;
pub use storage::chat::chatbot_value_lists::{Erase, StorePart, ValueView as KeyValue};
pub use storage::plugins::{
    differences::AnswerDifference,
    events::PluginEvent,
    invocations::{CallFigures, Invocation, InvocationFilter},
    recordings::{ListedRecording, RecordingRow},
    shadow_skips::SkippedCount,
    signing_keys::SigningKey,
    uploads::Upload as PendingUpload,
    versions::UploadedVersion,
};
pub use trust::{SignatureState, UploadTrust, add_signing_key, remove_signing_key, set_signed_only, upload_trust};
pub use upload::{UploadResult, check, upload};
pub use upload_places::{UploadPlace, UploadPlaces};
pub use uploads::{UploadProgress, UploadStart, begin_upload, upload_progress};
pub use values::{ValueErasure, erase_key_values, key_values};
pub use verify::{VerificationResult, verify};
pub use withdraw::{RollBack, RollbackResult, deactivate, delete, fail_canary, preview_rollback, rollback};

use base::{Context, Error, Result};

#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    #[error("there is no plugin of that name")]
    NotFound,
    #[error("the request is not valid")]
    Faults(Vec<FieldFault>),
    /// The request conflicts with the present state.
    #[error("{0}")]
    Conflict(String),
    #[error("{0}")]
    TooLarge(String),
    /// Not possible now. Try again in a few seconds.
    #[error("{0}")]
    Busy(String),
    /// The client has used up its share. Try again after `wait`.
    #[error("{said}")]
    NotYet {
        /// The exhausted share, and the time when it refills.
        said: String,
        wait: Duration,
    },
    #[error(transparent)]
    Failed(#[from] Error),
}

impl PluginError {
    fn fault(field: &str, message: impl Into<String>) -> Self {
        Self::Faults(vec![FieldFault::new(field, message)])
    }
}

base::fails_with!(PluginError: storage::Error);

/// Makes sure that this node can run a version before it is activated.
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

/// An event of a plugin, before it has an id and a time.
struct EventNote<'a> {
    plugin: &'a str,
    version: Option<i32>,
    kind: &'a str,
    reason: Option<String>,
}

async fn note(ctx: &Context, db: &mut PgConnection, client: ClientId, new: EventNote<'_>) -> Result<()> {
    let at: DateTime<Utc> = ctx.now();
    let EventNote { plugin, version, kind, reason } = new;
    let (plugin, kind) = (plugin.to_owned(), kind.to_owned());
    let event = PluginEvent { id: ctx.ids.mint(at), plugin, version, kind, reason, at };
    Ok(events::insert(db, client, &event).await?)
}

fn place_of(activation: &crate::slots::SlotActivation) -> String {
    let whose = activation.inbox.map_or("all numbers".to_owned(), |inbox| format!("number {inbox}"));
    format!("{} for {whose}", activation.mode.as_str())
}

async fn known_inbox(db: &mut PgConnection, client: ClientId, inbox: Option<InboxId>) -> Result<(), PluginError> {
    match inbox {
        Some(inbox) if storage::inboxes::by_id(db, client, inbox).await?.is_none() => {
            let said = "is not the id of one of your numbers; omit it for all numbers";
            Err(PluginError::fault("whatsAppNumberId", said))
        }
        _ => Ok(()),
    }
}
