//! A condition that closes lanes.

/// A table with one row per lane, whose moment in the column `closed_until` closes all rows of the lane until then. No
/// row of the queue is written for this.
pub struct LaneGate {
    pub table: &'static str,
    pub closed_until: &'static str,
}

impl LaneGate {
    /// Returns the condition of a lane of `hop` that is open at `$1`.
    pub(super) fn condition(&self) -> String {
        let Self { table, closed_until } = self;
        format!(
            "AND NOT EXISTS (SELECT 1 FROM {table} gate
                             WHERE gate.client_id = hop.client_id AND gate.lane_id = hop.lane_id
                               AND gate.{closed_until} > $1)"
        )
    }
}
