//! The base of all use cases: [`Context`], settings, secrets, leases of lanes, the audit trail and internal failures.

pub mod api_key;
pub mod audit;
mod context;
mod database_media;
mod error;
pub mod gather;
pub mod heavy_work;
pub mod key_rotation;
pub mod lanes;
mod lite_values;
pub mod media;
mod media_move;
pub mod readiness;
pub mod rights;
pub mod secrets;
pub mod sending_figures;
mod skipped_comparisons;
mod strangers;
mod to_the_end;
pub mod traces;
pub mod upkeep;

pub use channels::{
    http::{MeasuredTask, Pace, PacedTask, SharedProcessors},
    shares::{SharePart, Shares},
};
pub use context::{Context, ContextBuilder, EventReader, MediaLocation, media_store};
pub use database_media::DatabaseMediaStore;
pub use error::{Error, FileStoreFailed, HostFailed, Result};
pub use lite_values::DatabaseDeviceValues;
pub use media_move::MovedMediaStore;
pub use plugin_host::{Turn, TurnTerms, Turns};
pub use skipped_comparisons::SkippedComparisons;
pub use storage::{in_request, work::queues::Queue};
pub use strangers::share_of_strangers;
pub use to_the_end::to_the_end;
