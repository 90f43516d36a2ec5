//! Writes a component again, with its merged module.

use std::collections::{HashMap, HashSet};

use wasm_encoder::{
    Alias, CanonicalFunctionSection, Component, ComponentAliasSection, ExportKind, InstanceSection, ModuleArg,
    RawSection,
    reencode::{Error, Reencode, ReencodeComponent},
};
use wasmparser::{CanonicalFunction, ComponentAlias, Instance, InstantiationArg};

use super::{
    error::Unmergeable,
    merged_module::{self, OUTSIDE, export_name},
    plan::{KnownInstance, Plan, Source},
    structure::{ByKind, ComponentItem, Kind},
};

const CORE_MODULE: u8 = 1;

/// Without a plan, the parts stay as they are.
pub(super) fn rewrite(items: &[ComponentItem<'_>], plan: Option<&Plan<'_>>) -> Result<Vec<u8>, Unmergeable> {
    let mut writer = Writer {
        items,
        places: places(items)?,
        plan,
        members: plan.into_iter().flat_map(|plan| &plan.members).map(|member| member.module_index).collect(),
        written: Component::new(),
        new: NewIndices::default(),
        merged: 0,
    };
    let is_late = |at: usize| plan.is_some_and(|plan| plan.late.get(at).copied().unwrap_or_default());
    let end = plan.map_or(0, |plan| plan.last + 1);
    (0..end).filter(|at| !is_late(*at)).try_for_each(|at| writer.item(at))?;
    if let Some(plan) = plan {
        writer.merge(plan)?;
    }
    (0..end).filter(|at| is_late(*at)).chain(end..items.len()).try_for_each(|at| writer.item(at))?;
    Ok(writer.written.finish())
}

/// The index of each item among those of its kind.
fn places(items: &[ComponentItem<'_>]) -> Result<Vec<u32>, Unmergeable> {
    let (mut modules, mut instances, mut core) = (0, 0, ByKind::<u32>::default());
    let next = |count: &mut u32| {
        *count += 1;
        *count - 1
    };
    let mut places = vec![];
    for item in items {
        places.push(match item {
            ComponentItem::Module(_) => next(&mut modules),
            ComponentItem::Instance(_) => next(&mut instances),
            ComponentItem::Alias(ComponentAlias::CoreInstanceExport { kind, .. }) => {
                next(core.get_mut(Kind::of(*kind)?))
            }
            ComponentItem::Canonical(CanonicalFunction::Lift { .. }) => 0,
            ComponentItem::Canonical(_) => next(core.get_mut(Kind::Function)),
            ComponentItem::Alias(_) | ComponentItem::Other { .. } => 0,
        });
    }
    Ok(places)
}

struct Writer<'i, 'a> {
    items: &'i [ComponentItem<'a>],
    places: Vec<u32>,
    plan: Option<&'i Plan<'a>>,
    /// Modules that only the merged one contains.
    members: HashSet<u32>,
    written: Component,
    new: NewIndices,
    /// The index of the merged instance.
    merged: u32,
}

impl Writer<'_, '_> {
    fn item(&mut self, at: usize) -> Result<(), Unmergeable> {
        let (items, place) = (self.items, self.places.get(at).copied().unwrap_or_default());
        match items.get(at) {
            Some(ComponentItem::Module(_)) if self.members.contains(&place) => {}
            Some(ComponentItem::Module(bytes)) => {
                self.written.section(&RawSection { id: CORE_MODULE, data: bytes });
                self.new.add_module(place);
            }
            Some(ComponentItem::Instance(instance)) => self.instance(place, instance)?,
            Some(ComponentItem::Alias(alias)) => self.alias(place, alias)?,
            Some(ComponentItem::Canonical(function)) => {
                let mut section = CanonicalFunctionSection::new();
                self.new.parse_component_canonical(&mut section, function.clone())?;
                self.written.section(&section);
                if !matches!(function, CanonicalFunction::Lift { .. }) {
                    self.new.add(Kind::Function, place);
                }
            }
            Some(ComponentItem::Other { id, bytes }) => {
                self.written.section(&RawSection { id: *id, data: bytes });
            }
            None => {}
        }
        Ok(())
    }

    fn merge(&mut self, plan: &Plan<'_>) -> Result<(), Unmergeable> {
        let module = merged_module::build(plan)?;
        self.written.section(&RawSection { id: CORE_MODULE, data: &module.bytes });
        let mut imports = vec![];
        for (number, (kind, index)) in module.imports.iter().enumerate() {
            imports.push((number.to_string(), kind.export(), self.new.find(*kind, *index)?));
        }
        let outside = self.bag(imports);
        let mut section = InstanceSection::new();
        section.instantiate(self.new.next_module, [(OUTSIDE, ModuleArg::Instance(outside))]);
        self.written.section(&section);
        self.new.next_module += 1;
        self.merged = self.new.next_instance();
        Ok(())
    }

    fn bag(&mut self, items: Vec<(String, ExportKind, u32)>) -> u32 {
        let mut section = InstanceSection::new();
        section.export_items(items.iter().map(|(name, kind, index)| (name.as_str(), *kind, *index)));
        self.written.section(&section);
        self.new.next_instance()
    }

    fn instance(&mut self, place: u32, instance: &Instance<'_>) -> Result<(), Unmergeable> {
        let known = self.plan.map(|plan| plan.known(place)).transpose()?;
        let new = match instance {
            _ if matches!(known, Some(KnownInstance::Member)) => return Ok(()),
            Instance::FromExports(exports) => {
                if self.plan.is_some_and(|plan| plan.is_for_members_only(self.items, place)) {
                    return Ok(());
                }
                let mut items = vec![];
                for export in exports {
                    let kind = Kind::of(export.kind)?;
                    items.push((export.name.to_owned(), kind.export(), self.new.find(kind, export.index)?));
                }
                self.bag(items)
            }
            Instance::Instantiate { module_index, args } => {
                let args = args.iter().map(|arg| self.argument(place, arg)).collect::<Result<Vec<_>, _>>()?;
                let module = self.new.modules.get(module_index).copied();
                let module = module.ok_or(Unmergeable::Unsupported("a module has two instances"))?;
                let mut section = InstanceSection::new();
                section.instantiate(module, args);
                self.written.section(&section);
                self.new.next_instance()
            }
        };
        self.new.instances.insert(place, new);
        Ok(())
    }

    /// An argument of an instance that is not merged.
    fn argument<'n>(&mut self, other: u32, arg: &InstantiationArg<'n>) -> Result<(&'n str, ModuleArg), Unmergeable> {
        let Some(plan) = self.plan.filter(|plan| matches!(plan.known(arg.index), Ok(KnownInstance::Member))) else {
            return Ok((arg.name, ModuleArg::Instance(self.new.instance(arg.index)?)));
        };
        let mut items = vec![];
        for (instance, name, kind) in plan.member_imports(self.items, other)? {
            if instance == arg.index {
                self.alias_of_merged(instance, name, kind);
                items.push((name.to_owned(), kind.export(), self.new.next(kind)));
            }
        }
        Ok((arg.name, ModuleArg::Instance(self.bag(items))))
    }

    fn alias_of_merged(&mut self, instance: u32, name: &str, kind: Kind) {
        let name = export_name(instance, name);
        let mut section = ComponentAliasSection::new();
        section.alias(Alias::CoreInstanceExport { instance: self.merged, kind: kind.export(), name: &name });
        self.written.section(&section);
    }

    fn alias(&mut self, place: u32, alias: &ComponentAlias<'_>) -> Result<(), Unmergeable> {
        if let (ComponentAlias::CoreInstanceExport { kind, .. }, Some(plan)) = (alias, self.plan) {
            let kind = Kind::of(*kind)?;
            match plan.source(kind, place)? {
                Source::Member { instance, name } => {
                    if plan.exports.contains_key(&(instance, name)) {
                        self.alias_of_merged(instance, name, kind);
                        self.new.add(kind, place);
                    }
                    return Ok(());
                }
                Source::Other { index, .. } if index != place => {
                    let new = self.new.find(kind, index)?;
                    self.new.items.get_mut(kind).insert(place, new);
                    return Ok(());
                }
                Source::Other { .. } => {}
            }
        }
        let mut section = ComponentAliasSection::new();
        section.alias(self.new.component_alias(alias.clone())?);
        self.written.section(&section);
        if let ComponentAlias::CoreInstanceExport { kind, .. } = alias {
            self.new.add(Kind::of(*kind)?, place);
        }
        Ok(())
    }
}

