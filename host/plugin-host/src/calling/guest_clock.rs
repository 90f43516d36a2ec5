//! The monotonic clock of a guest as WASI asks for it.

use std::time::Duration;

use wasmtime::component::Resource;
use wasmtime_wasi::{
    HostMonotonicClock,
    p2::{DynPollable, bindings::clocks::monotonic_clock, subscribe},
};

use super::{clock::ClockTimer, guest::GuestState};

impl monotonic_clock::Host for GuestState {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(HostMonotonicClock::now(&self.clock))
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(HostMonotonicClock::resolution(&self.clock))
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        self.timer(Duration::from_nanos(when))
    }

    fn subscribe_duration(&mut self, length: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let until = self.clock.look().saturating_add(Duration::from_nanos(length));
        self.timer(until)
    }
}

impl GuestState {
    fn timer(&mut self, until: Duration) -> wasmtime::Result<Resource<DynPollable>> {
        let timer = ClockTimer { clock: self.clock.clone(), until };
        let timer = self.table.push(timer)?;
        subscribe(&mut self.table, timer)
    }
}
