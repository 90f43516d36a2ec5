//! The costs of the last runs of a component, kept in a file next to it, and warnings if a change makes them worse.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{Cost, server::size};

/// A cost is worse if it exceeds the earlier one by this factor and by the bound of its kind. Less is noise.
const TIME_FACTOR: u32 = 2;
const LEAST_TIME: Duration = Duration::from_millis(1);
const BYTES_PERCENT: u64 = 110;
const LEAST_MEMORY: u64 = 64 << 10;
const LEAST_SIZE: u64 = 10_000;

pub struct CostHistory {
    file: PathBuf,
    sha256: String,
    size: u64,
    kept: KeptCosts,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct KeptCosts {
    size: Option<u64>,
    /// By the name of the test.
    calls: BTreeMap<String, CallCost>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallCost {
    /// The component that had this cost.
    sha256: String,
    processor_micros: u64,
    memory_bytes: u64,
}

impl CostHistory {
    /// Reads the costs of earlier runs. If their file is missing or damaged, there are none.
    pub fn open(component: &Path) -> Self {
        let bytes = std::fs::read(component).unwrap_or_default();
        let file = component.with_extension("costs.json");
        let kept = std::fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        Self { file, sha256: plugin_host::sha256(&bytes), size: bytes.len() as u64, kept }
    }

    /// Keeps the size of the component. Returns a warning if it is worse than before.
    pub fn keep_size(&mut self) -> Option<String> {
        let before = self.kept.size.replace(self.size)?;
        let is_worse = is_larger(before, self.size, LEAST_SIZE);
        is_worse.then(|| format!("the component grew from {} to {}", size(before), size(self.size)))
    }

    /// Keeps the cost of the calls of one test. Returns warnings if the component has changed since the last run of
    /// this test and the cost is worse.
    pub fn keep(&mut self, test: &str, cost: Cost) -> Vec<String> {
        let now = CallCost {
            sha256: self.sha256.clone(),
            processor_micros: u64::try_from(cost.processor_time.as_micros()).unwrap_or(u64::MAX),
            memory_bytes: cost.memory_bytes,
        };
        match self.kept.calls.insert(test.to_owned(), now) {
            Some(before) if before.sha256 != self.sha256 => warnings(&before, cost),
            _ => vec![],
        }
    }

    /// Writes the file for the next run.
    pub fn save(&self) -> io::Result<()> {
        std::fs::write(&self.file, serde_json::to_vec_pretty(&self.kept)?)
    }
}

fn warnings(before: &CallCost, now: Cost) -> Vec<String> {
    let mut warnings = vec![];
    let time = Duration::from_micros(before.processor_micros);
    if now.processor_time > time * TIME_FACTOR && now.processor_time > time + LEAST_TIME {
        let (before, now) = (millis(time), millis(now.processor_time));
        warnings.push(format!("its processor time rose from {before} ms to {now} ms"));
    }
    if is_larger(before.memory_bytes, now.memory_bytes, LEAST_MEMORY) {
        let (before, now) = (size(before.memory_bytes), size(now.memory_bytes));
        warnings.push(format!("its memory rose from {before} to {now}"));
    }
    warnings
}

fn is_larger(before: u64, now: u64, least: u64) -> bool {
    now > before.saturating_mul(BYTES_PERCENT) / 100 && now > before.saturating_add(least)
}

fn millis(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e3)
}
