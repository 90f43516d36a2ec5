//! Requests that a test does not expect, or misses.

use super::report::TestFailure;
use crate::local_run::web::StubWeb;

/// The failure if a prepared answer was requested too often or not often enough.
pub(super) fn check_counts(web: &StubWeb) -> Option<TestFailure> {
    let (stub, used) = web.wrong_counts().into_iter().next()?;
    Some(TestFailure {
        line: stub.line,
        step: format!("http: {}", stub.request()),
        difference: vec![
            format!("expected: {} requests", stub.expect.unwrap_or_default()),
            format!("got:      {used} requests"),
        ],
        ..TestFailure::default()
    })
}

pub(super) fn unexpected_lines(requests: &[String], web: &StubWeb) -> Vec<String> {
    let mut lines: Vec<String> = requests.iter().map(|request| format!("unexpected request: {request}")).collect();
    match web.prepared_requests() {
        none if none.is_empty() => lines.push("no answer is prepared under `http:`".to_owned()),
        prepared => lines.push(format!("prepared answers: {}", prepared.join(", "))),
    }
    lines
}
