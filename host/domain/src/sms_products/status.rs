//! The status codes of the JSON gateway (SPEC 7).

use super::FinalReceipt;
use crate::delivery::DeliveryState;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayStatus {
    /// The request is stored. For a message: it waits for its turn or its time.
    Accepted,
    TrackedTooOften,
    /// The balance is too low. Nothing is stored or charged. The specification names no code for this.
    NoCredits,
    /// The gateway cannot take requests now. The client should use the other gateway.
    SendAgain,
    Sent,
    QueuedAtMno,
    Delivered,
    Failed,
    /// The recipient is blocked, or the network refused the message. The code is that of [`Self::Failed`].
    Rejected,
}

impl GatewayStatus {
    pub fn code(self) -> &'static str {
        match self {
            Self::Accepted => "100",
            Self::TrackedTooOften => "228",
            Self::NoCredits => "402",
            Self::Sent => "500",
            Self::QueuedAtMno => "501",
            Self::SendAgain => "502",
            Self::Delivered => "600",
            Self::Failed | Self::Rejected => "620",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Accepted => "MESSAGE_ACCEPTED_FOR_PROCESSING",
            Self::TrackedTooOften => "TRACKING_LIMIT_EXCEEDED",
            Self::NoCredits => "INSUFFICIENT_CREDITS",
            Self::Sent => "Message Sent",
            Self::QueuedAtMno => "Queued At MNO",
            Self::SendAgain => "RESEND_VIA_BACKUP_GATEWAY",
            Self::Delivered => "Delivery Success",
            Self::Failed => "Failed In Delivery",
            Self::Rejected => "Failed In Delivery: Blocked Or Rejected",
        }
    }

    /// The status of a message in receipts (PROVIDERS C.3). `receipt`: its final state, if it is known.
    pub fn of(state: DeliveryState, receipt: Option<FinalReceipt>) -> Self {
        match state {
            DeliveryState::Failed if receipt == Some(FinalReceipt::Rejected) => Self::Rejected,
            DeliveryState::Queued => Self::Accepted,
            DeliveryState::Accepted => Self::Sent,
            DeliveryState::Sent => Self::QueuedAtMno,
            DeliveryState::Delivered | DeliveryState::Read | DeliveryState::Played => Self::Delivered,
            DeliveryState::Failed => Self::Failed,
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, Self::Delivered | Self::Failed | Self::Rejected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_at_100_until_it_leaves_then_500_501_and_600_or_620() {
        let codes = [
            (DeliveryState::Queued, "100"),
            (DeliveryState::Accepted, "500"),
            (DeliveryState::Sent, "501"),
            (DeliveryState::Delivered, "600"),
            (DeliveryState::Failed, "620"),
        ];
        for (state, code) in codes {
            assert_eq!(GatewayStatus::of(state, None).code(), code);
        }
    }

    #[test]
    fn the_description_of_620_distinguishes_blocked_recipients_from_undelivered_messages() {
        let description = |receipt| {
            let status = GatewayStatus::of(DeliveryState::Failed, Some(receipt));
            assert_eq!((status.code(), status.is_final()), ("620", true));
            status.description()
        };
        assert_eq!(description(FinalReceipt::Undelivered), "Failed In Delivery");
        assert_eq!(description(FinalReceipt::Rejected), "Failed In Delivery: Blocked Or Rejected");
    }

    #[test]
    fn only_600_and_620_are_final() {
        let is_final = |state| GatewayStatus::of(state, None).is_final();
        assert!(is_final(DeliveryState::Delivered) && is_final(DeliveryState::Failed));
        assert!(!is_final(DeliveryState::Queued) && !is_final(DeliveryState::Sent));
    }
}
