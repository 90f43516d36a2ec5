//! The components inside the program, built from `plugins/` by `build.rs`.

use crate::World;

pub(crate) static BUILT_INS: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/built_ins.rs"));

/// The component of a built-in plugin.
pub fn built_in_component(name: &str) -> Option<&'static [u8]> {
    BUILT_INS.iter().find(|(built_in, _)| *built_in == name).map(|(_, bytes)| *bytes)
}

/// The name of the built-in plugin that is this component.
pub fn built_in_name(component: &[u8]) -> Option<&'static str> {
    BUILT_INS.iter().find(|(_, bytes)| *bytes == component).map(|(name, _)| *name)
}

pub(crate) fn of_world(world: World) -> Option<&'static [u8]> {
    BUILT_INS.iter().find(|(name, _)| *name == world.row().built_in).map(|(_, bytes)| *bytes)
}
