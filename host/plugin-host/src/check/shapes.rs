//! Compares the type of an exported function with the type that the host calls. The linker only looks for the name.

use std::sync::OnceLock;

use wasmtime::{
    Engine,
    component::{
        Component, Type,
        types::{Component as Outside, ComponentFunc, ComponentItem, Field},
    },
};

use super::component_interface;
use crate::{World, engine, loading::built_in_components};

/// The fault in the type of the main function of a plugin of `world`, if any.
pub(crate) fn other_type(world: World, engine: &Engine, component: &Component) -> Option<String> {
    let found = find_export(world, engine, &component.component_type())?;
    let difference = difference_of_functions(expected_function(world)?, &found)?;
    let (interface, function) = (world.row().interface, world.row().function);
    Some(format!(
        "export `{interface}`: the function `{function}` has another type than in {}: {difference}",
        component_interface::OURS
    ))
}

pub(super) fn has_function(world: World, engine: &Engine, component: &Component) -> bool {
    find_export(world, engine, &component.component_type()).is_some()
}

/// The types of the functions that the host calls, in the order of `World::ALL`, taken from the built-in components.
static WANTED: [OnceLock<Option<ComponentFunc>>; World::ALL.len()] = [const { OnceLock::new() }; World::ALL.len()];

/// Takes the function type of a world from a built-in component, so that none has to be compiled for it.
pub(crate) fn remember_type(world: World, engine: &Engine, component: &Component) {
    if let Some(place) = place(world) {
        place.get_or_init(|| find_export(world, engine, &component.component_type()));
    }
}

fn expected_function(world: World) -> Option<&'static ComponentFunc> {
    let compile = || {
        let engine = engine::on_demand().ok()?;
        let component = Component::new(&engine, built_in_components::of_world(world)?).ok()?;
        find_export(world, &engine, &component.component_type())
    };
    place(world)?.get_or_init(compile).as_ref()
}

fn place(world: World) -> Option<&'static OnceLock<Option<ComponentFunc>>> {
    WANTED.get(World::ALL.iter().position(|one| *one == world)?)
}

fn find_export(world: World, engine: &Engine, outside: &Outside) -> Option<ComponentFunc> {
    let is_ours = |name: &str| {
        let interface = name.strip_prefix(component_interface::PACKAGE).and_then(|rest| rest.strip_prefix('/'));
        interface.and_then(|rest| rest.split('@').next()) == Some(world.row().interface)
    };
    let (_, item) = outside.exports(engine).find(|(name, _)| is_ours(name))?;
    let ComponentItem::ComponentInstance(interface) = item.ty else { return None };
    match interface.get_export(engine, world.row().function)?.ty {
        ComponentItem::ComponentFunc(function) => Some(function),
        _ => None,
    }
}

fn difference_of_functions(wanted: &ComponentFunc, found: &ComponentFunc) -> Option<String> {
    if wanted.async_() != found.async_() {
        return Some("it must not be async".into());
    }
    let (wanted_params, found_params) = (wanted.params(), found.params());
    if wanted_params.len() != found_params.len() {
        return Some(format!("it takes {} parameters, expected {}", found_params.len(), wanted_params.len()));
    }
    for ((name, wanted), (_, found)) in wanted_params.zip(found_params) {
        if let Some(difference) = difference(name, &wanted, &found) {
            return Some(difference);
        }
    }
    match (wanted.results().next(), found.results().next()) {
        (Some(wanted), Some(found)) => difference("the result", &wanted, &found),
        (None, None) => None,
        (Some(_), None) => Some("it returns nothing".into()),
        (None, Some(_)) => Some("it returns something".into()),
    }
}

/// The first difference between two types: the path, the found part and the expected part.
fn difference(path: &str, wanted: &Type, found: &Type) -> Option<String> {
    if wanted == found {
        return None;
    }
    let inner = match (wanted, found) {
        (Type::List(wanted), Type::List(found)) => difference(&format!("{path}[]"), &wanted.ty(), &found.ty()),
        (Type::Option(wanted), Type::Option(found)) => difference(path, &wanted.ty(), &found.ty()),
        (Type::Result(wanted), Type::Result(found)) => parts(
            path,
            [("ok".to_owned(), wanted.ok()), ("error".to_owned(), wanted.err())].into_iter(),
            [("ok".to_owned(), found.ok()), ("error".to_owned(), found.err())].into_iter(),
        ),
        (Type::Record(wanted), Type::Record(found)) => {
            parts(path, wanted.fields().map(field), found.fields().map(field))
        }
        (Type::Variant(wanted), Type::Variant(found)) => {
            let cases = |name: &str, ty: Option<Type>| (name.to_owned(), ty);
            let wanted = wanted.cases().map(|case| cases(case.name, case.ty));
            parts(path, wanted, found.cases().map(|case| cases(case.name, case.ty)))
        }
        (Type::Tuple(wanted), Type::Tuple(found)) => {
            let numbered = |(index, ty): (usize, Type)| (index.to_string(), Some(ty));
            parts(path, wanted.types().enumerate().map(numbered), found.types().enumerate().map(numbered))
        }
        (Type::Enum(wanted), Type::Enum(found)) => {
            let name = |name: &str| (name.to_owned(), None);
            parts(path, wanted.names().map(name), found.names().map(name))
        }
        _ => None,
    };
    Some(inner.unwrap_or_else(|| format!("{path} is a {}, expected a {}", kind(found), kind(wanted))))
}

