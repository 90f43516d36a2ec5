//! Trying a plugin out.

use axum::{Json, extract::State};
use plugins::{self, Invoke};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{refused, version};
use crate::{
    auth::{Allowed, Plugins},
    body::OptionalJson,
    error::ApiError,
    path::Segments,
    state::ApiState,
};

#[derive(Deserialize, Default)]
pub(super) struct InvokeBody {
    version: Option<Value>,
    #[serde(default)]
    event: Value,
    #[serde(default)]
    session: Value,
    config: Option<Value>,
}

pub(super) async fn invoke(
    State(state): State<ApiState>,
    allowed: Allowed<Plugins>,
    Segments(name): Segments<String>,
    OptionalJson(body): OptionalJson<InvokeBody>,
) -> Result<Json<Map<String, Value>>, ApiError> {
    let wanted = Invoke {
        plugin: name,
        version: version(body.version.as_ref())?,
        event: body.event,
        session: body.session,
        config: body.config.filter(|config| !config.is_null()),
    };
    let invoked = plugins::invoke(&state.context, allowed.caller.client, wanted).await.map_err(refused)?;
    Ok(Json(invoked.told))
}
