//! The types of the newest interface as values, generated from `wit/` by `build.rs`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WitType {
    Bool,
    Integer(i128, i128),
    Float,
    String,
    Option(&'static WitType),
    List(&'static WitType),
    Tuple(&'static [WitType]),
    Record(&'static WitRecord),
    Variant(&'static WitVariant),
    Enum(&'static WitEnum),
}

#[derive(Debug, PartialEq, Eq)]
pub struct WitRecord {
    /// Interface and name, such as `bot/event`.
    pub name: &'static str,
    pub fields: &'static [(&'static str, WitType)],
}

#[derive(Debug, PartialEq, Eq)]
pub struct WitVariant {
    /// Interface and name.
    pub name: &'static str,
    pub cases: &'static [(&'static str, Option<WitType>)],
}

#[derive(Debug, PartialEq, Eq)]
pub struct WitEnum {
    pub words: &'static [&'static str],
}

#[derive(Debug, PartialEq, Eq)]
pub struct WitFunction {
    pub interface: &'static str,
    pub name: &'static str,
    pub parameters: &'static [(&'static str, WitType)],
    pub answer: WitType,
}

include!(concat!(env!("OUT_DIR"), "/wit_types.rs"));

pub fn function(interface: &str, name: &str) -> Option<&'static WitFunction> {
    FUNCTIONS.iter().find(|function| function.interface == interface && function.name == name)
}
