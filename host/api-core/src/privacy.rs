//! Masks answers (SPEC 4.7, `popia-compliance`) in one place around all handlers. The handlers do nothing; the role of
//! the caller decides.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{Extensions, HeaderMap, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::privacy::CustomerVisibility;
use serde_json::Value;

use crate::error::ApiError;

/// How the caller of a request sees customers. It is known after the lookup of the key and of the client.
#[derive(Clone, Default)]
pub struct CustomerView {
    masked: Arc<AtomicBool>,
}

impl CustomerView {
    /// The viewer of the request with these extensions.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// Limits the view to this.
    pub fn sees(&self, sight: CustomerVisibility) {
        match sight {
            CustomerVisibility::Whole => {}
            CustomerVisibility::Masked => self.masked.store(true, Ordering::Relaxed),
        }
    }

    /// Returns the view. A caller without a key has the public view.
    pub fn sight(&self) -> CustomerVisibility {
        if self.masked.load(Ordering::Relaxed) { CustomerVisibility::Masked } else { CustomerVisibility::Whole }
    }
}

/// Masks JSON answers for the caller. Streams of events mask each event themselves, with [`CustomerView::sight`].
pub async fn mask(mut request: Request, next: Next) -> Response {
    let viewer = CustomerView::default();
    request.extensions_mut().insert(viewer.clone());
    let response = next.run(request).await;
    if viewer.sight() == CustomerVisibility::Whole || !is_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // If the body cannot be masked, nothing is sent, because the unmasked body would show the hidden data.
    let masked = match to_bytes(body, usize::MAX).await {
        Ok(bytes) => serde_json::from_slice::<Value>(&bytes).and_then(|mut value| {
            viewer.sight().json(&mut value);
            serde_json::to_vec(&value)
        }),
        Err(broken) => return ApiError::internal(broken).into_response(),
    };
    match masked {
        Ok(bytes) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(bytes))
        }
        Err(unreadable) => ApiError::internal(unreadable).into_response(),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
