//! The random numbers of a call.

use std::{convert::Infallible, fmt};

use chacha20::ChaCha20Rng;
use domain::split_mix::{STEP, split_mix};
use rand_core::{Rng as _, SeedableRng as _, TryRng};
use wasmtime_wasi::WasiCtxBuilder;

/// The seed of a call's random numbers. The same seed gives the same numbers, so that a call can be repeated and
/// replayed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallSeed {
    /// The key of ChaCha20. Without it, the numbers cannot be computed.
    Key([u8; 32]),
    /// The seed of SplitMix64, in recordings of earlier releases.
    SplitMix(u64),
}

/// Hides the key.
impl fmt::Debug for CallSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallSeed")
    }
}

impl CallSeed {
    /// A seed that is no secret: for trial calls, for the machine of an author, for tests.
    pub fn from_number(number: u64) -> Self {
        let mut key = [0; 32];
        for (byte, given) in key.iter_mut().zip(number.to_le_bytes()) {
            *byte = given;
        }
        Self::Key(key)
    }

    /// The numbers of `wasi:random`. The numbers of one interface do not reveal those of another.
    pub(super) fn give_numbers(self, wasi: &mut WasiCtxBuilder) {
        match self {
            Self::Key(key) => {
                let [secure, insecure, mut seed] = [0, 1, 2].map(|stream| numbers_of(key, stream));
                wasi.secure_random(secure);
                wasi.insecure_random(insecure);
                wasi.insecure_random_seed((u128::from(seed.next_u64()) << 64) | u128::from(seed.next_u64()));
            }
            Self::SplitMix(seed) => {
                wasi.secure_random(SplitMix(seed));
                wasi.insecure_random(SplitMix(!seed));
                wasi.insecure_random_seed(u128::from(seed));
            }
        }
    }
}

fn numbers_of(key: [u8; 32], stream: u64) -> ChaCha20Rng {
    let mut numbers = ChaCha20Rng::from_seed(key);
    numbers.set_stream(stream);
    numbers
}

struct SplitMix(u64);

impl TryRng for SplitMix {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|word| (word >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let word = split_mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        Ok(word)
    }

    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), Self::Error> {
        for chunk in into.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            for (byte, random) in chunk.iter_mut().zip(word) {
                *byte = random;
            }
        }
        Ok(())
    }
}
