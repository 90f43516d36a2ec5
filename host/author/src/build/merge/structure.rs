//! The parts of a component, in their order.

use std::{borrow::Cow, ops::Range};

use wasmparser::{
    CanonicalFunction, Chunk, ComponentAlias, ComponentOuterAliasKind, ExternalKind, Instance, Parser, Payload,
};

use super::error::Unmergeable;

/// The kind of the section of a nested component.
pub(super) const COMPONENT: u8 = 4;
const CORE_TYPE: u8 = 3;

pub(super) enum ComponentItem<'a> {
    Module(&'a [u8]),
    Instance(Instance<'a>),
    Alias(ComponentAlias<'a>),
    Canonical(CanonicalFunction),
    /// A section without references to core items.
    Other {
        id: u8,
        bytes: Cow<'a, [u8]>,
    },
}

/// The kinds of items that a core module imports and exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Function,
    Table,
    Memory,
    Global,
}

impl Kind {
    pub(super) fn of(kind: ExternalKind) -> Result<Self, Unmergeable> {
        match kind {
            ExternalKind::Func => Ok(Self::Function),
            ExternalKind::Table => Ok(Self::Table),
            ExternalKind::Memory => Ok(Self::Memory),
            ExternalKind::Global => Ok(Self::Global),
            _ => Err(Unmergeable::Unsupported("a core item has an unknown kind")),
        }
    }

    pub(super) fn export(self) -> wasm_encoder::ExportKind {
        match self {
            Self::Function => wasm_encoder::ExportKind::Func,
            Self::Table => wasm_encoder::ExportKind::Table,
            Self::Memory => wasm_encoder::ExportKind::Memory,
            Self::Global => wasm_encoder::ExportKind::Global,
        }
    }
}

/// One value per kind.
#[derive(Debug, Clone, Default)]
pub(super) struct ByKind<T> {
    functions: T,
    tables: T,
    memories: T,
    globals: T,
}

impl<T> ByKind<T> {
    pub(super) fn get(&self, kind: Kind) -> &T {
        match kind {
            Kind::Function => &self.functions,
            Kind::Table => &self.tables,
            Kind::Memory => &self.memories,
            Kind::Global => &self.globals,
        }
    }

    pub(super) fn get_mut(&mut self, kind: Kind) -> &mut T {
        match kind {
            Kind::Function => &mut self.functions,
            Kind::Table => &mut self.tables,
            Kind::Memory => &mut self.memories,
            Kind::Global => &mut self.globals,
        }
    }
}

pub(super) fn items(component: &[u8]) -> Result<Vec<ComponentItem<'_>>, Unmergeable> {
    let mut items = vec![];
    let (mut parser, mut offset) = (Parser::new(0), 0);
    loop {
        let rest = component.get(offset..).unwrap_or_default();
        let Chunk::Parsed { consumed, payload } = parser.parse(rest, true)? else {
            return Err(Unmergeable::Unsupported("the component is cut off"));
        };
        offset += consumed;
        match payload {
            Payload::ModuleSection { unchecked_range, .. } => {
                items.push(ComponentItem::Module(part(component, &unchecked_range)));
                offset = place(unchecked_range.end);
            }
            Payload::ComponentSection { unchecked_range, .. } => {
                items.push(ComponentItem::Other {
                    id: COMPONENT,
                    bytes: Cow::Borrowed(part(component, &unchecked_range)),
                });
                offset = place(unchecked_range.end);
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    items.push(ComponentItem::Instance(instance?));
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section {
                    items.push(ComponentItem::Alias(accepted(alias?)?));
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section {
                    items.push(ComponentItem::Canonical(function?));
                }
            }
            Payload::Version { .. } => {}
            Payload::End(_) => return Ok(items),
            Payload::CustomSection(section) if section.name() == "component-name" => {}
            other => items.push(raw(&other, component)?),
        }
    }
}

fn part<'a>(component: &'a [u8], range: &Range<u64>) -> &'a [u8] {
    component.get(place(range.start)..place(range.end)).unwrap_or_default()
}

fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// Indices of modules change, so no other component may refer to them.
fn accepted(alias: ComponentAlias<'_>) -> Result<ComponentAlias<'_>, Unmergeable> {
    match alias {
        ComponentAlias::Outer {
            kind: ComponentOuterAliasKind::CoreModule | ComponentOuterAliasKind::CoreType, ..
        } => Err(Unmergeable::Unsupported("a component refers to a module of another")),
        alias => Ok(alias),
    }
}

fn raw<'a>(payload: &Payload<'a>, component: &'a [u8]) -> Result<ComponentItem<'a>, Unmergeable> {
    let unknown = Unmergeable::Unsupported("the component has an unknown section");
    let (id, range) = payload.as_section().ok_or(unknown)?;
    if id == CORE_TYPE {
        return Err(Unmergeable::Unsupported("the component has core types"));
    }
    Ok(ComponentItem::Other { id, bytes: Cow::Borrowed(part(component, &range)) })
}
