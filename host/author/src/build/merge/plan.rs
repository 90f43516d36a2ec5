//! Decides which instances are merged, and which items must come after the merged one.

use std::collections::{BTreeMap, HashMap};

use wasmparser::{CanonicalFunction, CanonicalOption, ComponentAlias, Instance, TypeRef};

use super::{
    core_module::{CoreModule, kind_of},
    error::Unmergeable,
    structure::{ByKind, ComponentItem, Kind},
};

/// The origin of a core item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source<'a> {
    /// An export of a merged instance.
    Member { instance: u32, name: &'a str },
    /// Another item, by its index. `late` if it depends on a merged instance.
    Other { index: u32, late: bool },
}

impl Source<'_> {
    fn is_late(self) -> bool {
        matches!(self, Self::Member { .. } | Self::Other { late: true, .. })
    }
}

pub(super) enum KnownInstance<'a> {
    Member,
    /// Items under names, without code.
    Bag(HashMap<&'a str, (Kind, u32)>),
    Other {
        late: bool,
    },
}

pub(super) struct Member<'a> {
    pub(super) instance: u32,
    pub(super) module_index: u32,
    pub(super) module: CoreModule<'a>,
    /// The sources of its imports, in their order.
    pub(super) imports: Vec<Source<'a>>,
}

#[derive(Default)]
pub(super) struct Plan<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// The item after which the merged instance can be made.
    pub(super) last: usize,
    /// For each item, whether it must come after the merged instance.
    pub(super) late: Vec<bool>,
    pub(super) instances: Vec<KnownInstance<'a>>,
    pub(super) sources: ByKind<Vec<Source<'a>>>,
    /// The exports of merged instances that other items need.
    pub(super) exports: BTreeMap<(u32, &'a str), Kind>,
    /// Modules of instances that are not merged, by the index of the instance.
    pub(super) others: HashMap<u32, CoreModule<'a>>,
}

/// `None` if fewer than two instances can be merged, or if none of them imports its table: the gain is small then, and
/// the names of functions would go for it.
pub(super) fn plan<'a>(items: &[ComponentItem<'a>]) -> Result<Option<Plan<'a>>, Unmergeable> {
    let mut plan = Plan::default();
    let mut modules: Vec<&'a [u8]> = vec![];
    for (at, item) in items.iter().enumerate() {
        let late = match item {
            ComponentItem::Module(bytes) => {
                modules.push(bytes);
                false
            }
            ComponentItem::Instance(instance) => plan.instance(at, instance, &modules)?,
            ComponentItem::Alias(alias) => plan.alias(alias)?,
            ComponentItem::Canonical(function) => plan.canonical(function)?,
            ComponentItem::Other { .. } => false,
        };
        plan.late.push(late);
    }
    let mut imports = plan.members.iter().flat_map(|member| &member.module.imports);
    let shares_table = imports.any(|import| matches!(import.ty, TypeRef::Table(_)));
    if plan.members.len() < 2 || !shares_table {
        return Ok(None);
    }
    let lifts_early = items
        .iter()
        .zip(&plan.late)
        .take(plan.last)
        .any(|(item, late)| *late && matches!(item, ComponentItem::Canonical(CanonicalFunction::Lift { .. })));
    if lifts_early {
        return Err(Unmergeable::Unsupported("a function is lifted between the instances"));
    }
    plan.find_exports(items)?;
    Ok(Some(plan))
}

