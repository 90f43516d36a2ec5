//! `patchbay plugin flow`.

use std::path::Path;

use anyhow::{Context as _, bail};
use author::flow;
use serde_json::{Value, json};

use super::{arguments::FlowCommand, output::print_line};

pub(super) fn run(command: &FlowCommand) -> anyhow::Result<()> {
    match command {
        FlowCommand::Check { file, json } => check(file, *json),
        FlowCommand::List => flow::ready_flows().into_iter().try_for_each(print_line),
    }
}

fn check(file: &Path, as_json: bool) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let findings = flow::check(&text);
    if as_json {
        let list = findings.iter().map(|finding| json!({"field": finding.path(), "message": finding.message}));
        print_line(format_args!("{:#}", list.collect::<Value>()))?;
    } else {
        findings.iter().try_for_each(print_line)?;
    }
    match findings.len() {
        0 if as_json => Ok(()),
        0 => print_line(format_args!("{} has no faults", file.display())),
        1 => bail!("{} has 1 fault", file.display()),
        count => bail!("{} has {count} faults", file.display()),
    }
}