fn field(field: Field<'_>) -> (String, Option<Type>) {
    (field.name.to_owned(), Some(field.ty))
}

/// The first difference between two lists of named parts.
fn parts(
    path: &str,
    wanted: impl Iterator<Item = (String, Option<Type>)>,
    found: impl Iterator<Item = (String, Option<Type>)>,
) -> Option<String> {
    let (mut wanted, mut found) = (wanted, found);
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return None,
            (Some((name, _)), None) => return Some(format!("{path} lacks `{name}`")),
            (None, Some((name, _))) => return Some(format!("{path} has `{name}`, which is unknown")),
            (Some((wanted, _)), Some((found, _))) if wanted != found => {
                return Some(format!("{path} has `{found}` where `{wanted}` was expected"));
            }
            (Some((name, Some(wanted))), Some((_, Some(found)))) => {
                if let Some(difference) = difference(&format!("{path}.{name}"), &wanted, &found) {
                    return Some(difference);
                }
            }
            (Some((_, None)), Some((_, None))) => {}
            (Some((name, Some(_))), Some((_, None))) => return Some(format!("{path}.{name} carries no value")),
            (Some((name, None)), Some((_, Some(_)))) => return Some(format!("{path}.{name} carries a value")),
        }
    }
}

fn kind(of: &Type) -> &'static str {
    match of {
        Type::Bool => "bool",
        Type::S8 => "s8",
        Type::U8 => "u8",
        Type::S16 => "s16",
        Type::U16 => "u16",
        Type::S32 => "s32",
        Type::U32 => "u32",
        Type::S64 => "s64",
        Type::U64 => "u64",
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        Type::Char => "char",
        Type::String => "string",
        Type::List(_) | Type::FixedLengthList(_) => "list",
        Type::Map(_) => "map",
        Type::Record(_) => "record",
        Type::Tuple(_) => "tuple",
        Type::Variant(_) => "variant",
        Type::Enum(_) => "enum",
        Type::Option(_) => "option",
        Type::Result(_) => "result",
        Type::Flags(_) => "set of flags",
        Type::Own(_) | Type::Borrow(_) => "resource",
        Type::Future(_) => "future",
        Type::Stream(_) => "stream",
        Type::ErrorContext => "error context",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taking(engine: &Engine, ty: &str) -> ComponentFunc {
        let text = format!(
            r#"(component (import "i" (instance
                (type $t {ty}) (export "t" (type $named (eq $t)))
                (export "f" (func (param "p" $named))))))"#
        );
        let component = Component::new(engine, wat::parse_str(text).unwrap()).unwrap();
        let outside = component.component_type();
        let (_, item) = outside.imports(engine).next().unwrap();
        let ComponentItem::ComponentInstance(interface) = item.ty else { panic!("an instance") };
        match interface.get_export(engine, "f").unwrap().ty {
            ComponentItem::ComponentFunc(function) => function,
            other => panic!("a function, found {other:?}"),
        }
    }

    #[test]
    fn the_first_difference_of_two_types_is_named() {
        let engine = engine::on_demand().unwrap();
        for (wanted, found, said) in [
            ("string", "string", None),
            ("string", "u32", Some("p is a u32, expected a string")),
            ("(list u8)", "(list string)", Some("p[] is a string, expected a u8")),
            ("(option string)", "string", Some("p is a string, expected a option")),
            (
                r#"(record (field "a" u8) (field "b" (option string)))"#,
                r#"(record (field "a" u8) (field "b" (option u64)))"#,
                Some("p.b is a u64, expected a string"),
            ),
            (
                r#"(record (field "a" u8))"#,
                r#"(record (field "a" u8) (field "new" u8))"#,
                Some("p has `new`, which is unknown"),
            ),
            (r#"(record (field "a" u8) (field "b" u8))"#, r#"(record (field "a" u8))"#, Some("p lacks `b`")),
            (
                r#"(variant (case "x") (case "y" string))"#,
                r#"(variant (case "x") (case "y"))"#,
                Some("p.y carries no value"),
            ),
            (r#"(enum "a" "b")"#, r#"(enum "a" "c")"#, Some("p has `c` where `b` was expected")),
            ("(result string (error u8))", "(result string (error u16))", Some("p.error is a u16, expected a u8")),
            ("(tuple u8 u8)", "(tuple u8 string)", Some("p.1 is a string, expected a u8")),
        ] {
            let difference = difference_of_functions(&taking(&engine, wanted), &taking(&engine, found));
            assert_eq!(difference.as_deref(), said, "{wanted} and {found}");
        }
    }

    #[test]
    fn every_world_has_a_component_that_ships_and_shows_its_type() {
        for world in World::ALL {
            assert!(expected_function(world).is_some(), "{world}");
        }
    }
}
