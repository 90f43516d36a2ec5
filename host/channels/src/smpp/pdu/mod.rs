//! PDUs of SMPP 3.4 as they stand on the wire. `command_length` is the border of a PDU; nothing within it can move that border, so a
//! PDU that cannot be read costs itself and never the session.

pub(super) mod body;
pub(super) mod frame;
pub(super) mod header;
pub(super) mod parameters;
