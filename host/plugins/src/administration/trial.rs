//! Calls a built-in plugin once with its new configuration before the activation. A schema cannot express every rule,
//! for example that opening hours must end after they begin.

use std::sync::Arc;

use base::Context;
use domain::ids::ClientId;
use plugin_host::{CallError, HttpLimits, NoKeyValues, PluginCall, PluginRef, World, WorldQuestion};
use serde_json::Value;

use super::PluginError;

/// Error code of a plugin that cannot use its configuration.
const BAD_CONFIG: &str = "bad-config";

/// Calls a built-in plugin with a sample. Fails if it refuses the configuration. Uploaded plugins are not called.
pub(super) async fn run(
    ctx: &Context,
    client: ClientId,
    world: World,
    plugin: &PluginRef,
    config: &Value,
) -> Result<(), PluginError> {
    let is_asked = matches!(plugin, PluginRef::Shipped(_)) && !crate::slots::is_no_chatbot(plugin);
    if !is_asked {
        return Ok(());
    }
    let config = config.to_string();
    let call = PluginCall {
        client,
        plugin,
        now: ctx.now(),
        seed: ctx.ids.random(),
        config: &config,
        turn: "activate",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    };
    match ctx.plugins.dry_run(call, &WorldQuestion::sample(world), Arc::new(NoKeyValues)).await {
        Err(CallError::Refused { error, .. }) if error.code == BAD_CONFIG => {
            Err(PluginError::fault("config", error.message))
        }
        Err(CallError::BadAnswer { reason, .. }) => {
            Err(PluginError::fault("config", format!("makes the plugin answer what cannot be sent: {reason}")))
        }
        // A shaper may refuse the sample, and a host without room refuses the call. Neither is a fault of the
        // configuration.
        Ok(_) | Err(_) => Ok(()),
    }
}
