//! A core module of a component, parsed as far as the merge needs it.

use std::collections::HashMap;

use wasmparser::{
    DataSectionReader, ElementSectionReader, FunctionBody, GlobalSectionReader, Import, MemoryType, Operator, Parser,
    Payload, TableSectionReader, TypeRef, TypeSectionReader,
};

use super::{error::Unmergeable, structure::Kind};

#[derive(Default)]
pub(super) struct CoreModule<'a> {
    pub(super) types: Option<TypeSectionReader<'a>>,
    pub(super) type_count: u32,
    pub(super) imports: Vec<Import<'a>>,
    /// The type index of each function that it defines. Imported functions are not in the list.
    pub(super) functions: Vec<u32>,
    pub(super) tables: Option<TableSectionReader<'a>>,
    pub(super) memories: Vec<MemoryType>,
    pub(super) globals: Option<GlobalSectionReader<'a>>,
    pub(super) exports: HashMap<&'a str, (Kind, u32)>,
    pub(super) elements: Option<ElementSectionReader<'a>>,
    pub(super) data: Option<DataSectionReader<'a>>,
    pub(super) bodies: Vec<FunctionBody<'a>>,
    pub(super) has_data_count: bool,
    /// True if it has a start function. In a merged module that function would run after the segments of all members,
    /// and not only after its own.
    pub(super) has_start_function: bool,
}

impl<'a> CoreModule<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Unmergeable> {
        let mut module = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section.clone() {
                        module.type_count += u32::try_from(group?.types().len()).unwrap_or(u32::MAX);
                    }
                    module.types = Some(section);
                }
                Payload::ImportSection(section) => {
                    module.imports = section.into_imports().collect::<Result<_, _>>()?;
                }
                Payload::FunctionSection(section) => {
                    module.functions = section.into_iter().collect::<Result<_, _>>()?;
                }
                Payload::TableSection(section) => module.tables = Some(section),
                Payload::MemorySection(section) => {
                    module.memories = section.into_iter().collect::<Result<_, _>>()?;
                }
                Payload::GlobalSection(section) => module.globals = Some(section),
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        module.exports.insert(export.name, (Kind::of(export.kind)?, export.index));
                    }
                }
                Payload::StartSection { .. } => module.has_start_function = true,
                Payload::ElementSection(section) => module.elements = Some(section),
                Payload::DataCountSection { .. } => module.has_data_count = true,
                Payload::DataSection(section) => module.data = Some(section),
                Payload::CodeSectionEntry(body) => module.bodies.push(body),
                Payload::Version { .. } | Payload::CodeSectionStart { .. } | Payload::CustomSection(_) => {}
                Payload::End(_) => {}
                _ => return Err(Unmergeable::Unsupported("a module has an unknown section")),
            }
        }
        Ok(module)
    }

    /// Returns the values of the globals that it defines, in order. `None`: a mutable global, or not a constant of 32
    /// bits.
    pub(super) fn constants(&self) -> Result<Vec<Option<i32>>, Unmergeable> {
        let mut constants = vec![];
        for global in self.globals.clone().into_iter().flatten() {
            let global = global?;
            let mut operators = global.init_expr.get_operators_reader();
            let constant = match (operators.read()?, operators.read()?) {
                (Operator::I32Const { value }, Operator::End) if !global.ty.mutable => Some(value),
                _ => None,
            };
            constants.push(constant);
        }
        Ok(constants)
    }
}

pub(super) fn kind_of(import: &Import<'_>) -> Result<Kind, Unmergeable> {
    match import.ty {
        TypeRef::Func(_) => Ok(Kind::Function),
        TypeRef::Table(_) => Ok(Kind::Table),
        TypeRef::Memory(_) => Ok(Kind::Memory),
        TypeRef::Global(_) => Ok(Kind::Global),
        _ => Err(Unmergeable::Unsupported("a module imports an item of an unknown kind")),
    }
}
