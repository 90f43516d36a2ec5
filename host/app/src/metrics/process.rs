//! Memory, files and processor time of this process, as Linux shows them in `/proc`. Elsewhere they are absent.

use std::{fs, path::Path};

use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Resource, getrlimit},
};

use super::page::MetricText;

#[expect(clippy::cast_precision_loss, reason = "a metric is a float")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Memory and files of this process.
pub(crate) struct ProcessFigures {
    pub(crate) resident_bytes: Option<u64>,
    pub(crate) open_files: Option<u64>,
    pub(crate) open_files_max: Option<u64>,
}

impl ProcessFigures {
    pub(crate) fn read() -> Self {
        Self {
            resident_bytes: resident_bytes(),
            open_files: fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64),
            open_files_max: getrlimit(Resource::Nofile).current,
        }
    }
}

/// Adds the figures of the process.
pub(super) fn add(text: &mut MetricText) {
    let (times, figures) = (Times::read(), ProcessFigures::read());
    text.one("process_cpu_seconds_total", times.map(|times| times.processor_seconds));
    text.one("process_max_fds", figures.open_files_max.map(float));
    text.one("process_open_fds", figures.open_files.map(float));
    text.one("process_resident_memory_bytes", figures.resident_bytes.map(float));
    text.one("process_start_time_seconds", times.and_then(|times| times.start));
}

/// The space of a file system.
pub(crate) struct DiskSpace {
    pub(crate) free_bytes: u64,
    pub(crate) size_bytes: u64,
}

impl DiskSpace {
    /// The file system of a folder; `None` if it cannot be read.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let system = rustix::fs::statvfs(folder).ok()?;
        Some(Self { free_bytes: system.f_bavail * system.f_frsize, size_bytes: system.f_blocks * system.f_frsize })
    }
}

/// Adds the space of the file system of a folder.
pub(super) fn add_disk(text: &mut MetricText, place: &str, folder: &Path) {
    let Some(space) = DiskSpace::of(folder) else { return };
    let labels = [("place", place)];
    text.add("patchbay_disk_free_bytes", [(&labels[..], float(space.free_bytes))]);
    text.add("patchbay_disk_size_bytes", [(&labels[..], float(space.size_bytes))]);
}

fn resident_bytes() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    pages.split(' ').nth(1)?.parse::<u64>().ok().map(|pages| pages * page_size() as u64)
}

#[derive(Debug, Clone, Copy)]
struct Times {
    processor_seconds: f64,
    /// Seconds since 1970.
    start: Option<f64>,
}

impl Times {
    fn read() -> Option<Self> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        // The name of the program may have spaces. It ends with the last parenthesis, and is field 2.
        let (_, fields) = stat.rsplit_once(") ")?;
        let ticks = |field: usize| fields.split(' ').nth(field - 3)?.parse::<u64>().ok().map(seconds);
        let start = || Some(boot_time()? + ticks(22)?);
        Some(Self { processor_seconds: ticks(14)? + ticks(15)?, start: start() })
    }
}

fn seconds(ticks: u64) -> f64 {
    float(ticks) / float(clock_ticks_per_second())
}

fn boot_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.parse().ok()
}
