//! All carriers of this program.

use std::{collections::HashMap, sync::Arc};

use domain::inbox::InboxKind;

use super::Carrier;
use crate::{messenger::MessengerApi, web::Doorbell, whatsapp_lite::LiteDevices};

/// The carriers, one for each kind of inbox that can send. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Carriers {
    by_kind: HashMap<InboxKind, Arc<dyn Carrier>>,
    lite: Option<Arc<dyn LiteDevices>>,
    messenger: Option<MessengerApi>,
    web: Doorbell,
}

impl Carriers {
    /// Adds a carrier; a second one of the same kind takes the place of the first.
    #[must_use]
    pub fn with(mut self, carrier: impl Carrier) -> Self {
        self.by_kind.insert(carrier.kind(), Arc::new(carrier));
        self
    }

    /// Says where the devices of Lite numbers come from, for those who hold their sessions.
    #[must_use]
    pub fn with_devices(mut self, devices: Arc<dyn LiteDevices>) -> Self {
        self.lite = Some(devices);
        self
    }

    /// The devices of Lite numbers; `None` where there are none.
    pub fn lite_devices(&self) -> Option<&Arc<dyn LiteDevices>> {
        self.lite.as_ref()
    }

    /// Says where Messenger is, for those who ask it for files and names, or tell it what was read.
    #[must_use]
    pub fn with_messenger(mut self, api: MessengerApi) -> Self {
        self.messenger = Some(api);
        self
    }

    /// Messenger beside sending; `None` where there is none.
    pub fn messenger(&self) -> Option<&MessengerApi> {
        self.messenger.as_ref()
    }

    /// What rings for the visitors of sites whose sockets this process holds.
    pub fn doorbell(&self) -> &Doorbell {
        &self.web
    }

    /// The carrier for inboxes of this kind; `None` when messages cannot leave from them.
    pub fn of(&self, kind: InboxKind) -> Option<&Arc<dyn Carrier>> {
        self.by_kind.get(&kind)
    }

    /// The kinds of inbox that can send.
    pub fn kinds(&self) -> impl Iterator<Item = InboxKind> {
        self.by_kind.keys().copied()
    }
}
