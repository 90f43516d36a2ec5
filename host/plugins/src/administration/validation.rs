//! Asks a plugin to judge the configuration of an activation, if it exports `validation`.

use base::Context;
use domain::{body::FieldFault, ids::ClientId};
use plugin_host::CallError;

use super::PluginError;
use crate::{
    secrets,
    slots::{SlotActivation, is_no_chatbot},
};

/// Fails with the findings of the plugin about the configuration. They have placeholders for its secrets.
pub(super) async fn run(ctx: &Context, client: ClientId, activation: &SlotActivation) -> Result<(), PluginError> {
    if is_no_chatbot(&activation.plugin) {
        return Ok(());
    }
    let config = activation.call_config();
    let has_secrets = !secrets::hide(&config).1.is_empty();
    match ctx.plugins.validate_config(client, &activation.plugin, &config.to_string()).await {
        Ok(findings) if findings.is_empty() => Ok(()),
        Ok(findings) => Err(PluginError::Faults(findings.into_iter().map(FieldFault::from).collect())),
        // The words of a plugin that failed may hold a secret.
        Err(CallError::Trap { .. } | CallError::TimedOut { .. } | CallError::LimitExceeded { .. }) if has_secrets => {
            Err(PluginError::fault("config", "cannot be judged: the function `validate` of the plugin failed"))
        }
        Err(CallError::TooBusy { .. }) => Err(PluginError::Busy(
            "the host has no room to judge the configuration: try again in a few seconds".to_owned(),
        )),
        Err(error) => Err(PluginError::fault("config", format!("cannot be judged: {error}"))),
    }
}
