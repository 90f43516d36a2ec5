//! The devices of WhatsApp Lite numbers, as configured: behind a bridge, in our own processes, or simulated.

use std::sync::Arc;

use anyhow::bail;
use channels::{
    http::GuardedClient,
    whatsapp_lite::{
        LiteDevices,
        bridge::{BridgeDevices, BridgeSettings},
        simulated_devices::SimulatedDevices,
    },
};
use settings::Settings;

use crate::{process_base::Base, simulated_providers::SimulatorAccess};

pub(crate) fn devices(
    config: &Settings,
    simulated: Option<&SimulatorAccess>,
    public_url: &str,
    base: &Base,
    http: &GuardedClient,
) -> anyhow::Result<Option<Arc<dyn LiteDevices>>> {
    if let Some(url) = &config.whatsapp_lite.bridge_url {
        if config.whatsapp_lite.native {
            bail!(
                "whatsapp_lite.native and whatsapp_lite.bridge_url are both set: a number has one device, so leave one out"
            );
        }
        let settings = BridgeSettings {
            url: url.as_str().to_owned(),
            api_key: config.whatsapp_lite.bridge_api_key.expose().to_owned(),
            webhook_secret: config.whatsapp_lite.webhook_secret.expose().to_owned(),
            public_url: public_url.trim_end_matches('/').to_owned(),
        };
        if settings.webhook_secret.is_empty() {
            bail!(
                "whatsapp_lite.webhook_secret must be set with whatsapp_lite.bridge_url: it signs what the bridge tells"
            );
        }
        return Ok(Some(Arc::new(BridgeDevices::new(settings)?)));
    }
    if config.whatsapp_lite.native {
        return native(config, base, http).map(Some);
    }
    let own = config.whatsapp_lite.simulator_url.as_ref().map(|url| url.as_str().to_owned());
    match own.or_else(|| simulated.map(SimulatorAccess::graph_url)) {
        Some(url) => Ok(Some(Arc::new(SimulatedDevices::new(&url)?))),
        None => Ok(None),
    }
}

#[cfg(feature = "lite-native")]
fn native(config: &Settings, base: &Base, http: &GuardedClient) -> anyhow::Result<Arc<dyn LiteDevices>> {
    use ::base::DatabaseDeviceValues;
    use lite_native::{NativeDevices, NativeSettings};

    let devices = NativeDevices::new(NativeSettings {
        values: Arc::new(DatabaseDeviceValues::new(base.db.clone(), base.sealer.clone())),
        http: http.clone(),
        allow_private: config.webhooks.allow_private_targets,
        most_bytes: usize::try_from(config.limits.inbound_media_max_bytes).unwrap_or(usize::MAX),
    })?;
    Ok(Arc::new(devices))
}

#[cfg(not(feature = "lite-native"))]
fn native(_: &Settings, _: &Base, _: &GuardedClient) -> anyhow::Result<Arc<dyn LiteDevices>> {
    bail!(
        "whatsapp_lite.native is set, and this program was built without such devices: build it with `--features lite-native`"
    )
}
