//! File descriptors. Each connection needs one, and so do files and the database.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Minimum of descriptors that are reserved for the database, webhooks and files.
const RESERVED: u64 = 256;

/// Raises the limit of this process to the maximum of the system and returns it. `None` means no limit.
pub fn raise() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: maximum, maximum };
    match setrlimit(Resource::Nofile, wanted) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files could not be raised");
            current
        }
    }
}

/// The number of connections that fit. A quarter of the descriptors, and at least 256, is reserved for other use.
pub fn connections_for(descriptors: Option<u64>, wanted: usize) -> usize {
    let Some(descriptors) = descriptors else { return wanted };
    let fit = descriptors.saturating_sub(RESERVED.max(descriptors / 4));
    wanted.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_room_for_other_files() {
        assert_eq!(connections_for(None, 8_192), 8_192);
        assert_eq!(connections_for(Some(1_048_576), 8_192), 8_192);
        assert_eq!(connections_for(Some(4_096), 8_192), 3_072);
        assert_eq!(connections_for(Some(1_024), 8_192), 768);
        assert_eq!(connections_for(Some(512), 8_192), 256);
        assert_eq!(connections_for(Some(100), 8_192), 1);
    }

    #[test]
    fn the_limit_of_this_process_is_raised_to_its_maximum() {
        let may_have = getrlimit(Resource::Nofile).maximum;
        assert_eq!(raise(), may_have);
        assert_eq!(getrlimit(Resource::Nofile).current, may_have);
    }
}
