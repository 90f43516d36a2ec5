//! The author's tools behind `patchbay plugin` (CONTRACT 8). Commands that build, check and test work without a server.

pub mod build;
mod cache_folder;
pub mod conversation;
mod cost_history;
pub mod dev;
mod diff;
mod embedded_files;
pub mod flow;
mod local_run;
pub mod new;
pub mod oci;
pub mod project;
pub mod recorded_test;
pub mod sample_call;
pub mod server;
mod subset;
pub mod terminal;
mod watch;
mod yaml;

pub use build::BuildError;
pub use cost_history::CostHistory;
pub use local_run::time::span;
pub use local_run::{ConfigRefusal, Cost, LocalError};
pub use project::{Lang, Project, ProjectError};
pub use yaml::YamlFault;
