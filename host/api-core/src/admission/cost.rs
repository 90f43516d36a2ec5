//! The processor time of requests and sockets, per source. On a direct connection the listener measures everything that
//! happens on it; behind a trusted proxy, requests and sockets are measured here.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{FromRef, FromRequestParts, MatchedPath, Request},
    http::{Extensions, request::Parts},
    response::Response,
};
use base::{MeasuredTask, Pace, PacedTask};
use tokio::time::{Instant, sleep_until};

use super::{account::Owner, link::PeerLink, reservation::AdmittedRequest};
use crate::{error::ApiError, https, product::is_callback, state::ApiState};

/// Processor time of a request outside its handler: its head, and the writing of its answer.
const OVERHEAD: Duration = Duration::from_millis(1);

/// The cost of one request.
pub(super) struct RequestCost {
    pace: Option<Arc<Pace>>,
    /// The listener counts it.
    by_listener: bool,
    is_callback: bool,
}

impl RequestCost {
    pub fn of(request: &Request, state: &ApiState) -> Self {
        let link = PeerLink::of(request.extensions());
        let route = request.extensions().get::<MatchedPath>();
        Self {
            by_listener: link.pace().is_some(),
            pace: link.pace().or_else(|| proxy_pace(request.extensions(), request.headers(), state)),
            is_callback: route.is_some_and(|route| is_callback(route.as_str())),
        }
    }

    /// Waits until a source behind a proxy need not pause. The request may be ended in this time.
    pub async fn wait(&self, held: &AdmittedRequest) -> Result<(), ApiError> {
        let pause = self.pace.as_ref().filter(|_| !self.by_listener).and_then(|pace| pace.pause());
        match pause {
            Some(until) => held.queue(sleep_until(until)).await,
            None => Ok(()),
        }
    }

    /// Makes the answer, and counts its cost unless it is made for a client or a provider.
    pub async fn count(&self, held: &AdmittedRequest, answer: impl Future<Output = Response>) -> Response {
        let Some(pace) = &self.pace else { return answer.await };
        let answer = PacedTask::new(answer, (!self.by_listener).then(|| Arc::clone(pace)));
        // The use before the client was known.
        let mut unknown = Duration::ZERO;
        // Our own task notes the use once. The listener notes it with as much of its own around it.
        let times = if self.by_listener { 2 } else { 1 };
        let refund = |used: Duration| pace.refund(used * times);
        let response = MeasuredTask::new(answer, |used| match held.is_known() {
            true => refund(std::mem::take(&mut unknown) + used),
            false => unknown += used,
        })
        .await;
        let is_taken = self.is_callback && response.status().is_success();
        if is_taken {
            refund(unknown);
        }
        match (is_taken || held.is_known(), self.by_listener) {
            (true, true) => pace.refund(OVERHEAD),
            (false, false) => pace.note(OVERHEAD),
            (true, false) | (false, true) => {}
        }
        response
    }
}

/// The processor time of a source behind a proxy. `None` for direct callers.
fn proxy_pace(extensions: &Extensions, headers: &axum::http::HeaderMap, state: &ApiState) -> Option<Arc<Pace>> {
    let source = https::source_of_request(&state.settings, extensions, headers);
    if source == https::peer(extensions) {
        return None;
    }
    let owner = Owner::from_source(source);
    Some(state.admission.ledger().pace(owner, Instant::now()))
}

/// Receives frames of a socket within the processor time of its source: parts of frames cost time, too, and no count of
/// frames sees them.
#[derive(Clone, Default)]
pub struct Hearing {
    pace: Option<Arc<Pace>>,
    link: PeerLink,
}

impl Hearing {
    pub async fn hear<T>(&self, frame: impl Future<Output = T>) -> T {
        let frame = PacedTask::new(frame, self.pace.clone()).await;
        self.link.note_received();
        frame
    }
}

impl<S> FromRequestParts<S> for Hearing
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let state = ApiState::from_ref(state);
        let link = PeerLink::of(&parts.extensions);
        let pace = link.pace().or_else(|| proxy_pace(&parts.extensions, &parts.headers, &state));
        Ok(Self { pace, link })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::pace_of_address;

    #[tokio::test(start_paused = true)]
    async fn frames_of_a_source_that_has_used_its_processor_time_wait() {
        let pace = Arc::new(pace_of_address());
        let (hearing, begin) = (Hearing { pace: Some(Arc::clone(&pace)), ..Hearing::default() }, Instant::now());
        hearing.hear(async {}).await;
        assert_eq!(begin.elapsed().as_secs(), 0);
        pace.note(Duration::from_secs(3));
        hearing.hear(async {}).await;
        assert_eq!(begin.elapsed().as_secs(), 8);
        assert!(Hearing::default().hear(async { true }).await, "this machine has no limit");
    }
}
