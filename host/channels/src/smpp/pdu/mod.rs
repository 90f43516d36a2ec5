//! PDUs of SMPP 3.4. `command_length` is the border of a PDU, so an unreadable PDU never costs the session.

pub(super) mod body;
pub(super) mod frame;
pub(super) mod header;
pub(super) mod parameters;
