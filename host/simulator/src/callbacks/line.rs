#[derive(Clone, Default)]
pub struct CallbackLine {
    pub url: String,
    pub app_secret: String,
    pub verify_token: String,
}
