//! The status of a ticket during its chat (SPEC 2.9, 3.5). The table is in `docs/chats.md`.

pub use crate::event::TicketStatus;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TicketMove {
    AgentAnswered,
    CustomerWrote,
    /// The chat went on to a team, where no agent has it yet.
    Passed,
    Resolved,
    Ended,
}

impl TicketStatus {
    pub const ALL: [Self; 5] = [Self::Open, Self::AwaitingAgent, Self::AwaitingCustomer, Self::Resolved, Self::Closed];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::AwaitingAgent => "AWAITING_AGENT",
            Self::AwaitingCustomer => "AWAITING_CUSTOMER",
            Self::Resolved => "RESOLVED",
            Self::Closed => "CLOSED",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    pub fn is_over(self) -> bool {
        match self {
            Self::Resolved | Self::Closed => true,
            Self::Open | Self::AwaitingAgent | Self::AwaitingCustomer => false,
        }
    }

    /// The status after a step. One set by hand stays; if a customer writes about a solved ticket, it waits again.
    pub fn after(self, step: TicketMove) -> Self {
        match (self, step) {
            (Self::Closed, _) => Self::Closed,
            (Self::Resolved, TicketMove::AgentAnswered | TicketMove::Passed) => Self::Resolved,
            (_, TicketMove::AgentAnswered) => Self::AwaitingCustomer,
            (_, TicketMove::CustomerWrote | TicketMove::Passed) => Self::AwaitingAgent,
            (_, TicketMove::Resolved) => Self::Resolved,
            (_, TicketMove::Ended) => Self::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_goes_where_the_table_says() {
        use TicketStatus::{AwaitingAgent, AwaitingCustomer, Closed, Open, Resolved};
        let steps = [
            TicketMove::AgentAnswered,
            TicketMove::CustomerWrote,
            TicketMove::Passed,
            TicketMove::Resolved,
            TicketMove::Ended,
        ];
        let table = [
            (Open, [AwaitingCustomer, AwaitingAgent, AwaitingAgent, Resolved, Closed]),
            (AwaitingAgent, [AwaitingCustomer, AwaitingAgent, AwaitingAgent, Resolved, Closed]),
            (AwaitingCustomer, [AwaitingCustomer, AwaitingAgent, AwaitingAgent, Resolved, Closed]),
            (Resolved, [Resolved, AwaitingAgent, Resolved, Resolved, Closed]),
            (Closed, [Closed, Closed, Closed, Closed, Closed]),
        ];
        for (from, to) in table {
            assert_eq!(steps.map(|step| from.after(step)), to, "{from:?}");
        }
    }

    #[test]
    fn statuses_keep_their_names() {
        for status in TicketStatus::ALL {
            assert_eq!(TicketStatus::from_name(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
        assert_eq!(TicketStatus::from_name("open"), None);
    }
}
