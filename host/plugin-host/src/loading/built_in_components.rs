//! The components inside the program, built from `plugins/` by `build.rs`.

use crate::World;

pub(crate) static BUILT_INS: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/built_ins.rs"));

/// The component of a built-in plugin.
pub fn built_in_component(name: &str) -> Option<&'static [u8]> {
    BUILT_INS.iter().find(|(built_in, _)| *built_in == name).map(|(_, bytes)| *bytes)
}

pub(crate) fn of_world(world: World) -> Option<&'static [u8]> {
    BUILT_INS.iter().find(|(name, _)| *name == world.row().built_in).map(|(_, bytes)| *bytes)
}
