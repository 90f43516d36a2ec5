//! Limits on the requests in flight. They, and the bytes of their bodies and answers, are counted in one [`ledger`],
//! from the head of a request to the last byte of its answer. All limits are per process.
//!
//! 1. A request counts to its source address; behind a trusted proxy this is the forwarded address. As soon as its
//!    client is known, it counts to the client. If its key was used recently ([`recent_keys`]), it does so from the
//!    beginning.
//! 2. Bytes of a body count when they arrive. Bytes of an answer count until the peer has taken them. Bytes that all
//!    requests share ([`answer::SharedBytes`]) do not count.
//! 3. If its account is full, an owner gets 429. A new request from a source may take the place of the slowest request
//!    of that source.
//! 4. If the limit of requests without a key, or of all requests, is reached, the slowest request of the largest
//!    account among them is ended, and the new one is taken. A request is slow if it has waited for its peer, or
//!    for a turn, longer than [`GracePeriods::others`]. If none is slow, the new one is refused with 503.
//! 5. If a peer reads nothing of its answer for `limits.write_timeout`, its request is ended.
//! 6. An answer without end ([`answer::EndlessAnswer`]) gives its place back. Its use case limits the number of such
//!    answers.
//! 7. Requests of one client share a number of turns at the database, and wait for them. All pages of many items in the
//!    process share turns too.
//! 8. Requests without a key may use a part of a processor per source. The listeners measure it for connections, and
//!    [`cost`] for sources behind a proxy. Work for clients and providers is taken out again.
//!
//! The listeners limit connections and streams (`host/app/src/listeners`). `docs/operations.md` has the sums.

mod account;
pub mod answer;
mod cost;
mod entry;
pub mod gate;
mod ledger;
mod link;
mod load;
mod middleware;
mod recent_keys;
mod refusal;
pub mod reservation;
mod settings;

pub use account::pace_of_address;
pub use cost::Hearing;
pub use gate::AdmissionGate;
pub use link::PeerLink;
pub use middleware::{AnswerSender, admit};
pub use settings::{AdmissionSettings, GracePeriods};
