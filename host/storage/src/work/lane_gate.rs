//! A condition that closes lanes.

/// A table with one row per lane: `closed_until` closes the lane until then, without writing to the queue.
pub struct LaneGate {
    pub table: &'static str,
    /// The column with the id of the lane.
    pub lane: &'static str,
    pub closed_until: &'static str,
}

impl LaneGate {
    pub(super) fn condition(&self) -> String {
        let Self { table, lane, closed_until } = self;
        format!(
            "AND NOT EXISTS (SELECT 1 FROM {table} gate
                             WHERE gate.client_id = hop.client_id AND gate.{lane} = hop.lane_id
                               AND gate.{closed_until} > $1)"
        )
    }
}
