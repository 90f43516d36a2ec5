pub(super) type SocketEnd = (u16, &'static str);

/// The last message that a widget has, and its numbering.
pub(super) struct Resume {
    pub(super) numbering: Option<String>,
    pub(super) after: i64,
}

/// Close codes for the widget.
pub(super) mod code {
    /// The process stops. Connect again.
    pub(crate) const STOPPING: u16 = 1001;
    pub(crate) const NOT_TEXT: u16 = 1003;
    /// The service failed. Connect again.
    pub(crate) const FAILED: u16 = 1011;
    pub(crate) const NO_VISITOR: u16 = 4401;
    /// The site no longer shows the widget here.
    pub(crate) const NO_SITE: u16 = 4403;
    pub(crate) const NO_HELLO: u16 = 4408;
    pub(crate) const TOO_MUCH: u16 = 4429;
}
