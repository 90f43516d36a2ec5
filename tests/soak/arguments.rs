//! The command line.

use std::{path::PathBuf, time::Duration};

/// Length of the attack of an attack case, if nothing else is asked for.
const ATTACK_LENGTH: Duration = Duration::from_secs(120);

/// The groups of cases, in the order in which they run.
pub const GROUPS: [&str; 5] = ["attacks", "network", "kills", "long", "upgrade"];

/// A run.
#[derive(Debug)]
pub struct Arguments {
    /// Names of groups and cases; empty = all.
    pub wanted: Vec<String>,
    /// How long each case continues.
    pub length: Duration,
    /// File of the report, which is Markdown.
    pub report: PathBuf,
    /// Print the names of the cases and end.
    pub list: bool,
}

impl Arguments {
    /// Reads the arguments of the process. `known` holds the names of all cases.
    pub fn read(known: &[&str]) -> Result<Self, String> {
        let mut read = Self { wanted: vec![], length: ATTACK_LENGTH, report: default_report(), list: false };
        let mut given = std::env::args().skip(1);
        while let Some(argument) = given.next() {
            match argument.as_str() {
                // Cargo adds this to the arguments of a bench target.
                "--bench" => {}
                "--list" => read.list = true,
                "--seconds" => {
                    let seconds = given.next().and_then(|text| text.parse().ok()).filter(|seconds| *seconds > 0);
                    read.length = Duration::from_secs(seconds.ok_or("--seconds needs a whole number above 0")?);
                }
                "--report" => read.report = given.next().ok_or("--report needs the name of a file")?.into(),
                name if GROUPS.contains(&name) || known.contains(&name) => read.wanted.push(argument),
                other => {
                    return Err(format!("there is no case {other}: --list shows all, and the groups are {GROUPS:?}"));
                }
            }
        }
        Ok(read)
    }

    /// Whether a case of a group runs.
    pub fn wants(&self, group: &str, case: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|name| name == group || name == case)
    }
}

/// Next to the compiled program: `target/soak.md`.
fn default_report() -> PathBuf {
    let target = harness::binary().ancestors().nth(2).map(std::path::Path::to_owned);
    target.unwrap_or_default().join("soak.md")
}
