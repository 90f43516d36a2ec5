//! Lite devices in our own process, with the library `whatsapp-rust` (PROVIDERS D.2, ADR 0037). `DeviceValues` stores
//! the state, so that any process can be the next one. The crate is empty without its feature `device`; `make
//! lite-native` tests it.

#![cfg(feature = "device")]

mod connection;
mod device;
mod event_queue;
mod file;
mod incoming_message;
mod message_event;
mod news;
mod outgoing_message;
mod parts;
mod store;
mod upload;
mod web;

use std::{collections::HashMap, path::Path, sync::Arc};

use async_trait::async_trait;
use channels::{
    http::ClientBuildError,
    media_download::{DownloadedMedia, MediaError, MediaExpectation},
    whatsapp_lite::{LiteDevice, LiteDevices, LiteNumber},
};
use domain::ids::InboxId;
use parking_lot::Mutex;

use device::NativeDevice;
use parts::DeviceParts;
pub use parts::NativeSettings;
use web::WhatsappWeb;

pub struct NativeDevices {
    parts: Arc<DeviceParts>,
    devices: Mutex<HashMap<InboxId, Arc<NativeDevice>>>,
}

impl NativeDevices {
    /// Devices that are not connected yet.
    pub fn new(settings: NativeSettings) -> Result<Self, ClientBuildError> {
        let parts = Arc::new(DeviceParts { settings, web: WhatsappWeb::new()? });
        Ok(Self { parts, devices: Mutex::default() })
    }
}

#[async_trait]
impl LiteDevices for NativeDevices {
    fn device(&self, number: &LiteNumber) -> Arc<dyn LiteDevice> {
        let mut devices = self.devices.lock();
        let new = || Arc::new(NativeDevice::new(Arc::clone(&self.parts), number.clone()));
        Arc::<NativeDevice>::clone(devices.entry(number.inbox).or_insert_with(new))
    }

    fn live_in_the_process(&self) -> bool {
        true
    }

    async fn download(
        &self,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        file::download(&self.parts.web, url, expectation, to).await
    }
}
