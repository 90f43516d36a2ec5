//! Each `deliver_sm` without an answer. It is sent again if the answer is missing or a temporary refusal.

use std::collections::BTreeMap;

use rusmpp::CommandStatus;
use rusmpp::pdus::DeliverSm;

/// A count, not a time, so that a paused program still gets time to answer.
const MOST_CHECKS: u8 = 2;

#[derive(Default)]
pub(super) struct UnansweredDeliveries {
    sent: BTreeMap<u32, Sent>,
}

struct Sent {
    pdu: DeliverSm,
    checks: u8,
}

impl UnansweredDeliveries {
    pub(super) fn add(&mut self, sequence: u32, pdu: DeliverSm) {
        self.sent.insert(sequence, Sent { pdu, checks: 0 });
    }

    /// Removes an answered one. Returns it if it must be sent again later.
    pub(super) fn take_answered(&mut self, sequence: u32, status: CommandStatus) -> Option<DeliverSm> {
        let sent = self.sent.remove(&sequence)?;
        may_be_taken_later(status).then_some(sent.pdu)
    }

    /// Counts a check of each delivery. Removes and returns those that were checked [`MOST_CHECKS`] times.
    pub(super) fn overdue(&mut self) -> Vec<DeliverSm> {
        for sent in self.sent.values_mut() {
            sent.checks += 1;
        }
        let overdue: Vec<u32> =
            self.sent.iter().filter(|(_, sent)| sent.checks >= MOST_CHECKS).map(|(sequence, _)| *sequence).collect();
        overdue.into_iter().filter_map(|sequence| self.sent.remove(&sequence)).map(|sent| sent.pdu).collect()
    }

    pub(super) fn into_all(self) -> impl Iterator<Item = DeliverSm> {
        self.sent.into_values().map(|sent| sent.pdu)
    }
}

fn may_be_taken_later(status: CommandStatus) -> bool {
    matches!(
        status,
        CommandStatus::EsmeRxTAppn
            | CommandStatus::EsmeRthrottled
            | CommandStatus::EsmeRmsgqful
            | CommandStatus::EsmeRsyserr
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporarily_refused_delivery_is_repeated_and_a_refused_one_is_not() {
        let mut unanswered = UnansweredDeliveries::default();
        let mut answer = |status| {
            unanswered.add(1, DeliverSm::default());
            unanswered.take_answered(1, status).is_some()
        };
        assert!(answer(CommandStatus::EsmeRxTAppn) && answer(CommandStatus::EsmeRmsgqful));
        assert!(!answer(CommandStatus::EsmeRok) && !answer(CommandStatus::EsmeRxPAppn));
        assert!(!answer(CommandStatus::EsmeRxRAppn));
        assert!(unanswered.take_answered(2, CommandStatus::EsmeRxTAppn).is_none(), "it was never sent");
    }

    #[test]
    fn an_unanswered_delivery_is_overdue_at_the_second_check() {
        let mut unanswered = UnansweredDeliveries::default();
        unanswered.add(1, DeliverSm::default());
        assert!(unanswered.overdue().is_empty());
        unanswered.add(2, DeliverSm::default());
        assert_eq!(unanswered.overdue().len(), 1);
        assert_eq!(unanswered.into_all().count(), 1, "the second has been checked once");
    }
}
