//! The cost of one call with a sample event, for `patchbay plugin check`.

use std::{path::Path, sync::Arc};

use plugin_host::{CallSeed, EVERY_HOST, HttpLimits, PluginCall, json::WorldQuestion, unix_millis};

use crate::local_run::{Cost, LocalError, LocalHost, effects::CallNotes, values::LocalValues, web::StubWeb};

/// Monday, 5 January 2026, 09:00 UTC.
const NOW: i64 = 1_767_603_600;

/// Calls a component once with the sample event of its world. An error that the plugin returns is an answer too: it may
/// lack its configuration here.
pub async fn cost(name: &str, component: &Path) -> Result<Cost, LocalError> {
    let local_host = LocalHost::start().await?;
    let loaded = local_host.load(name, component).await?;
    let client = local_host.client(Arc::new(StubWeb::default()));
    let now = chrono::DateTime::from_timestamp(NOW, 0).unwrap_or_default();
    let turn = unix_millis(now).to_string();
    let allowed_hosts = [EVERY_HOST.to_owned()];
    let call = PluginCall {
        client,
        plugin: &loaded.plugin,
        now,
        seed: CallSeed::from_number(1),
        config: "{}",
        turn: &turn,
        allowed_hosts: &allowed_hosts,
        http_limits: HttpLimits::default(),
        record: false,
    };
    let asked =
        local_host.host.dry_run(call, &WorldQuestion::sample(loaded.world), LocalValues::default().snapshot(now)).await;
    Ok(match &asked {
        Ok(answer) => CallNotes::of(&answer.trace).cost,
        Err(error) => CallNotes::of_error(error).cost,
    })
}
