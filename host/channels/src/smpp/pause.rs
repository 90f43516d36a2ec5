//! The wait before the next bind.

use std::time::Duration;

use super::SmppSettings;

/// Shortest pause in any configuration.
const SHORTEST: Duration = Duration::from_millis(100);

/// The pauses grow until a session has lasted for a while; a session that ends as soon as it begins does not count.
pub(super) struct Pause {
    lost: Duration,
    unknown: Duration,
    settings: SmppSettings,
}

impl Pause {
    pub(super) fn new(settings: &SmppSettings) -> Self {
        let (lost, unknown) = (settings.reconnect_first.max(SHORTEST), settings.refused_first.max(SHORTEST));
        Self { lost, unknown, settings: settings.clone() }
    }

    pub(super) fn record_session_length(&mut self, time: Duration) {
        if time >= self.settings.session_proven {
            *self = Self::new(&self.settings);
        }
    }

    pub(super) fn after_loss(&mut self) -> Duration {
        next_pause(&mut self.lost, self.settings.reconnect_longest)
    }

    pub(super) fn after_unknown(&mut self) -> Duration {
        next_pause(&mut self.unknown, self.settings.refused_longest)
    }
}

fn next_pause(pause: &mut Duration, longest: Duration) -> Duration {
    let longest = longest.max(SHORTEST);
    let next = pause.saturating_mul(2).min(longest);
    std::mem::replace(pause, next).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_after_a_loss_double_to_ten_seconds_and_reset_after_a_session_that_lasted() {
        let mut pause = Pause::new(&SmppSettings::default());
        let mut seconds = || pause.after_loss().as_secs();
        assert_eq!([(); 6].map(|()| seconds()), [1, 2, 4, 8, 10, 10]);
        pause.record_session_length(Duration::from_millis(29_999));
        assert_eq!(pause.after_loss().as_secs(), 10, "it ended too soon");
        pause.record_session_length(Duration::from_secs(30));
        assert_eq!(pause.after_loss().as_secs(), 1);
    }

    #[test]
    fn an_smsc_that_refuses_our_credentials_is_not_called_for_minutes() {
        let mut pause = Pause::new(&SmppSettings::default());
        let mut seconds = || pause.after_unknown().as_secs();
        assert_eq!([(); 6].map(|()| seconds()), [60, 120, 240, 480, 600, 600]);
        assert_eq!(pause.after_loss().as_secs(), 1, "that is another matter");
    }
}
