//! Commands that need no server.

use std::{
    io::{BufRead, IsTerminal},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, anyhow, bail};
use author::{
    CostHistory, Project,
    conversation::{TestOutcome, TestReport},
    new::{NewProject, create},
    terminal::{Terminal, TerminalError},
};
use plugin_host::CallLimits;
use serde_json::json;
use tokio::sync::mpsc;

use super::{
    arguments::{NewArguments, RunArguments, TestArguments},
    output::{self, StepProgress, built, print_line},
};
use crate::{boot, clock::SystemClock, standard_output};

/// The name under which the cost of a call with a sample is kept.
const SAMPLE: &str = "(sample)";

pub(super) fn new(new: NewArguments) -> anyhow::Result<()> {
    let NewArguments { lang, world, flow, folder } = new;
    let next_steps = match (flow, lang) {
        (Some(flow), _) => author::flow::create(&folder, &flow)?.next_steps(),
        (None, Some(lang)) => create(&NewProject { folder, lang, world })?.next_steps(),
        (None, None) => bail!("give --lang or --flow"),
    };
    print_line(next_steps.trim_end())
}

pub(super) async fn build(folder: &Path) -> anyhow::Result<()> {
    let component = built(Project::open(folder)?).await?;
    let size = std::fs::metadata(&component).map(|file| file.len()).unwrap_or_default();
    print_line(format_args!("built {} ({size} bytes)", component.display()))
}

pub(super) async fn check(path: &Path) -> anyhow::Result<()> {
    let file = match path.is_dir() {
        true => {
            let component = Project::open(path)?.component();
            if !component.is_file() {
                bail!("{} is not built yet; type: patchbay plugin build {}", component.display(), path.display());
            }
            print_line(format_args!("file:    {}", component.display()))?;
            component
        }
        false => path.to_owned(),
    };
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let notes = plugin_host::component_notes(&bytes);
    let no_snapshot = plugin_host::snapshot_note(&bytes);
    let report = plugin_host::check_apart(&boot::compiler(), &CallLimits::default(), bytes.clone()).await;
    let report = report.map_err(|reason| anyhow!(reason))?;
    print_line(&report)?;
    print_line(format_args!("licences: {}\nmade with: {}", notes.licenses_text(), notes.tools_text()))?;
    if let Some(reason) = no_snapshot {
        print_line(format_args!("Warning: {}", output::explain_no_snapshot(&reason)))?;
    }
    if !report.is_ok() {
        bail!("{} cannot be used as a plugin", file.display());
    }
    let unmerged = author::build::unmerged_modules(&bytes);
    if unmerged > 0 {
        print_line(format_args!("Warning: {}", output::explain_unmerged(unmerged)))?;
    }
    let cost = author::sample_call::cost(&stem(&file), &file).await?;
    print_line(format_args!("A call with a sample takes {cost}."))?;
    let mut history = CostHistory::open(&file);
    let size_warning = history.keep_size();
    let warnings = size_warning.into_iter().chain(history.keep(SAMPLE, cost));
    warnings.into_iter().try_for_each(|warning| print_line(format_args!("Warning: {warning}.")))?;
    save(&history);
    Ok(())
}

/// Saves the costs for the next run. If the folder is read-only, the next run has nothing to compare with.
fn save(history: &CostHistory) {
    let _ = history.save();
}

