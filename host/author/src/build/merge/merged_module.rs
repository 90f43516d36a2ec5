//! One core module made of several.

use std::collections::HashMap;

use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, ExportSection, FunctionSection, GlobalSection,
    ImportSection, Instruction, MemorySection, Module, TableSection, TypeSection,
    reencode::{Error, Reencode, utils},
};
use wasmparser::{Operator, TypeRef};

use super::{
    core_module::kind_of,
    error::Unmergeable,
    plan::{Member, Plan, Source},
    structure::{ByKind, Kind},
};

/// The module name of all imports.
pub(super) const OUTSIDE: &str = "";

pub(super) struct MergedModule {
    pub(super) bytes: Vec<u8>,
    /// Its imports by the name of each: the number of its place.
    pub(super) imports: Vec<(Kind, u32)>,
}

pub(super) fn export_name(instance: u32, name: &str) -> String {
    format!("{instance}/{name}")
}

/// The new indices of the items of one module.
#[derive(Default)]
struct NewIndices {
    types: u32,
    items: ByKind<Vec<u32>>,
    elements: u32,
    data: u32,
    /// Values of constant globals, by the old index.
    constants: HashMap<u32, i32>,
}

impl NewIndices {
    fn find(&self, kind: Kind, index: u32) -> Result<u32, Error<Unmergeable>> {
        let found = self.items.get(kind).get(index as usize).copied();
        found.ok_or(Error::UserError(Unmergeable::Unsupported("an index has no item")))
    }
}

impl Reencode for NewIndices {
    type Error = Unmergeable;

    fn type_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        Ok(self.types + index)
    }

    fn function_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Function, index)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Table, index)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Memory, index)
    }

    fn global_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        self.find(Kind::Global, index)
    }

    fn element_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        Ok(self.elements + index)
    }

    fn data_index(&mut self, index: u32) -> Result<u32, Error<Self::Error>> {
        Ok(self.data + index)
    }

    /// Constant globals become constants. Tables and memories are only filled lazily if their offsets are constants.
    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error<Self::Error>> {
        if let Operator::GlobalGet { global_index } = operator
            && let Some(value) = self.constants.get(&global_index)
        {
            return Ok(Instruction::I32Const(*value));
        }
        utils::instruction(self, operator)
    }
}

pub(super) fn build(plan: &Plan<'_>) -> Result<MergedModule, Unmergeable> {
    let (mut modules, imports) = assign(&plan.members)?;
    let mut module = Module::new();
    let mut types = TypeSection::new();
    let mut functions = FunctionSection::new();
    let mut tables = TableSection::new();
    let mut memories = MemorySection::new();
    let mut globals = GlobalSection::new();
    let mut elements = ElementSection::new();
    let mut data = DataSection::new();
    let mut code = CodeSection::new();
    let mut has_data_count = false;
    for (member, new) in plan.members.iter().zip(&mut modules) {
        let old = &member.module;
        (new.elements, new.data) = (elements.len(), data.len());
        has_data_count |= old.has_data_count;
        if let Some(section) = old.types.clone() {
            new.parse_type_section(&mut types, section)?;
        }
        for function in &old.functions {
            functions.function(new.types + function);
        }
        if let Some(section) = old.tables.clone() {
            new.parse_table_section(&mut tables, section)?;
        }
        for memory in &old.memories {
            memories.memory(new.memory_type(*memory)?);
        }
        if let Some(section) = old.globals.clone() {
            new.parse_global_section(&mut globals, section)?;
        }
        if let Some(section) = old.elements.clone() {
            new.parse_element_section(&mut elements, section)?;
        }
        if let Some(section) = old.data.clone() {
            new.parse_data_section(&mut data, section)?;
        }
        for body in &old.bodies {
            new.parse_function_body(&mut code, body.clone())?;
        }
    }
    let import_section = import_section(&plan.members, &mut modules, &imports)?;
    let exports = exports(plan, &modules)?;
    module.section(&types).section(&import_section).section(&functions).section(&tables).section(&memories);
    module.section(&globals).section(&exports).section(&elements);
    if has_data_count {
        module.section(&DataCountSection { count: data.len() });
    }
    module.section(&code).section(&data);
    Ok(MergedModule { bytes: module.finish(), imports: imports.into_iter().map(|import| import.item).collect() })
}

struct OutsideImport {
    item: (Kind, u32),
    /// The first import of this item: the place of the module and that of the import.
    first: (usize, usize),
}

