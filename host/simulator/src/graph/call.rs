//! A call to the simulated Graph API.

use std::{collections::HashMap, sync::Arc};

use axum::http::Method;

use crate::world::World;

pub(crate) struct Call {
    pub(crate) world: Arc<World>,
    pub(crate) method: Method,
    pub(crate) version: String,
    pub(crate) node: String,
    pub(crate) query: Fields,
    /// `http://host:port` as the caller sees it.
    pub(crate) origin: String,
}

pub(super) type Fields = HashMap<String, String>;
