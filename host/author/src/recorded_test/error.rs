#[derive(Debug, thiserror::Error)]
pub enum RecordedTestError {
    #[error(
        "`{0}` is neither the id of a recorded call nor of a recorded participant; `patchbay plugin logs` shows ids, and \
         `patchbay plugin record` begins a recording"
    )]
    Unknown(String),
    #[error("the recorded call {id} cannot be read: {reason}")]
    Unreadable { id: String, reason: String },
    #[error("none of the {0} recorded calls has a result that a test can expect: they timed out, or could not be made")]
    Nothing(usize),
}
