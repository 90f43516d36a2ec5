//! The share of traces that is taken.

/// The random bits at the end of a trace id (W3C Trace Context, level 2). A UUIDv7 has random bits there too.
const RANDOM_BITS: u32 = 56;

/// Takes a share of all traces. The decision depends only on the id, so all processes with the same share agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    percent: u32,
}

impl Sampling {
    /// `percent`: 0 to 100.
    pub fn new(percent: u32) -> Self {
        Self { percent }
    }

    pub fn takes(self, trace: u128) -> bool {
        let random = trace & ((1 << RANDOM_BITS) - 1);
        (random * 100) >> RANDOM_BITS < u128::from(self.percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_traces_is_taken_and_always_the_same_ones() {
        let traces = || (0..10_000_u128).map(|number| number * 7_205_759_403_793);
        let taken = |percent| traces().filter(|trace| Sampling::new(percent).takes(*trace)).count();
        assert_eq!((taken(0), taken(100)), (0, 10_000));
        assert!((2_400..2_600).contains(&taken(25)), "{}", taken(25));
        let (few, many) = (Sampling::new(10), Sampling::new(50));
        assert!(traces().all(|trace| !few.takes(trace) || many.takes(trace)));
    }
}
