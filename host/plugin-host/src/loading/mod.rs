//! Turns bytes into callable programs: sources of components, compiled code, linking, trial calls, loaded programs.

pub(crate) mod built_in_components;
pub(crate) mod cache;
pub(crate) mod component_source;
pub(crate) mod directory;
pub(crate) mod examine;
pub(crate) mod link;
pub(crate) mod loader;
pub(crate) mod older_track;
pub(crate) mod programs;
pub(crate) mod registry;
mod trial;
