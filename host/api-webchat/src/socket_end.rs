//! The end of a socket, and the point where it resumes.

/// Code and reason of the end of a socket.
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
    /// The frame is not text.
    pub(crate) const NOT_TEXT: u16 = 1003;
    /// The service failed. Connect again.
    pub(crate) const FAILED: u16 = 1011;
    /// Start a session first.
    pub(crate) const NO_VISITOR: u16 = 4401;
    /// The site no longer shows the widget here.
    pub(crate) const NO_SITE: u16 = 4403;
    /// The first frame did not come in time.
    pub(crate) const NO_HELLO: u16 = 4408;
    /// Too many frames.
    pub(crate) const TOO_MUCH: u16 = 4429;
}
