//! Calls a built-in plugin once with its new configuration before the activation. A schema cannot express every rule,
//! for example that opening hours must end after they begin.

use std::sync::Arc;

use base::Context;
use domain::ids::ClientId;
use plugin_host::{CallError, CallSeed, HttpLimits, NoKeyValues, PluginCall, PluginRef, WorldQuestion};

use super::PluginError;
use crate::slots::{SlotActivation, is_no_chatbot};

/// Error code of a plugin that cannot use its configuration.
const BAD_CONFIG: &str = "bad-config";

/// Calls a built-in plugin with a sample. Fails if it refuses the configuration. Uploaded plugins are not called.
pub(super) async fn run(ctx: &Context, client: ClientId, activation: &SlotActivation) -> Result<(), PluginError> {
    let plugin = &activation.plugin;
    let is_asked = matches!(plugin, PluginRef::Shipped(_)) && !is_no_chatbot(plugin);
    if !is_asked {
        return Ok(());
    }
    let config = activation.call_config().to_string();
    let call = PluginCall {
        client,
        plugin,
        now: ctx.now(),
        seed: CallSeed::from_number(ctx.ids.random()),
        config: &config,
        turn: "activate",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    };
    match ctx.plugins.dry_run(call, &WorldQuestion::sample(activation.world), Arc::new(NoKeyValues)).await {
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
