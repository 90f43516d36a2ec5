//! SplitMix64: numbers that look random and follow from a seed.

/// The distance of two states of the generator.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number after the state `value`: every bit of it depends on every bit of the state. The next state is
/// `value` + [`STEP`].
pub fn split_mix(value: u64) -> u64 {
    let mixed = value.wrapping_add(STEP);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        // The first numbers of the seed 0 in the reference implementation (Vigna, splitmix64.c).
        assert_eq!([split_mix(0), split_mix(STEP)], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
