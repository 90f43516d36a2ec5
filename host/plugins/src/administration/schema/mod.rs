//! Reads the schemas of plugins and checks configurations against them, with turns for each client. The rules are in
//! `plugin_host::config_schema`.

mod schema_cache;

use std::sync::LazyLock;

use base::heavy_work;
use domain::ids::ClientId;
use plugin_host::{
    TurnTerms, Turns,
    config_schema::{self, PreviousSecrets, SchemaVerdict},
};
use serde_json::Value;

use super::PluginError;
use schema_cache::CompiledSchemas;

/// Bytes of compiled schemas in the cache.
const KEPT_BYTES: usize = 64 * 1024 * 1024;
/// One check of a client at a time, and room for another client's check.
const TERMS: TurnTerms = TurnTerms { places: 2, per_owner: 1, waiting_per_owner: 16 };

static TURNS: LazyLock<Turns<ClientId>> = LazyLock::new(|| Turns::new(TERMS));
static COMPILED: LazyLock<CompiledSchemas> = LazyLock::new(|| CompiledSchemas::new(KEPT_BYTES));

async fn in_turn<T: Send + 'static>(
    client: ClientId,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PluginError> {
    let turn = TURNS.take(client).await.map_err(|_| {
        let said = "too many configurations and schemas of yours wait to be looked at: try again in a few seconds";
        PluginError::Busy(said.to_owned())
    })?;
    Ok(heavy_work::in_turn(turn, work).await?)
}

/// Reads the schema that a client's plugin exports. A fault is reported for `field`.
pub(super) async fn read(client: ClientId, text: String, field: &'static str) -> Result<Value, PluginError> {
    let read = in_turn(client, move || {
        let compiled = COMPILED.get(client, config_schema::parse(&text)?)?;
        Ok(compiled.schema().clone())
    });
    read.await?.map_err(|problem: String| PluginError::fault(field, problem))
}

/// Checks a configuration of a client. Fails if too many of its checks wait. `shared` are the places of its shared secrets.
pub(super) async fn judge(
    client: ClientId,
    schema: Value,
    config: Value,
    before: PreviousSecrets,
    shared: Vec<String>,
) -> Result<SchemaVerdict, PluginError> {
    in_turn(client, move || match COMPILED.get(client, schema) {
        Ok(compiled) => config_schema::judge(&compiled, &config, &before, &shared),
        // The schema was stored before these bounds existed.
        Err(problem) => SchemaVerdict::refused("config", problem),
    })
    .await
}