impl<'a> Plan<'a> {
    pub(super) fn source(&self, kind: Kind, index: u32) -> Result<Source<'a>, Unmergeable> {
        self.sources.get(kind).get(index as usize).copied().ok_or(Unmergeable::Unsupported("an index has no item"))
    }

    pub(super) fn known(&self, instance: u32) -> Result<&KnownInstance<'a>, Unmergeable> {
        self.instances.get(instance as usize).ok_or(Unmergeable::Unsupported("an index has no instance"))
    }

    fn instance(&mut self, at: usize, instance: &Instance<'a>, modules: &[&'a [u8]]) -> Result<bool, Unmergeable> {
        let index = u32::try_from(self.instances.len()).unwrap_or(u32::MAX);
        match instance {
            Instance::FromExports(exports) => {
                let mut bag = HashMap::new();
                let mut late = false;
                for export in exports {
                    let kind = Kind::of(export.kind)?;
                    late |= self.source(kind, export.index)?.is_late();
                    bag.insert(export.name, (kind, export.index));
                }
                self.instances.push(KnownInstance::Bag(bag));
                Ok(late)
            }
            Instance::Instantiate { module_index, args } => {
                let bytes = modules.get(*module_index as usize).copied();
                let module = CoreModule::read(bytes.ok_or(Unmergeable::Unsupported("a module is imported"))?)?;
                let arguments: HashMap<&str, u32> = args.iter().map(|arg| (arg.name, arg.index)).collect();
                let mut imports = vec![];
                for import in &module.imports {
                    let from = arguments.get(import.module).copied();
                    let from = from.ok_or(Unmergeable::Unsupported("an import has no argument"))?;
                    imports.push(self.import(from, import.name)?);
                }
                let waits =
                    imports.iter().any(|import| matches!(import, None | Some(Source::Other { late: true, .. })));
                if module.has_start_function || waits || !self.has_room(&module) {
                    let late = waits || imports.iter().flatten().any(|import| import.is_late());
                    self.instances.push(KnownInstance::Other { late });
                    self.others.insert(index, module);
                    return Ok(late);
                }
                let imports = imports.into_iter().flatten().collect();
                self.members.push(Member { instance: index, module_index: *module_index, module, imports });
                self.instances.push(KnownInstance::Member);
                self.last = at;
                Ok(false)
            }
        }
    }

    /// Whether the merged module would have at most one table and one memory, as instance pools require. A table without
    /// a memory belongs to the functions that stand for later imports.
    fn has_room(&self, module: &CoreModule<'a>) -> bool {
        let tables = |module: &CoreModule<'a>| module.tables.as_ref().map_or(0, |tables| tables.count() as usize);
        let members = || self.members.iter().map(|member| &member.module);
        let all_tables: usize = members().map(tables).sum();
        let all_memories: usize = members().map(|module| module.memories.len()).sum();
        let is_stub = tables(module) > 0 && module.memories.is_empty();
        !is_stub && all_tables + tables(module) <= 1 && all_memories + module.memories.len() <= 1
    }

    /// The source of an item of an instance. `None` if it is an export of another instance that is not merged.
    fn import(&self, from: u32, name: &'a str) -> Result<Option<Source<'a>>, Unmergeable> {
        Ok(match self.known(from)? {
            KnownInstance::Member => Some(Source::Member { instance: from, name }),
            KnownInstance::Bag(bag) => {
                let (kind, index) = bag.get(name).ok_or(Unmergeable::Unsupported("an import has no item"))?;
                Some(self.source(*kind, *index)?)
            }
            KnownInstance::Other { .. } => None,
        })
    }

    fn alias(&mut self, alias: &ComponentAlias<'a>) -> Result<bool, Unmergeable> {
        let ComponentAlias::CoreInstanceExport { kind, instance_index, name } = alias else { return Ok(false) };
        let kind = Kind::of(*kind)?;
        let index = u32::try_from(self.sources.get(kind).len()).unwrap_or(u32::MAX);
        let source = match self.known(*instance_index)? {
            KnownInstance::Other { late } => Source::Other { index, late: *late },
            KnownInstance::Member | KnownInstance::Bag(_) => {
                self.import(*instance_index, name)?.ok_or(Unmergeable::Unsupported("an alias has no item"))?
            }
        };
        self.sources.get_mut(kind).push(source);
        Ok(source.is_late())
    }

    fn canonical(&mut self, function: &CanonicalFunction) -> Result<bool, Unmergeable> {
        let mut late = false;
        for (kind, index) in references(function)? {
            late |= self.source(kind, index)?.is_late();
        }
        if !matches!(function, CanonicalFunction::Lift { .. }) {
            let functions = self.sources.get_mut(Kind::Function);
            let index = u32::try_from(functions.len()).unwrap_or(u32::MAX);
            functions.push(Source::Other { index, late });
        }
        Ok(late)
    }

    fn find_exports(&mut self, items: &[ComponentItem<'a>]) -> Result<(), Unmergeable> {
        let mut needed: Vec<(Kind, u32)> = vec![];
        for item in items {
            match item {
                ComponentItem::Canonical(function) => needed.extend(references(function)?),
                ComponentItem::Instance(Instance::Instantiate { args, .. }) => {
                    for arg in args {
                        if let KnownInstance::Bag(bag) = self.known(arg.index)?
                            && !self.is_for_members_only(items, arg.index)
                        {
                            needed.extend(bag.values().copied());
                        }
                    }
                }
                _ => {}
            }
        }
        for (kind, index) in needed {
            if let Source::Member { instance, name } = self.source(kind, index)? {
                self.exports.insert((instance, name), kind);
            }
        }
        let others: Vec<u32> = self.others.keys().copied().collect();
        for other in others {
            for (instance, name, kind) in self.member_imports(items, other)? {
                self.exports.insert((instance, name), kind);
            }
        }
        Ok(())
    }

    /// Whether all instances that take this one as an argument are merged.
    pub(super) fn is_for_members_only(&self, items: &[ComponentItem<'a>], instance: u32) -> bool {
        instantiations(items).all(|(index, args)| {
            !args.iter().any(|arg| arg.index == instance)
                || matches!(self.instances.get(index as usize), Some(KnownInstance::Member))
        })
    }

    /// The imports that an instance takes directly from merged instances: instance, name and kind.
    pub(super) fn member_imports(
        &self,
        items: &[ComponentItem<'a>],
        other: u32,
    ) -> Result<Vec<(u32, &'a str, Kind)>, Unmergeable> {
        let mut found = vec![];
        let (Some(module), Some((_, args))) =
            (self.others.get(&other), instantiations(items).find(|(index, _)| *index == other))
        else {
            return Ok(found);
        };
        for import in &module.imports {
            for arg in args.iter().filter(|arg| arg.name == import.module) {
                if matches!(self.known(arg.index)?, KnownInstance::Member) {
                    found.push((arg.index, import.name, kind_of(import)?));
                }
            }
        }
        Ok(found)
    }
}

/// The instances of modules, with their indices and arguments.
fn instantiations<'i, 'a>(
    items: &'i [ComponentItem<'a>],
) -> impl Iterator<Item = (u32, &'i [wasmparser::InstantiationArg<'a>])> {
    let instances = items.iter().filter_map(|item| match item {
        ComponentItem::Instance(instance) => Some(instance),
        _ => None,
    });
    (0..).zip(instances).filter_map(|(index, instance)| match instance {
        Instance::Instantiate { args, .. } => Some((index, args.as_ref())),
        Instance::FromExports(_) => None,
    })
}

/// The core items that a function of the canonical ABI refers to.
fn references(function: &CanonicalFunction) -> Result<Vec<(Kind, u32)>, Unmergeable> {
    let (function, options) = match function {
        CanonicalFunction::Lift { core_func_index, options, .. } => (Some(*core_func_index), options),
        CanonicalFunction::Lower { options, .. } => (None, options),
        CanonicalFunction::ResourceNew { .. }
        | CanonicalFunction::ResourceDrop { .. }
        | CanonicalFunction::ResourceRep { .. } => return Ok(vec![]),
        _ => return Err(Unmergeable::Unsupported("the component is asynchronous")),
    };
    let mut references: Vec<(Kind, u32)> = function.map(|index| (Kind::Function, index)).into_iter().collect();
    for option in options {
        match option {
            CanonicalOption::Memory(index) => references.push((Kind::Memory, *index)),
            CanonicalOption::Realloc(index) | CanonicalOption::PostReturn(index) => {
                references.push((Kind::Function, *index));
            }
            CanonicalOption::UTF8 | CanonicalOption::UTF16 | CanonicalOption::CompactUTF16 => {}
            _ => return Err(Unmergeable::Unsupported("the component is asynchronous")),
        }
    }
    Ok(references)
}
