//! Compares a new activation with the present ones of its place.

use domain::ids::ClientId;
use serde_json::Value;

use super::PluginError;
use crate::{
    secrets,
    slots::{Mode, SlotActivation},
};
use base::{Context, Result};

/// The present activation with the terms and the configuration of a new one.
pub(super) fn find_same<'a>(
    ctx: &Context,
    client: ClientId,
    present: &'a [SlotActivation],
    wanted: &SlotActivation,
    config: &Value,
) -> Result<Option<&'a SlotActivation>> {
    for present in present.iter().filter(|present| same_terms(present, wanted)) {
        // The sealed form of the same value differs each time.
        if secrets::open(&ctx.sealer, client, &present.config)? == *config {
            return Ok(Some(present));
        }
    }
    Ok(None)
}

/// Compares everything except the configuration.
fn same_terms(present: &SlotActivation, wanted: &SlotActivation) -> bool {
    let of_canary =
        |activation: &SlotActivation| (activation.percent, activation.error_threshold, activation.minimum_calls);
    present.mode == wanted.mode
        && present.plugin == wanted.plugin
        && present.allowed_hosts == wanted.allowed_hosts
        && present.http_limits == wanted.http_limits
        && (present.mode != Mode::Canary || of_canary(present) == of_canary(wanted))
}

/// A canary of the live version on the same terms would try nothing.
pub(super) fn tries_something(
    ctx: &Context,
    client: ClientId,
    present: &[SlotActivation],
    canary: &SlotActivation,
    config: &Value,
) -> Result<(), PluginError> {
    let as_live = SlotActivation { mode: Mode::Live, ..canary.clone() };
    if find_same(ctx, client, present, &as_live, config)?.is_none() {
        return Ok(());
    }
    let said = format!(
        "is wrong: {} is live there already with this configuration, these hosts and limits; name the version to try",
        canary.plugin
    );
    Err(PluginError::fault("version", said))
}
