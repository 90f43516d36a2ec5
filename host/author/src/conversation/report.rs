use std::{fmt, path::PathBuf};

use super::coverage::Coverage;
use crate::local_run::Cost;

#[derive(Debug, Clone)]
pub struct TestReport {
    pub file: PathBuf,
    pub name: String,
    pub outcome: TestOutcome,
    pub cost: Cost,
}

#[derive(Debug, Clone)]
pub enum TestOutcome {
    /// All steps passed. Holds their number.
    Passed(usize),
    Failed(Box<TestFailure>),
}

#[derive(Debug, Clone, Default)]
pub struct TestFailure {
    pub line: u64,
    pub step: String,
    pub difference: Vec<String>,
    pub so_far: Vec<String>,
    /// Log lines and standard error of the plugin since the last input.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    pub passed: usize,
    pub failed: usize,
    /// Bytes of the component.
    pub size: u64,
    pub coverage: Coverage,
}

impl Summary {
    pub(super) fn count(&mut self, report: &TestReport) {
        match report.outcome {
            TestOutcome::Passed(_) => self.passed += 1,
            TestOutcome::Failed(_) => self.failed += 1,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed (component of {})", self.passed, self.failed, crate::server::size(self.size))
    }
}

impl fmt::Display for TestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failure = match &self.outcome {
            TestOutcome::Passed(steps) => {
                let word = if *steps == 1 { "step" } else { "steps" };
                return write!(f, "ok    {} ({steps} {word}, {})", self.name, self.cost);
            }
            TestOutcome::Failed(failure) => failure,
        };
        writeln!(f, "FAIL  {}", self.name)?;
        write!(f, "      {}:{}: {}", self.file.display(), failure.line, failure.step)?;
        section(f, "", &failure.difference)?;
        section(f, "so far:", &failure.so_far)?;
        section(f, "from the plugin:", &failure.notes)
    }
}

fn section(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    if !title.is_empty() {
        write!(f, "\n      {title}")?;
    }
    for line in lines.iter().flat_map(|line| line.lines()) {
        write!(f, "\n        {line}")?;
    }
    Ok(())
}
