use super::answer_trace::AnswerTrace;

pub(super) enum OutgoingItem {
    /// A request, unless it has been given up.
    Request { sequence: u32, pdu: Vec<u8> },
    /// An answer that is followed until it is written.
    Answer { pdu: Vec<u8>, trace: AnswerTrace },
    /// A PDU without an answer.
    Pdu(Vec<u8>),
    /// The connection is to be closed.
    Close,
}
