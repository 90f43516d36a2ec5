//! The author's tools behind `patchbay plugin` (CONTRACT 8), which run on the machine of a plugin author. A project is
//! a folder with a `plugin.toml`. All commands except pushing, activating and watching work without a server.

pub mod build;
pub mod conversation;
mod diff;
mod embedded;
mod local;
pub mod new;
pub mod project;
pub mod server;
mod subset;
pub mod terminal;
mod watch;
mod yaml;

pub use build::BuildError;
pub use local::LocalError;
pub use project::{Lang, Project, ProjectError};
pub use yaml::Fault;