/// The new indices of core items, by the old ones.
#[derive(Default)]
struct NewIndices {
    modules: HashMap<u32, u32>,
    next_module: u32,
    instances: HashMap<u32, u32>,
    next_instance: u32,
    items: ByKind<HashMap<u32, u32>>,
    next: ByKind<u32>,
}

impl NewIndices {
    fn add_module(&mut self, old: u32) {
        self.modules.insert(old, self.next_module);
        self.next_module += 1;
    }

    fn next_instance(&mut self) -> u32 {
        self.next_instance += 1;
        self.next_instance - 1
    }

    fn next(&mut self, kind: Kind) -> u32 {
        let next = self.next.get_mut(kind);
        *next += 1;
        *next - 1
    }

    fn add(&mut self, kind: Kind, old: u32) {
        let new = self.next(kind);
        self.items.get_mut(kind).insert(old, new);
    }

    fn find(&self, kind: Kind, old: u32) -> Result<u32, Unmergeable> {
        self.items.get(kind).get(&old).copied().ok_or(Unmergeable::Unsupported("an item comes too late"))
    }

    fn instance(&self, old: u32) -> Result<u32, Unmergeable> {
        self.instances.get(&old).copied().ok_or(Unmergeable::Unsupported("an instance comes too late"))
    }
}

impl Reencode for NewIndices {
    type Error = Unmergeable;

    fn function_index(&mut self, old: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Function, old).map_err(Error::UserError)
    }

    fn table_index(&mut self, old: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Table, old).map_err(Error::UserError)
    }

    fn memory_index(&mut self, old: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Memory, old).map_err(Error::UserError)
    }

    fn global_index(&mut self, old: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Global, old).map_err(Error::UserError)
    }
}

impl ReencodeComponent for NewIndices {
    fn instance_index(&mut self, old: u32) -> u32 {
        // Validation refuses an instance that does not exist.
        self.instances.get(&old).copied().unwrap_or(u32::MAX)
    }
}
