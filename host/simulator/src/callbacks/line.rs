#[derive(Clone, Default)]
pub struct CallbackLine {
    /// Address of the host, such as `http://127.0.0.1:8080/providers/messenger/webhook`.
    pub url: String,
    pub app_secret: String,
    /// Token for the handshake.
    pub verify_token: String,
}
