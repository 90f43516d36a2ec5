use async_trait::async_trait;
use whatsapp_rust::{
    traits::DeviceStore,
    wacore::store::{Device, error::Result},
};

use super::{DeviceMemory, read, serialize};

const DEVICE: &str = "device";

#[async_trait]
impl DeviceStore for DeviceMemory {
    async fn save(&self, device: &Device) -> Result<()> {
        self.keep(DEVICE, "", serialize(device)?).await
    }

    async fn load(&self) -> Result<Option<Device>> {
        self.get(DEVICE, "").await?.map(|device| read(&device)).transpose()
    }

    async fn exists(&self) -> Result<bool> {
        Ok(self.get(DEVICE, "").await?.is_some())
    }

    async fn create(&self) -> Result<i32> {
        self.save(&Device::new()).await?;
        // There is one of a number.
        Ok(1)
    }
}
