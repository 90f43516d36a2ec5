use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::state::{PageVisitor, SimulatedPage};
use crate::clock;
use crate::phones::Rejection;
use crate::world::SimulatedWorld;

pub(super) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new()
        .route("/simulator/pages", get(pages).post(set_page))
        .route("/messenger/phones", get(list))
        .route("/messenger/phones/{psid}", put(change).get(show))
}

#[derive(Debug, thiserror::Error)]
pub(super) enum HandError {
    #[error("\"{0}\" is not an id of a person: ids are digits, such as 24071234567")]
    NotAPerson(String),
    #[error("\"{0}\" is not an id of a page: ids are digits")]
    NotAPage(String),
    #[error("the body is wrong: {0}")]
    Body(String),
    #[error("name the page in \"to\": there are several, or none is known yet; POST /simulator/pages makes one known")]
    NoPage,
    #[error("there is no message {0} in the conversations of this person")]
    NoMessage(String),
    #[error("the message has no quick reply \"{0}\"; it has: {1}")]
    NoButton(String, String),
}

impl IntoResponse for HandError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::NotAPerson(_) | Self::NotAPage(_) | Self::Body(_) | Self::NoPage => StatusCode::BAD_REQUEST,
            Self::NoMessage(_) | Self::NoButton(..) => StatusCode::NOT_FOUND,
        };
        (status, Json(json!({"error": self.to_string()}))).into_response()
    }
}

pub(super) fn psid(written: String) -> Result<String, HandError> {
    if is_id(&written) { Ok(written) } else { Err(HandError::NotAPerson(written)) }
}

fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn body<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, HandError> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| HandError::Body(error.to_string()))
}

async fn pages(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    Json(json!({"pages": world.state().messenger.pages()}))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PagePatch {
    page_id: String,
    name: Option<String>,
    access_token: Option<String>,
    echoes: Option<bool>,
}

async fn set_page(State(world): State<Arc<SimulatedWorld>>, bytes: Bytes) -> Result<Json<SimulatedPage>, HandError> {
    let patch: PagePatch = body(&bytes)?;
    if !is_id(&patch.page_id) {
        return Err(HandError::NotAPage(patch.page_id));
    }
    let mut state = world.state();
    let page = state.messenger.page_mut(&patch.page_id);
    page.name = patch.name.unwrap_or_else(|| page.name.clone());
    page.access_token = patch.access_token.or_else(|| page.access_token.clone());
    page.echoes = patch.echoes.unwrap_or(page.echoes);
    Ok(Json(page.clone()))
}

async fn list(State(world): State<Arc<SimulatedWorld>>) -> Json<Value> {
    Json(json!({"phones": world.state().messenger.people()}))
}

async fn show(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
) -> Result<Json<PageVisitor>, HandError> {
    Ok(Json(world.state().messenger.person_mut(&psid(written)?).clone()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct PersonPatch {
    first_name: Option<String>,
    last_name: Option<String>,
    named: Option<bool>,
    available: Option<bool>,
    auto_deliver: Option<bool>,
    auto_read: Option<bool>,
    reject_with: Option<Rejection>,
    timeout: Option<bool>,
    wrote_seconds_ago: Option<i64>,
}

async fn change(
    State(world): State<Arc<SimulatedWorld>>,
    Path(written): Path<String>,
    bytes: Bytes,
) -> Result<Json<PageVisitor>, HandError> {
    let (psid, patch): (String, PersonPatch) = (psid(written)?, body(&bytes)?);
    let mut state = world.state();
    if let Some(seconds) = patch.wrote_seconds_ago {
        state.messenger.age(&psid, clock::now() - chrono::TimeDelta::seconds(seconds));
    }
    let person = state.messenger.person_mut(&psid);
    person.first_name = patch.first_name.unwrap_or_else(|| person.first_name.clone());
    person.last_name = patch.last_name.unwrap_or_else(|| person.last_name.clone());
    person.named = patch.named.unwrap_or(person.named);
    person.available = patch.available.unwrap_or(person.available);
    person.auto_deliver = patch.auto_deliver.unwrap_or(person.auto_deliver);
    person.auto_read = patch.auto_read.unwrap_or(person.auto_read);
    person.timeout = patch.timeout.unwrap_or(person.timeout);
    person.reject_with = patch.reject_with.or_else(|| person.reject_with.clone());
    Ok(Json(person.clone()))
}

pub(crate) fn profile(
    world: &SimulatedWorld,
    psid: &str,
) -> Option<Result<Value, crate::graph::errors::SimulatedGraphError>> {
    let state = world.state();
    let person = state.messenger.person(psid)?;
    Some(if person.named {
        Ok(json!({"id": psid, "first_name": person.first_name, "last_name": person.last_name}))
    } else {
        Err(crate::graph::errors::SimulatedGraphError::plain(403, 10))
    })
}
