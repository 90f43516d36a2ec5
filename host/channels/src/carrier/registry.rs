use std::{collections::HashMap, sync::Arc};

use domain::inbox::InboxKind;

use super::Carrier;
use crate::{account::AccountProvider, messenger::MessengerApi, web::Doorbell, whatsapp_lite::LiteDevices};

#[derive(Clone, Default)]
pub struct Carriers {
    by_kind: HashMap<InboxKind, Arc<dyn Carrier>>,
    lite: Option<Arc<dyn LiteDevices>>,
    messenger: Option<MessengerApi>,
    accounts: HashMap<InboxKind, Arc<dyn AccountProvider>>,
    web: Doorbell,
}

impl Carriers {
    /// Adds a carrier. It replaces one of the same kind.
    #[must_use]
    pub fn with(mut self, carrier: impl Carrier) -> Self {
        self.by_kind.insert(carrier.kind(), Arc::new(carrier));
        self
    }

    /// Sets the source of Lite devices, for the holders of their sessions.
    #[must_use]
    pub fn with_devices(mut self, devices: Arc<dyn LiteDevices>) -> Self {
        self.lite = Some(devices);
        self
    }

    pub fn lite_devices(&self) -> Option<&Arc<dyn LiteDevices>> {
        self.lite.as_ref()
    }

    /// Sets the Messenger API, for downloads, names and read marks.
    #[must_use]
    pub fn with_messenger(mut self, api: MessengerApi) -> Self {
        self.messenger = Some(api);
        self
    }

    pub fn messenger(&self) -> Option<&MessengerApi> {
        self.messenger.as_ref()
    }

    #[must_use]
    pub fn with_account_provider(mut self, provider: impl AccountProvider) -> Self {
        self.accounts.insert(provider.kind(), Arc::new(provider));
        self
    }

    pub fn account_provider(&self, kind: InboxKind) -> Option<&Arc<dyn AccountProvider>> {
        self.accounts.get(&kind)
    }

    pub fn account_provider_named(&self, name: &str) -> Option<&Arc<dyn AccountProvider>> {
        self.accounts.values().find(|provider| provider.url_name() == name)
    }

    /// Wakes the sockets of visitors in this process.
    pub fn doorbell(&self) -> &Doorbell {
        &self.web
    }

    pub fn of(&self, kind: InboxKind) -> Option<&Arc<dyn Carrier>> {
        self.by_kind.get(&kind)
    }

    pub fn kinds(&self) -> impl Iterator<Item = InboxKind> {
        self.by_kind.keys().copied()
    }
}
