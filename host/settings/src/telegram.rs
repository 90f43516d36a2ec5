use std::time::Duration;

use super::{Settings, secret::BaseUrl, section::section};

pub const BOT_API_URL: &str = "https://api.telegram.org";

section! {
    /// Bots of Telegram.
    Telegram {
        /// Base URL of the Bot API. Empty: Telegram's, or the simulator if it is on.
        api_url: Option<BaseUrl> = None,
        /// Messages per second and bot.
        rate_per_bot: u32 = 30,
        /// Calls in flight per bot.
        in_flight_per_bot: usize = 16,
        /// Time for which the Bot API waits for updates of a bot without a webhook. At most 50s.
        poll_wait: Duration = Duration::from_secs(25),
    }
}

impl Telegram {
    pub(super) fn is_configured(&self) -> bool {
        self.api_url.is_some()
    }
}

impl Settings {
    /// Base of the Bot API. `simulator` is the base URL of the running simulator, if any.
    pub fn telegram_api_url(&self, simulator: Option<&str>) -> String {
        let simulated = simulator.map(|url| format!("{url}/telegram"));
        let configured = self.telegram.api_url.as_ref().map(|url| url.as_str().to_owned());
        configured.or(simulated).unwrap_or_else(|| BOT_API_URL.to_owned())
    }

    pub fn telegram_settings(&self, simulator: Option<&str>) -> channels::telegram::TelegramSettings {
        channels::telegram::TelegramSettings {
            api_url: self.telegram_api_url(simulator),
            timeout: self.limits.cloud_timeout,
            poll_wait: self.telegram.poll_wait.min(Duration::from_secs(50)),
        }
    }
}
