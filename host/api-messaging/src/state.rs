//! The state of the send endpoints.

use api_core::state::StateWith;
use outbound::accept::Acceptor;

/// With the service that takes send requests.
pub(crate) type SendState = StateWith<Acceptor>;
