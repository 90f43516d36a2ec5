//! Flows: the configuration of the built-in plugin `flow`, its check, and ready ones to copy.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::{Path, PathBuf},
};

use domain::body::FieldFault;
pub use flow_model::Finding;
use serde_json::Value;

use crate::{
    embedded_files::FLOWS,
    new::{NewError, below, is_free, write},
    project,
};

/// The built-in plugin whose configuration is a flow.
pub const PLUGIN: &str = "flow";
/// The flow of a project.
const FILE: &str = "flow.json";
const MOST_FAULTS: usize = 50;

/// A project with a copy of a ready flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedFlow {
    pub folder: PathBuf,
    pub files: Vec<PathBuf>,
}

/// The faults of a flow, a JSON text. A shared secret counts as a text.
pub fn check(text: &str) -> Vec<Finding> {
    flow_model::check(&with_shared_secrets(text).unwrap_or_else(|| text.to_owned()))
}

/// The faults of a flow as the configuration of an activation.
pub(crate) fn config_faults(config: &Value) -> Vec<FieldFault> {
    let findings = flow_model::check(&config.to_string()).into_iter().take(MOST_FAULTS);
    findings
        .map(|finding| match finding.path().as_str() {
            "" => FieldFault::new("config", finding.message),
            path => FieldFault::new(format!("config/{path}"), finding.message),
        })
        .collect()
}

/// `None` if the flow names no shared secret.
fn with_shared_secrets(text: &str) -> Option<String> {
    let mut flow: Value = text.contains("\"$secret\"").then(|| serde_json::from_str(text).ok()).flatten()?;
    for value in flow.get_mut("secrets")?.as_object_mut()?.values_mut() {
        if value.get("$secret").is_some_and(Value::is_string) {
            *value = Value::from("shared");
        }
    }
    Some(flow.to_string())
}

/// The names of the ready flows.
pub fn ready_flows() -> BTreeSet<&'static str> {
    FLOWS.iter().filter_map(|file| Some(file.path.split_once('/')?.0)).collect()
}

/// Makes a project of a ready flow. The last part of `folder` is its name. If the folder is not free, nothing is written.
pub fn create(folder: &Path, flow: &str) -> Result<CreatedFlow, NewError> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    project::check_name(name).map_err(NewError::Name)?;
    let copied = below(FLOWS, &format!("{flow}/"));
    if copied.is_empty() {
        let known = ready_flows().into_iter().collect::<Vec<_>>().join(", ");
        return Err(NewError::NoFlow { name: flow.to_owned(), known });
    }
    if !is_free(folder)? {
        return Err(NewError::NotEmpty(folder.to_owned()));
    }
    let manifest = format!("name = \"{name}\"\nworld = \"chatbot\"\nbuilt-in = \"{PLUGIN}\"\nconfig = \"{FILE}\"\n");
    let mut files: BTreeMap<PathBuf, Vec<u8>> =
        copied.into_iter().map(|(path, bytes)| (PathBuf::from(path), bytes.to_vec())).collect();
    files.insert(PathBuf::from(project::FILE), manifest.into_bytes());
    files.insert(PathBuf::from(".gitignore"), b"build/\n".to_vec());
    for (path, bytes) in &files {
        write(&folder.join(path), bytes)?;
    }
    Ok(CreatedFlow { folder: folder.to_owned(), files: files.into_keys().collect() })
}

impl CreatedFlow {
    pub fn next_steps(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "Made {} with {} files. Next:\n", self.folder.display(), self.files.len());
        let _ = writeln!(text, "  cd {}", self.folder.display());
        for (command, why) in [
            ("patchbay plugin flow check flow.json", "names faults of the flow"),
            ("patchbay plugin test", "plays the conversations in tests/"),
            ("patchbay plugin run", "talk to it"),
            ("patchbay plugin activate flow --config flow.json", "activate it at PATCHBAY_URL"),
        ] {
            let _ = writeln!(text, "  {command:<48} # {why}");
        }
        text
    }
}
