use api_core::state::StateWith;
use outbound::accept::Acceptor;

pub(crate) type SendState = StateWith<Acceptor>;
