//! Projects without a program: a configuration of a built-in plugin, with tests.

use super::{
    error::BuildError,
    run::{read, write},
};
use crate::{Project, flow};

pub(super) fn build(project: &Project, name: &str) -> Result<(), BuildError> {
    let failed = |step: &str, output: String| BuildError::Failed { step: step.to_owned(), output };
    let component = plugin_host::built_in_component(name)
        .ok_or_else(|| failed("finding the built-in plugin", format!("there is no built-in plugin `{name}`")))?;
    if let (flow::PLUGIN, Some(file)) = (name, project.config_file()) {
        let text = String::from_utf8_lossy(&read(&file)?).into_owned();
        let findings: Vec<String> = flow::check(&text).iter().map(ToString::to_string).collect();
        if !findings.is_empty() {
            return Err(failed(&format!("the check of {}", file.display()), findings.join("\n")));
        }
    }
    write(&project.component(), component)
}
