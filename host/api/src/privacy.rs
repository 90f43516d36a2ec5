//! Where answers are masked (SPEC 4.7, `popia-compliance`): one place around all handlers. A handler says nothing of it; whoever
//! the caller turns out to be decides.

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
use domain::privacy::Sight;
use serde_json::Value;

use crate::error::ApiError;

/// How the caller of a request sees customers. Known once its key has been looked up, and the client whose customers they are.
#[derive(Clone, Default)]
pub(crate) struct Viewer {
    masked: Arc<AtomicBool>,
}

impl Viewer {
    /// The viewer of the request with these extensions.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// This much is seen at most.
    pub fn sees(&self, sight: Sight) {
        match sight {
            Sight::Whole => {}
            Sight::Masked => self.masked.store(true, Ordering::Relaxed),
        }
    }

    /// What is seen; whoever has no key sees what anybody may.
    pub fn sight(&self) -> Sight {
        if self.masked.load(Ordering::Relaxed) { Sight::Masked } else { Sight::Whole }
    }
}

/// JSON goes out as the caller of the request may see it. Streams of events mask each event themselves, with [`Viewer::sight`].
pub(crate) async fn mask(mut request: Request, next: Next) -> Response {
    let viewer = Viewer::default();
    request.extensions_mut().insert(viewer.clone());
    let response = next.run(request).await;
    if viewer.sight() == Sight::Whole || !is_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // What goes out as it is would tell what is to be hidden: rather nothing.
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
