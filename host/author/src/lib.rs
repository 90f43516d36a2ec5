//! The author's tools: what `patchbay plugin` does on the machine of somebody who writes plugins (CONTRACT 8). A project
//! is a folder with a `plugin.toml`; everything but pushing, activating and watching works without a server.

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
