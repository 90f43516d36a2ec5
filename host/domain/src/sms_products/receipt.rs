//! Final receipts of the SMSC (SPEC 3.7).

use crate::delivery::DeliveryState;

/// A final state, by its name in receipts. If none comes in time, the message is reported as `NOTAVAIL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinalReceipt {
    Delivered,
    Undelivered,
    Expired,
    Rejected,
    Unknown,
}

/// Reported if the final state is overdue.
pub const NOT_AVAILABLE: &str = "NOTAVAIL";

impl FinalReceipt {
    pub const ALL: [Self; 5] = [Self::Delivered, Self::Undelivered, Self::Expired, Self::Rejected, Self::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "DELIVRD",
            Self::Undelivered => "UNDELIV",
            Self::Expired => "EXPIRED",
            Self::Rejected => "REJECTD",
            Self::Unknown => "UNKNOWN",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }

    /// The receipt of a message: its final state, `NOTAVAIL` if that is overdue, or `None` while it is pending.
    pub fn shown_status(state: DeliveryState, receipt: Option<Self>, overdue: bool) -> Option<&'static str> {
        match (state, receipt) {
            (_, Some(receipt)) => Some(receipt.as_str()),
            (DeliveryState::Delivered | DeliveryState::Read | DeliveryState::Played, None) => {
                Some(Self::Delivered.as_str())
            }
            (DeliveryState::Failed, None) => Some(Self::Undelivered.as_str()),
            (DeliveryState::Queued | DeliveryState::Accepted | DeliveryState::Sent, None) => {
                overdue.then_some(NOT_AVAILABLE)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_pending_until_it_has_a_final_state() {
        for state in [DeliveryState::Queued, DeliveryState::Accepted, DeliveryState::Sent] {
            assert_eq!(FinalReceipt::shown_status(state, None, false), None);
            assert_eq!(FinalReceipt::shown_status(state, None, true), Some("NOTAVAIL"));
        }
    }

    #[test]
    fn each_final_state_is_reported_by_its_name() {
        for receipt in FinalReceipt::ALL {
            let shown = FinalReceipt::shown_status(DeliveryState::Failed, Some(receipt), false);
            assert_eq!((shown, FinalReceipt::of(receipt.as_str())), (Some(receipt.as_str()), Some(receipt)));
        }
        assert_eq!(FinalReceipt::shown_status(DeliveryState::Delivered, None, true), Some("DELIVRD"));
    }
}
