//! Resident memory of the process.

/// Now and at its highest, in MiB.
#[derive(Debug, Clone, Copy)]
pub struct Resident {
    pub now: u64,
    pub peak: u64,
}

/// Reads it.
pub fn resident(process: u32) -> Resident {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes: u64 = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default();
        kilobytes >> 10
    };
    Resident { now: of("VmRSS:"), peak: of("VmHWM:") }
}

/// The highest value counts from now on.
pub fn forget_peak(process: u32) {
    // Without the right to do so, the peak is that of the whole life of the process, which is never less.
    drop(std::fs::write(format!("/proc/{process}/clear_refs"), "5"));
}

/// Files and sockets that the process has open.
pub fn descriptors(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}
