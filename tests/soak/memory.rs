//! Resident memory and open files of the process.

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

/// Descriptors that the process has open.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenFiles {
    pub files: usize,
    pub sockets: usize,
}

/// Counts them.
pub fn open_files(process: u32) -> OpenFiles {
    let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    // A descriptor may be closed in the meantime.
    let targets = descriptors.filter_map(|descriptor| std::fs::read_link(descriptor.path()).ok());
    targets.fold(OpenFiles::default(), |open, target| match target.to_string_lossy().starts_with("socket:") {
        true => OpenFiles { sockets: open.sockets + 1, ..open },
        false => OpenFiles { files: open.files + 1, ..open },
    })
}
