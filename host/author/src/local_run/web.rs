//! The HTTP access of a plugin here: prepared answers in tests, real requests in a chat.

use async_trait::async_trait;
use channels::http::{GuardedClient, GuardedRequest, PostError};
use chrono::TimeDelta;
use domain::ids::ClientId;
use parking_lot::Mutex;
use plugin_host::{HttpFault, HttpRequest, HttpResponse, OutgoingHttp};
use serde_json::Value;

use crate::subset;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WebStub {
    pub(crate) line: u64,
    pub(crate) method: String,
    /// Address; `*` matches any text.
    pub(crate) url: String,
    /// JSON that the body must contain.
    pub(crate) sends: Option<Value>,
    /// Headers that the request must have, with names in lower case.
    pub(crate) with_headers: Vec<(String, String)>,
    pub(crate) answer: Result<HttpResponse, HttpFault>,
    /// Time until the answer comes. A request that waits a shorter time ends as timed out. Otherwise that of
    /// `http.start` is answered when the clock reaches this time, and that of `http.send` in the call.
    pub(crate) after: TimeDelta,
    /// Expected number of requests; `None` = any number.
    pub(crate) expect: Option<u32>,
}

impl WebStub {
    pub(crate) fn request(&self) -> String {
        format!("{} {}", self.method, self.url)
    }

    fn is_too_late(&self, request: &HttpRequest) -> bool {
        self.after.to_std().is_ok_and(|after| after > request.timeout)
    }

    fn fits(&self, request: &HttpRequest) -> bool {
        let body = || serde_json::from_slice(request.body.as_deref().unwrap_or_default()).unwrap_or(Value::Null);
        let has = |(name, value): &(String, String)| {
            request.headers.iter().any(|(other, found)| other.eq_ignore_ascii_case(name) && found == value)
        };
        self.method.eq_ignore_ascii_case(&request.method)
            && matches(&self.url, &request.url)
            && self.with_headers.iter().all(has)
            && self.sends.as_ref().is_none_or(|sends| subset::differences(sends, &body()).is_empty())
    }
}

/// The HTTP access of one conversation.
pub(crate) trait LocalWeb: OutgoingHttp {
    /// The time after which a started request like this one is answered.
    fn delay(&self, _request: &HttpRequest) -> TimeDelta {
        TimeDelta::zero()
    }
}

impl LocalWeb for RealWeb {}

impl LocalWeb for StubWeb {
    fn delay(&self, request: &HttpRequest) -> TimeDelta {
        self.with(|state| self.find(state, request))
            .and_then(|at| self.stubs.get(at))
            .map_or(TimeDelta::zero(), |stub| stub.after)
    }
}

/// Whether a text matches a pattern in which `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    let starts = rest.char_indices().map(|(index, _)| index).chain([rest.len()]);
    starts.filter_map(|start| rest.get(start..)).any(|rest| matches(after, rest))
}

#[derive(Debug, Default)]
pub(crate) struct StubWeb {
    stubs: Vec<WebStub>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: Vec<u32>,
    unexpected: Vec<String>,
}

impl StubWeb {
    pub(crate) fn new(stubs: Vec<WebStub>) -> Self {
        let used = vec![0; stubs.len()];
        Self { stubs, state: Mutex::new(State { used, unexpected: vec![] }) }
    }

    pub(crate) fn take_unexpected(&self) -> Vec<String> {
        self.with(|state| std::mem::take(&mut state.unexpected))
    }

    /// Prepared answers with a wrong number of requests, and that number.
    pub(crate) fn wrong_counts(&self) -> Vec<(&WebStub, u32)> {
        let used = self.with(|state| state.used.clone());
        let counted = self.stubs.iter().zip(used);
        counted.filter(|(stub, used)| stub.expect.is_some_and(|expect| expect != *used)).collect()
    }

    pub(crate) fn prepared_requests(&self) -> Vec<String> {
        self.stubs.iter().map(WebStub::request).collect()
    }

    /// Each answer is used as often as expected. The last match continues to answer and is then reported as a wrong number.
    fn find(&self, state: &State, request: &HttpRequest) -> Option<usize> {
        let fitting = |stub: &WebStub| stub.fits(request);
        let open = |(stub, used): (&WebStub, &u32)| fitting(stub) && stub.expect.is_none_or(|expect| *used < expect);
        let open = self.stubs.iter().zip(&state.used).position(open);
        open.or_else(|| self.stubs.iter().rposition(fitting))
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock())
    }
}

#[async_trait]
impl OutgoingHttp for StubWeb {
    async fn send(&self, _client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.with(|state| {
            let index = self.find(state, &request);
            let found = index.and_then(|index| Some((self.stubs.get(index)?, state.used.get_mut(index)?)));
            match found {
                Some((stub, used)) => {
                    *used += 1;
                    if stub.is_too_late(&request) { Err(HttpFault::TimedOut) } else { stub.answer.clone() }
                }
                None => {
                    state.unexpected.push(format!("{} {}", request.method, request.url));
                    Err(HttpFault::Failed("the test has no answer for this request".to_owned()))
                }
            }
        })
    }
}

/// Real requests, also to private addresses, because this is the author's own machine.
pub(crate) struct RealWeb(pub(crate) GuardedClient);

#[async_trait]
impl OutgoingHttp for RealWeb {
    async fn send(&self, _client: ClientId, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let call = GuardedRequest {
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body.unwrap_or_default().into(),
            max_response_bytes: request.most_bytes,
            timeout: Some(request.timeout),
            allow_private: true,
        };
        match self.0.request(call).await {
            Ok(answer) => {
                Ok(HttpResponse { status: answer.status, headers: answer.headers, body: answer.body.to_vec() })
            }
            Err(PostError::Timeout) => Err(HttpFault::TimedOut),
            Err(PostError::BodyTooLarge { .. }) => Err(HttpFault::TooLarge),
            Err(other) => Err(HttpFault::Failed(other.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        for (pattern, text, fits) in [
            ("https://a.example/x", "https://a.example/x", true),
            ("https://a.example/x", "https://a.example/x/", false),
            ("https://a.example/*", "https://a.example/", true),
            ("https://*/orders/*?full=1", "https://a.example/orders/7?full=1", true),
            ("https://*/orders/*?full=1", "https://a.example/orders/7", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
