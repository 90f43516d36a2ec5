//! Gives a finished component the export `patchbay:plugin/configuration`: the JSON Schema that `plugin.toml` names. It
//! is appended as a small separate module, so it works for every language.

use std::path::Path;

use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, CodeSection, ComponentAliasSection, ComponentExportKind,
    ComponentExportSection, ComponentInstanceSection, ComponentSection, ComponentTypeSection, ConstExpr, DataSection,
    ExportKind, ExportSection, Function, FunctionSection, InstanceSection, MemorySection, MemoryType, Module,
    ModuleSection, PrimitiveValType, TypeSection, ValType,
};
use wasmparser::{Validator, WasmFeatures};

use super::{error::BuildError, interface, run::read};
use crate::Project;

/// Memory offset of the pair (address, length) that the function returns.
const RESULT: u32 = 16;
/// Memory offset of the text.
const TEXT: u32 = 32;
const PAGE: usize = 65_536;

pub(super) fn attach(project: &Project, component: &Path) -> Result<(), BuildError> {
    let Some(file) = &project.schema else { return Ok(()) };
    let path = project.root.join(file);
    let schema = read(&path)?;
    let refused = |reason: String| BuildError::Failed {
        step: format!("attaching the configuration schema {}", file.display()),
        output: reason,
    };
    let value: serde_json::Value = serde_json::from_slice(&schema).map_err(|fault| refused(fault.to_string()))?;
    let bytes = read(component)?;
    let version = interface::version_of(project)?;
    let with_schema = append_schema(bytes, &value.to_string(), &version).map_err(refused)?;
    super::run::write(component, with_schema)
}

fn append_schema(mut component: Vec<u8>, schema: &str, version: &str) -> Result<Vec<u8>, String> {
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    let types = validator.validate_all(&component).map_err(|fault| fault.to_string())?;
    let interface = format!("patchbay:plugin/configuration@{version}");
    if types.as_ref().component_item_for_export(&interface).is_some() {
        return Err(format!("the plugin exports {interface} already; remove `schema` from plugin.toml"));
    }
    let types = types.as_ref();
    let count = Counts {
        modules: types.module_count(),
        instances: types.core_instance_count(),
        functions: types.function_count(),
        memories: types.memory_count(),
        types: types.component_type_count(),
        lifted: types.component_function_count(),
        exported: types.component_instance_count(),
    };
    append(&mut component, &count, &interface, schema);
    let checked = Validator::new_with_features(WasmFeatures::all()).validate_all(&component);
    checked.map(|_| component).map_err(|fault| fault.to_string())
}

/// The number of existing items of each kind, which are the indices of the next ones.
struct Counts {
    modules: u32,
    instances: u32,
    functions: u32,
    memories: u32,
    types: u32,
    lifted: u32,
    exported: u32,
}

fn append(component: &mut Vec<u8>, count: &Counts, interface: &str, schema: &str) {
    ModuleSection(&module(schema)).append_to_component(component);

    let mut instances = InstanceSection::new();
    instances.instantiate::<[(&str, wasm_encoder::ModuleArg); 0], _>(count.modules, []);
    instances.append_to_component(component);

    let mut aliases = ComponentAliasSection::new();
    for (kind, name) in [(ExportKind::Func, "schema"), (ExportKind::Memory, "memory")] {
        aliases.alias(Alias::CoreInstanceExport { instance: count.instances, kind, name });
    }
    aliases.append_to_component(component);

    let mut types = ComponentTypeSection::new();
    let no_parameters: [(&str, PrimitiveValType); 0] = [];
    types.function().params(no_parameters).result(Some(PrimitiveValType::String.into()));
    types.append_to_component(component);

    let mut functions = CanonicalFunctionSection::new();
    functions.lift(count.functions, count.types, [CanonicalOption::UTF8, CanonicalOption::Memory(count.memories)]);
    functions.append_to_component(component);

    let mut instances = ComponentInstanceSection::new();
    instances.export_items([("schema", ComponentExportKind::Func, count.lifted)]);
    instances.append_to_component(component);

    let mut exports = ComponentExportSection::new();
    exports.export(interface, ComponentExportKind::Instance, count.exported, None);
    exports.append_to_component(component);
}

/// A module with one function, `schema`, that returns the place of a text in its memory.
fn module(schema: &str) -> Module {
    let length = u32::try_from(schema.len()).unwrap_or(u32::MAX);
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I32]);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut memories = MemorySection::new();
    let pages = (TEXT as usize + schema.len()).div_ceil(PAGE) as u64;
    let size =
        MemoryType { minimum: pages, maximum: Some(pages), memory64: false, shared: false, page_size_log2: None };
    memories.memory(size);
    let mut exports = ExportSection::new();
    exports.export("schema", ExportKind::Func, 0);
    exports.export("memory", ExportKind::Memory, 0);
    let mut code = CodeSection::new();
    let mut answer = Function::new([]);
    answer.instructions().i32_const(RESULT.cast_signed()).end();
    code.function(&answer);
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(RESULT.cast_signed()), [TEXT.to_le_bytes(), length.to_le_bytes()].concat());
    data.active(0, &ConstExpr::i32_const(TEXT.cast_signed()), schema.bytes());
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports).section(&code).section(&data);
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_can_be_appended_to_any_component_once() {
        let plain = wat::parse_str("(component)").unwrap();
        let with_schema = append_schema(plain, r#"{"type":"object"}"#, "0.2.0").unwrap();
        let text = String::from_utf8_lossy(&with_schema).into_owned();
        assert!(text.contains("patchbay:plugin/configuration@") && text.contains(r#"{"type":"object"}"#));
        let again = append_schema(with_schema, "{}", "0.2.0").unwrap_err();
        assert!(again.contains("already"), "{again}");
    }

    #[test]
    fn a_schema_of_many_pages_fits() {
        let long = format!("\"{}\"", "x".repeat(3 * PAGE));
        assert!(append_schema(wat::parse_str("(component)").unwrap(), &long, "0.2.0").is_ok());
    }

    #[test]
    fn bytes_that_are_not_a_component_are_refused() {
        assert!(append_schema(b"not wasm".to_vec(), "{}", "0.2.0").is_err());
    }
}
