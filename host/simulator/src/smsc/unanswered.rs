//! `deliver_sm` that were sent and not answered yet. None is forgotten: what nobody answers is sent again, and so is what
//! cannot be taken now.

use std::collections::BTreeMap;

use rusmpp::CommandStatus;
use rusmpp::pdus::DeliverSm;

/// Looks at what is unanswered before it is sent again. They are counted, and not timed, so that a program that stood still is
/// given time to answer.
const LOOKS: u8 = 2;

/// By sequence number, in the order they were sent in.
#[derive(Default)]
pub(super) struct Unanswered {
    sent: BTreeMap<u32, Sent>,
}

struct Sent {
    pdu: DeliverSm,
    looks: u8,
}

impl Unanswered {
    pub(super) fn add(&mut self, sequence: u32, pdu: DeliverSm) {
        self.sent.insert(sequence, Sent { pdu, looks: 0 });
    }

    /// It is answered. What is to be sent again later is returned.
    pub(super) fn answered(&mut self, sequence: u32, status: CommandStatus) -> Option<DeliverSm> {
        let sent = self.sent.remove(&sequence)?;
        may_be_taken_later(status).then_some(sent.pdu)
    }

    /// Takes out what has been looked at often enough; to be called now and then.
    pub(super) fn overdue(&mut self) -> Vec<DeliverSm> {
        for sent in self.sent.values_mut() {
            sent.looks += 1;
        }
        let overdue: Vec<u32> =
            self.sent.iter().filter(|(_, sent)| sent.looks >= LOOKS).map(|(sequence, _)| *sequence).collect();
        overdue.into_iter().filter_map(|sequence| self.sent.remove(&sequence)).map(|sent| sent.pdu).collect()
    }

    /// Everything, when the session ends.
    pub(super) fn into_all(self) -> impl Iterator<Item = DeliverSm> {
        self.sent.into_values().map(|sent| sent.pdu)
    }
}

/// Whether the answer says that there is no room or no way now, and nothing against the message.
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
    fn what_cannot_be_taken_now_comes_again_and_what_is_refused_does_not() {
        let mut unanswered = Unanswered::default();
        let mut answer = |status| {
            unanswered.add(1, DeliverSm::default());
            unanswered.answered(1, status).is_some()
        };
        assert!(answer(CommandStatus::EsmeRxTAppn) && answer(CommandStatus::EsmeRmsgqful));
        assert!(!answer(CommandStatus::EsmeRok) && !answer(CommandStatus::EsmeRxPAppn));
        assert!(!answer(CommandStatus::EsmeRxRAppn));
        assert!(unanswered.answered(2, CommandStatus::EsmeRxTAppn).is_none(), "nobody sent that");
    }

    #[test]
    fn what_nobody_answers_is_overdue_at_the_second_look() {
        let mut unanswered = Unanswered::default();
        unanswered.add(1, DeliverSm::default());
        assert!(unanswered.overdue().is_empty());
        unanswered.add(2, DeliverSm::default());
        assert_eq!(unanswered.overdue().len(), 1);
        assert_eq!(unanswered.into_all().count(), 1, "the second has been looked at once");
    }
}