pub(super) async fn test(test: TestArguments) -> anyhow::Result<()> {
    let (name, component, files) = read_project(&test).await?;
    let mut progress = StepProgress::new();
    progress.tell(&format!("loading {}", component.display()));
    let mut history = CostHistory::open(&component);
    let mut printed = Ok(());
    let mut done = |report: &TestReport| {
        progress.done();
        if printed.is_ok() {
            printed = print_report(report, &mut history);
        }
    };
    let summary = author::conversation::run(&name, &component, &files, test.filter.as_deref(), &mut done).await;
    printed?;
    let summary = summary?;
    print_line(&summary)?;
    // A part of the tests has gaps anyway.
    if test.filter.is_none() && summary.failed == 0 {
        summary.coverage.gaps().iter().try_for_each(|gap| print_line(format_args!("  {gap}")))?;
    }
    if let Some(warning) = history.keep_size() {
        print_line(format_args!("warning: {warning}"))?;
    }
    save(&history);
    match summary.failed {
        0 => Ok(()),
        1 => bail!("1 test failed"),
        failed => bail!("{failed} tests failed"),
    }
}

/// Prints the report of a test, and warnings if its calls cost more than before the last change.
fn print_report(report: &TestReport, history: &mut CostHistory) -> anyhow::Result<()> {
    print_line(report)?;
    match report.outcome {
        TestOutcome::Passed(_) => history
            .keep(&report.name, report.cost)
            .iter()
            .try_for_each(|warning| print_line(format_args!("      warning: {warning}"))),
        TestOutcome::Failed(_) => print_line(""),
    }
}

/// Name, component and test files.
async fn read_project(test: &TestArguments) -> anyhow::Result<(String, PathBuf, Vec<PathBuf>)> {
    if let Some(component) = &test.component {
        let files = match test.paths.as_slice() {
            [one] if one.join(author::project::FILE).is_file() => tests_of(&Project::open(one)?),
            paths => paths.to_vec(),
        };
        return Ok((stem(component), component.clone(), files));
    }
    let root = match test.paths.as_slice() {
        [one] if one.is_dir() && one.join(author::project::FILE).is_file() => one.clone(),
        _ => PathBuf::from("."),
    };
    let project = Project::open(&root)?;
    let files = if test.paths.as_slice() == [root] { tests_of(&project) } else { test.paths.clone() };
    let (name, component) = (project.name.clone(), project.component());
    if !test.no_build {
        built(project).await?;
    }
    Ok((name, component, files))
}

fn tests_of(project: &Project) -> Vec<PathBuf> {
    project.tests.iter().map(|folder| project.root.join(folder)).collect()
}

pub(super) fn stem(component: &Path) -> String {
    component.file_stem().and_then(|stem| stem.to_str()).unwrap_or("plugin").to_owned()
}

pub(super) async fn talk(run: RunArguments) -> anyhow::Result<()> {
    let mut config_file = run.config.clone();
    let (name, component, project) = match run.path.is_dir() {
        true => {
            let project = Project::open(&run.path)?;
            config_file = config_file.or_else(|| project.config_file());
            let (name, component) = (project.name.clone(), project.component());
            if !run.no_build {
                built(project.clone()).await?;
            }
            (name, component, (!run.no_build).then_some(project))
        }
        false if run.no_build => bail!("--no-build is for a project. A component is run as it is: leave it out"),
        false => (stem(&run.path), run.path.clone(), None),
    };
    let config = config_file.as_deref().map(output::json).transpose()?.unwrap_or_else(|| json!({}));
    let config_place = match &config_file {
        Some(given) if output::is_typed_json(given) => "of --config".to_owned(),
        Some(file) => format!("in {}", file.display()),
        None => "`{}` (there is no --config)".to_owned(),
    };
    let terminal = Terminal {
        name,
        component,
        project,
        config,
        config_place,
        allowed_hosts: run.allow_host,
        clock: Arc::new(SystemClock::new()),
    };
    let prompt = if std::io::stdin().is_terminal() { "> " } else { "" };
    match terminal.talk(input_lines(), prompt, &mut std::io::stdout()).await {
        Err(TerminalError::Output(fault)) => standard_output::if_read(Err(fault)).map(drop),
        ended => Ok(ended?),
    }
}

/// The lines of standard input. The thread ends with the input or with the program.
fn input_lines() -> mpsc::UnboundedReceiver<String> {
    let (tell, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if tell.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
