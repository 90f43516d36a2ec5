//! Messenger in the registry of carriers.

use super::api::MessengerApi;
use crate::carrier::Carriers;

impl Carriers {
    /// Sets the Messenger API, for downloads, names and read marks.
    #[must_use]
    pub fn with_messenger(self, api: MessengerApi) -> Self {
        self.with_part(api)
    }

    pub fn messenger(&self) -> Option<&MessengerApi> {
        self.part()
    }
}
