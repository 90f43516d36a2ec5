pub(super) enum OutgoingItem {
    /// A request, unless it has been given up.
    Request { sequence: u32, pdu: Vec<u8> },
    /// A PDU without an answer.
    Pdu(Vec<u8>),
    /// The connection is to be closed.
    Close,
}