/// Assigns new indices: first to the imports from outside, then to the items of each module.
fn assign(members: &[Member<'_>]) -> Result<(Vec<NewIndices>, Vec<OutsideImport>), Unmergeable> {
    let mut next: ByKind<u32> = ByKind::default();
    let mut imported: HashMap<(Kind, u32), u32> = HashMap::new();
    let mut outside = vec![];
    for (at, member) in members.iter().enumerate() {
        for (place, (import, source)) in member.module.imports.iter().zip(&member.imports).enumerate() {
            let Source::Other { index, .. } = source else { continue };
            let item = (kind_of(import)?, *index);
            if let std::collections::hash_map::Entry::Vacant(entry) = imported.entry(item) {
                entry.insert(take(&mut next, item.0));
                outside.push(OutsideImport { item, first: (at, place) });
            }
        }
    }
    let mut modules: Vec<NewIndices> = vec![];
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut types = 0;
    for (at, member) in members.iter().enumerate() {
        let mut new = NewIndices { types, ..NewIndices::default() };
        types += member.module.type_count;
        for (import, source) in member.module.imports.iter().zip(&member.imports) {
            let kind = kind_of(import)?;
            let index = match source {
                Source::Other { index, .. } => imported.get(&(kind, *index)).copied(),
                Source::Member { instance, name } => {
                    let at = places.get(instance).copied().unwrap_or(usize::MAX);
                    let export = members.get(at).and_then(|member| member.module.exports.get(name));
                    let (Some(provider), Some((_, old))) = (modules.get(at), export) else {
                        return Err(Unmergeable::Unsupported("an import has no item"));
                    };
                    if kind == Kind::Global
                        && let Some(value) = provider.constants.get(old)
                    {
                        let place = u32::try_from(new.items.get(kind).len()).unwrap_or(u32::MAX);
                        new.constants.insert(place, *value);
                    }
                    provider.items.get(kind).get(*old as usize).copied()
                }
            };
            new.items.get_mut(kind).push(index.ok_or(Unmergeable::Unsupported("an import has no item"))?);
        }
        own_items(member, &mut new, &mut next)?;
        places.insert(member.instance, at);
        modules.push(new);
    }
    Ok((modules, outside))
}

fn own_items(member: &Member<'_>, new: &mut NewIndices, next: &mut ByKind<u32>) -> Result<(), Unmergeable> {
    let module = &member.module;
    for constant in module.constants()? {
        let old = u32::try_from(new.items.get(Kind::Global).len()).unwrap_or(u32::MAX);
        new.items.get_mut(Kind::Global).push(take(next, Kind::Global));
        if let Some(value) = constant {
            new.constants.insert(old, value);
        }
    }
    let tables = module.tables.as_ref().map_or(0, |tables| tables.count() as usize);
    for (kind, count) in
        [(Kind::Function, module.functions.len()), (Kind::Table, tables), (Kind::Memory, module.memories.len())]
    {
        for _ in 0..count {
            new.items.get_mut(kind).push(take(next, kind));
        }
    }
    Ok(())
}

fn take(next: &mut ByKind<u32>, kind: Kind) -> u32 {
    let next = next.get_mut(kind);
    *next += 1;
    *next - 1
}

fn import_section(
    members: &[Member<'_>],
    modules: &mut [NewIndices],
    imports: &[OutsideImport],
) -> Result<ImportSection, Unmergeable> {
    let mut section = ImportSection::new();
    for (number, OutsideImport { first: (at, place), .. }) in imports.iter().enumerate() {
        let import = members.get(*at).and_then(|member| member.module.imports.get(*place));
        let (Some(import), Some(new)) = (import, modules.get_mut(*at)) else { continue };
        if matches!(import.ty, TypeRef::Tag(_)) {
            return Err(Unmergeable::Unsupported("a module imports a tag"));
        }
        section.import(OUTSIDE, &number.to_string(), new.entity_type(import.ty)?);
    }
    Ok(section)
}

fn exports(plan: &Plan<'_>, modules: &[NewIndices]) -> Result<ExportSection, Unmergeable> {
    let mut section = ExportSection::new();
    for ((instance, name), kind) in &plan.exports {
        let found = plan.members.iter().zip(modules).find(|(member, _)| member.instance == *instance);
        let (member, new) = found.ok_or(Unmergeable::Unsupported("an instance is not merged"))?;
        let (_, old) = member.module.exports.get(name).ok_or(Unmergeable::Unsupported("an export is missing"))?;
        section.export(&export_name(*instance, name), kind.export(), new.find(*kind, *old)?);
    }
    Ok(section)
}
