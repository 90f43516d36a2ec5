use std::{ops::Deref, sync::Arc};

use api_core::state::ApiState;
use axum::extract::FromRef;

use crate::widgets::WebChat;

#[derive(Clone)]
pub(crate) struct WidgetState {
    pub(crate) api: ApiState,
    pub(crate) web_chat: Arc<WebChat>,
}

impl Deref for WidgetState {
    type Target = ApiState;

    fn deref(&self) -> &ApiState {
        &self.api
    }
}

impl FromRef<WidgetState> for ApiState {
    fn from_ref(state: &WidgetState) -> Self {
        state.api.clone()
    }
}
