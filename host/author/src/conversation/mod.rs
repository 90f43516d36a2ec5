#![doc = include_str!("../../../../docs/plugin-tests.md")]

mod attributes;
mod case;
mod check;
mod config_check;
mod config_place;
mod content;
mod coverage;
mod expectation;
mod input;
mod play;
mod read;
mod report;
mod requests;
mod setup;
mod step;

use std::path::{Path, PathBuf};

use crate::{
    local_run::{self, ConfigRefusal},
    yaml,
};
pub use coverage::Coverage;
pub use report::{Summary, TestFailure, TestOutcome, TestReport};

#[derive(Debug, thiserror::Error)]
pub enum TestError {
    #[error(transparent)]
    Local(#[from] local_run::LocalError),
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{}, {fault}", path.display())]
    Wrong { path: PathBuf, fault: yaml::YamlFault },
    #[error(
        "{}\nCorrect them, or the schema that the plugin exports. A test that expects a failure (`fails`) may have any configuration.",
        lines(.0)
    )]
    Configs(Vec<ConfigRefusal>),
    #[error("there are no tests: {} has no *.yaml file{}", folder.display(), filter_note(filter.as_deref()))]
    NoTests { folder: PathBuf, filter: Option<String> },
}

fn lines(refusals: &[ConfigRefusal]) -> String {
    refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn filter_note(filter: Option<&str>) -> String {
    filter.map(|filter| format!(" with a test whose name holds `{filter}`")).unwrap_or_default()
}

/// `files` are YAML files, or folders with `*.yaml` files. `filter` selects the tests whose name contains this text.
/// `done` gets each test when it is over. A test that fails is not an error.
pub async fn run(
    name: &str,
    component: &Path,
    files: &[PathBuf],
    filter: Option<&str>,
    done: &mut dyn FnMut(&TestReport),
) -> Result<Summary, TestError> {
    let local_host = local_run::LocalHost::start().await?;
    let loaded = local_host.load(name, component).await?;
    let mut suites = vec![];
    for file in find_files(files)? {
        let unreadable = |source| TestError::Unreadable { path: file.clone(), source };
        let text = std::fs::read_to_string(&file).map_err(unreadable)?;
        let tests = read::suite(&file, &text, loaded.world);
        suites.push((file.clone(), tests.map_err(|fault| TestError::Wrong { path: file.clone(), fault })?));
    }
    for (_, tests) in &mut suites {
        tests.retain(|test| filter.is_none_or(|filter| test.name.contains(filter)));
    }
    let tests = suites.iter().flat_map(|(file, tests)| tests.iter().map(move |test| (file.as_path(), test)));
    let refusals = config_check::refusals(&local_host, &loaded, tests).await;
    if !refusals.is_empty() {
        return Err(TestError::Configs(refusals));
    }
    let mut summary = Summary { size: loaded.size, ..Summary::default() };
    for (file, tests) in suites {
        for test in tests {
            let (outcome, cost) = play::play(&local_host, &loaded, &test, &mut summary.coverage).await;
            let report = TestReport { file: file.clone(), name: test.name, outcome, cost };
            summary.count(&report);
            done(&report);
        }
    }
    if summary.passed + summary.failed == 0 {
        let folder = files.first().cloned().unwrap_or_default();
        return Err(TestError::NoTests { folder, filter: filter.map(str::to_owned) });
    }
    Ok(summary)
}

/// The files, with folders replaced by their files, in the order of their names.
fn find_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TestError> {
    let mut files = vec![];
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |source| TestError::Unreadable { path: path.clone(), source };
        let mut inside = vec![];
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file.extension().is_some_and(|kind| kind == "yaml" || kind == "yml") {
                inside.push(file);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}
