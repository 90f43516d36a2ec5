//! Writes the types of the newest interface as values, for `src/wit.rs`.

#![expect(clippy::indexing_slicing, reason = "an id always stands for an item of the `Resolve` that gave it out")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use wit_parser::{Function, Resolve, Result_, Type, TypeDefKind, TypeId, TypeOwner, WorldItem};

const INTERFACE: &str = "../../../wit/plugin-0.3.0";

fn main() {
    if let Err(reason) = generate() {
        println!("cargo::error={reason}");
    }
}

fn generate() -> Result<(), String> {
    let folder = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join(INTERFACE);
    println!("cargo::rerun-if-changed={INTERFACE}");
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(&folder).map_err(|fault| format!("{fault:#}"))?;
    let mut code = Code { resolve: &resolve, done: BTreeSet::new(), text: String::new() };
    let mut functions = String::new();
    for world in resolve.packages[package].worlds.values() {
        for item in resolve.worlds[*world].exports.values() {
            let WorldItem::Interface { id, .. } = item else { continue };
            let interface = resolve.interfaces[*id].name.as_deref().unwrap_or_default();
            for function in resolve.interfaces[*id].functions.values() {
                let _ = writeln!(functions, "    {},", code.function(interface, function)?);
            }
        }
    }
    let text = format!(
        "/// The functions that plugins export.\npub static FUNCTIONS: &[WitFunction] = &[\n{functions}];\n\n{}",
        code.text
    );
    fs::write(Path::new(&variable("OUT_DIR")?).join("wit_types.rs"), text).map_err(|fault| fault.to_string())
}

struct Code<'a> {
    resolve: &'a Resolve,
    done: BTreeSet<String>,
    text: String,
}

impl Code<'_> {
    fn function(&mut self, interface: &str, function: &Function) -> Result<String, String> {
        let mut parameters = String::new();
        for parameter in &function.params {
            let _ = write!(parameters, "({:?}, {}), ", parameter.name, self.of(&parameter.ty)?);
        }
        let answer = function.result.as_ref().ok_or_else(|| format!("{interface}: a function returns nothing"))?;
        let answer = match self.result(answer) {
            Some(ok) => self.of(&ok)?,
            None => self.of(answer)?,
        };
        let name = &function.name;
        Ok(format!(
            "WitFunction {{ interface: {interface:?}, name: {name:?}, parameters: &[{parameters}], answer: {answer} }}"
        ))
    }

    fn result(&self, ty: &Type) -> Option<Type> {
        let Type::Id(id) = ty else { return None };
        match &self.resolve.types[*id].kind {
            TypeDefKind::Result(Result_ { ok, .. }) => *ok,
            TypeDefKind::Type(other) => self.result(other),
            _ => None,
        }
    }

    fn of(&mut self, ty: &Type) -> Result<String, String> {
        let integer = |least: i128, most: i128| format!("WitType::Integer({least}, {most})");
        Ok(match ty {
            Type::Bool => "WitType::Bool".to_owned(),
            Type::U8 => integer(0, u8::MAX.into()),
            Type::U16 => integer(0, u16::MAX.into()),
            Type::U32 => integer(0, u32::MAX.into()),
            Type::U64 => integer(0, u64::MAX.into()),
            Type::S8 => integer(i8::MIN.into(), i8::MAX.into()),
            Type::S16 => integer(i16::MIN.into(), i16::MAX.into()),
            Type::S32 => integer(i32::MIN.into(), i32::MAX.into()),
            Type::S64 => integer(i64::MIN.into(), i64::MAX.into()),
            Type::F32 | Type::F64 => "WitType::Float".to_owned(),
            Type::String => "WitType::String".to_owned(),
            Type::Id(id) => self.of_definition(*id)?,
            Type::Char | Type::ErrorContext => return Err("this type has no form yet".to_owned()),
        })
    }

    fn of_definition(&mut self, id: TypeId) -> Result<String, String> {
        let definition = &self.resolve.types[id];
        Ok(match &definition.kind {
            TypeDefKind::Type(other) => self.of(other)?,
            TypeDefKind::Option(inner) => format!("WitType::Option(&{})", self.of(inner)?),
            TypeDefKind::List(item) => format!("WitType::List(&{})", self.of(item)?),
            TypeDefKind::Tuple(tuple) => {
                let parts: Result<Vec<String>, String> = tuple.types.iter().map(|part| self.of(part)).collect();
                format!("WitType::Tuple(&[{}])", parts?.join(", "))
            }
            TypeDefKind::Record(record) => {
                let mut fields = String::new();
                for field in &record.fields {
                    let _ = write!(fields, "({:?}, {}), ", field.name, self.of(&field.ty)?);
                }
                self.named(id, "Record", |name| format!("name: {name:?}, fields: &[{fields}]"))?
            }
            TypeDefKind::Variant(variant) => {
                let mut cases = String::new();
                for case in &variant.cases {
                    let value = match &case.ty {
                        Some(ty) => format!("Some({})", self.of(ty)?),
                        None => "None".to_owned(),
                    };
                    let _ = write!(cases, "({:?}, {value}), ", case.name);
                }
                self.named(id, "Variant", |name| format!("name: {name:?}, cases: &[{cases}]"))?
            }
            TypeDefKind::Enum(words) => {
                let words: Vec<&str> = words.cases.iter().map(|case| case.name.as_str()).collect();
                self.named(id, "Enum", |_| format!("words: &{words:?}"))?
            }
            other => return Err(format!("a {} has no form yet", other.as_str())),
        })
    }

    fn named(&mut self, id: TypeId, kind: &str, fields: impl FnOnce(&str) -> String) -> Result<String, String> {
        let definition = &self.resolve.types[id];
        let name = definition.name.as_deref().ok_or("a type without a name")?;
        let TypeOwner::Interface(interface) = definition.owner else { return Err(format!("{name}: no interface")) };
        let interface = self.resolve.interfaces[interface].name.as_deref().unwrap_or_default();
        let constant = format!("{interface}_{name}").replace('-', "_").to_uppercase();
        if self.done.insert(constant.clone()) {
            let fields = fields(&format!("{interface}/{name}"));
            let _ = writeln!(self.text, "static {constant}: Wit{kind} = Wit{kind} {{ {fields} }};");
        }
        Ok(format!("WitType::{kind}(&{constant})"))
    }
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|fault| format!("{name}: {fault}"))
}
