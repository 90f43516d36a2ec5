//! Takes a place for each request, and sends its answer.

use std::sync::Arc;

use axum::{
    extract::Request,
    http::Version,
    response::{IntoResponse, Response},
};
use tokio::time::Instant;

use super::{
    account::Owner,
    answer::{self, AnswerPlace},
    cost::RequestCost,
    gate::AdmissionGate,
    link::PeerLink,
    reservation::AdmittedRequest,
};
use crate::{
    body, https,
    product::{ApiProduct, is_callback},
    state::ApiState,
};

/// The account that a request counts to at first.
pub(super) fn first_owner(request: &Request, state: &ApiState) -> Owner {
    let key = ApiProduct::of(request.uri().path()).credential().key(request.headers());
    match key.and_then(|key| state.admission.keys().client(key, Instant::now())) {
        Some(client) => Owner::Client(client),
        None => source(request, state),
    }
}

pub(super) fn source(request: &Request, state: &ApiState) -> Owner {
    let from = https::source_of_request(&state.settings, request.extensions(), request.headers());
    if is_callback(request.uri().path()) { Owner::of_callback(from) } else { Owner::from_source(from) }
}

/// Takes a place for a request and calls `next`, or refuses the request at once. Probes need no place.
pub async fn admit<N: Future<Output = Response>>(
    state: &ApiState,
    mut request: Request,
    next: impl FnOnce(Request) -> N,
) -> Response {
    let admission = &state.admission;
    if https::is_probe(request.uri().path()) {
        admission.observe();
        return next(request).await;
    }
    let owner = first_owner(&request, state);
    let entered = admission.ledger().enter(owner, PeerLink::of(request.extensions()), Instant::now());
    let entered = match entered {
        Ok(entered) => entered,
        Err(refusal) => {
            body::discard_some(request).await;
            return refusal.error(&admission.settings).into_response();
        }
    };
    let held = AdmittedRequest::new(Arc::clone(admission), entered);
    request.extensions_mut().insert(held.clone());
    let may_refuse = request.method().is_safe();
    let cost = RequestCost::of(&request, state);
    let mut response = match cost.wait(&held).await {
        Ok(()) => cost.count(&held, base::in_request(next(request))).await,
        Err(ended) => ended.into_response(),
    };
    match answer::count(&mut response, held.clone(), may_refuse) {
        Ok(outgoing) => {
            response.extensions_mut().insert(outgoing);
            response
        }
        Err(refusal) => {
            let mut response = refusal.into_response();
            response.extensions_mut().insert(AnswerPlace::uncounted(held));
            response
        }
    }
}

/// Sends the answer to a request, once it is final.
pub struct AnswerSender {
    pub(super) admission: Arc<AdmissionGate>,
    pub(super) owner: Owner,
    pub(super) link: PeerLink,
    pub(super) over_http2: bool,
}

impl AnswerSender {
    pub fn of(request: &Request, state: &ApiState) -> Self {
        let owner = source(request, state);
        let (link, over_http2) = (PeerLink::of(request.extensions()), request.version() == Version::HTTP_2);
        Self { admission: Arc::clone(&state.admission), owner, link, over_http2 }
    }

    /// Returns the response in a form that ends if its peer does not take it. A refusal and the answer to a probe need
    /// no place.
    pub fn send(self, mut response: Response) -> Response {
        let outgoing = response.extensions_mut().remove::<AnswerPlace>().unwrap_or_else(|| {
            let entered = self.admission.ledger().enter_without_place(self.owner, self.link, Instant::now());
            AnswerPlace::uncounted(AdmittedRequest::new(self.admission, entered))
        });
        answer::send(response, outgoing, self.over_http2)
    }
}
