//! PDUs of SMPP 3.4 as bytes. `command_length` is the border of a PDU, and nothing within it can move that border. So
//! an unreadable PDU never costs the session.

pub(super) mod body;
pub(super) mod frame;
pub(super) mod header;
pub(super) mod parameters;
