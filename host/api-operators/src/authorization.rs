//! The key of an operator.

use api_core::{
    error::{ApiError, ErrorKind},
    product::Credential,
    served_document::Document,
    state::ApiState,
};
use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use operators::keys;

/// The security scheme of the OpenAPI document.
pub const OPERATOR_KEY: &str = "operatorKey";

/// A caller with the key of an operator. All others get the same 401, also users of clients.
pub(crate) struct AuthorizedOperator {
    pub(crate) name: String,
}

fn unauthorized() -> ApiError {
    let said = "the header Authorization must carry the key of an operator: `patchbay operator add` makes one";
    ApiError::new(ErrorKind::Unauthorized, said)
}

impl<S> FromRequestParts<S> for AuthorizedOperator
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let state = ApiState::from_ref(state);
        let key = Credential::Authorization.key(&parts.headers).ok_or_else(unauthorized)?;
        let found = keys::find(&state.context.db, key, state.context.now()).await?;
        let name = found.ok_or_else(unauthorized)?;
        if let Some(document) = parts.extensions.get::<Document>() {
            document.query_names.check(parts)?;
        }
        Ok(Self { name })
    }
}
