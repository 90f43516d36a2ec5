//! `/simulator/smsc`: bound sessions, waiting messages, and lost links.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{bind_info::BindInfo, registry::SimulatedSmsc};
use crate::world::SimulatedWorld;

#[derive(Serialize)]
struct Shown<'a> {
    sessions: Vec<&'a BindInfo>,
    /// `deliver_sm` that wait for a bind, by system id. Those with an empty one wait for any.
    waiting: BTreeMap<&'a str, usize>,
}

impl SimulatedSmsc {
    pub(super) fn show(&self, session: u64, system_id: &str, bind: &'static str, lost: CancellationToken) {
        let bound = BindInfo { session, system_id: system_id.to_owned(), bind, taken: 0, refused: 0, lost };
        self.registry().bound.insert(session, bound);
    }

    pub(super) fn count(&self, session: u64, taken: bool) {
        if let Some(bound) = self.registry().bound.get_mut(&session) {
            *(if taken { &mut bound.taken } else { &mut bound.refused }) += 1;
        }
    }

    fn drop_links(&self, system_id: Option<&str>) -> usize {
        let registry = self.registry();
        let named = |bound: &&BindInfo| system_id.is_none_or(|id| id == bound.system_id);
        let links: Vec<&BindInfo> = registry.bound.values().filter(named).collect();
        for link in &links {
            link.lost.cancel();
        }
        links.len()
    }
}

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new().route("/simulator/smsc", routing::get(show)).route("/simulator/smsc/drop", routing::post(drop_links))
}

async fn show(State(world): State<Arc<SimulatedWorld>>) -> Response {
    let registry = world.smsc.registry();
    let waiting = registry.waiting.iter().filter(|(_, waiting)| !waiting.is_empty());
    let waiting = waiting.map(|(system_id, waiting)| (system_id.as_str(), waiting.len())).collect();
    Json(Shown { sessions: registry.bound.values().collect(), waiting }).into_response()
}

/// Body of `POST /simulator/smsc/drop`. Without one, all links are dropped.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Links {
    system_id: Option<String>,
}

async fn drop_links(State(world): State<Arc<SimulatedWorld>>, body: Bytes) -> Response {
    let named: Links = match body.is_empty() {
        true => Links::default(),
        false => match serde_json::from_slice(&body) {
            Ok(named) => named,
            Err(error) => {
                let said = format!("the body is wrong: {error}");
                return (StatusCode::BAD_REQUEST, Json(json!({ "error": said }))).into_response();
            }
        },
    };
    Json(json!({ "dropped": world.smsc.drop_links(named.system_id.as_deref()) })).into_response()
}
