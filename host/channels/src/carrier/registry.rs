use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

use domain::{channel::Channel, inbox::InboxKind, sandbox::KeyMode};

use super::Carrier;
use crate::{account::AccountProvider, sandbox::SandboxCarrier, web::Doorbell};

#[derive(Clone, Default)]
pub struct Carriers {
    by_kind: HashMap<InboxKind, Arc<dyn Carrier>>,
    accounts: HashMap<InboxKind, Arc<dyn AccountProvider>>,
    /// Values of channels for their own code in other crates, by type. The folder of a channel has the access to its own.
    parts: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    web: Doorbell,
}

impl Carriers {
    /// Adds a carrier. It replaces one of the same kind.
    #[must_use]
    pub fn with(mut self, carrier: impl Carrier) -> Self {
        self.by_kind.insert(carrier.kind(), Arc::new(carrier));
        self
    }

    #[must_use]
    pub(crate) fn with_part<T: Any + Send + Sync>(mut self, part: T) -> Self {
        self.parts.insert(TypeId::of::<T>(), Arc::new(part));
        self
    }

    pub(crate) fn part<T: Any>(&self) -> Option<&T> {
        self.parts.get(&TypeId::of::<T>())?.downcast_ref()
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

    /// The carrier of the messages of a client. That of a sandbox sends nothing. Web chat never leaves the server: its
    /// visitors come.
    pub fn of_sender(&self, kind: InboxKind, mode: KeyMode) -> Option<Arc<dyn Carrier>> {
        match mode {
            KeyMode::Live => self.of(kind).cloned(),
            KeyMode::Test => match kind.channel() {
                Channel::Web => self.of(kind).cloned(),
                Channel::Whatsapp | Channel::Sms | Channel::Facebook | Channel::Telegram => {
                    Some(Arc::new(SandboxCarrier::new(kind)))
                }
            },
        }
    }

    pub fn kinds(&self) -> impl Iterator<Item = InboxKind> {
        self.by_kind.keys().copied()
    }
}
