//! Limits of outgoing HTTP that an activation sets for its plugin, within those of the operator.

use std::{sync::Arc, time::Duration};

use super::limits::CallLimits;

/// `None` = the limit of the operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HttpLimits {
    /// Longest wait of `http.send`. `http.start` has deadlines of its own.
    pub timeout: Option<Duration>,
    /// Bytes of the body of one response.
    pub response_bytes: Option<usize>,
    /// Requests of one call.
    pub requests: Option<u32>,
}

/// A limit that an activation cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpLimitFault {
    /// `timeoutMs`, `responseBytes` or `requests`.
    pub field: &'static str,
    pub reason: String,
}

impl HttpLimits {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The limits that are zero or above those of the operator.
    pub fn faults(&self, operator: &CallLimits) -> Vec<HttpLimitFault> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let bytes = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let rows = [
            (
                "timeoutMs",
                self.timeout.map(millis),
                millis(operator.http_timeout),
                "`limits.plugin_http_timeout`; a call waits no longer",
            ),
            (
                "responseBytes",
                self.response_bytes.map(bytes),
                bytes(operator.http_response_bytes),
                "`limits.plugin_http_response_bytes`",
            ),
            (
                "requests",
                self.requests.map(u64::from),
                u64::from(operator.http_requests),
                "`limits.plugin_http_requests`",
            ),
        ];
        rows.into_iter()
            .filter_map(|(field, wanted, most, setting)| {
                let wanted = wanted.filter(|wanted| !(1..=most).contains(wanted))?;
                let reason = format!("is {wanted}; 1 to {most} are allowed ({setting})");
                Some(HttpLimitFault { field, reason })
            })
            .collect()
    }

    /// The limits of a call. The operator may have lowered a limit after the activation.
    pub(crate) fn within(&self, operator: &Arc<CallLimits>) -> Arc<CallLimits> {
        if self.is_empty() {
            return Arc::clone(operator);
        }
        Arc::new(CallLimits {
            http_timeout: self.timeout.unwrap_or(operator.http_timeout).min(operator.http_timeout),
            http_response_bytes: self
                .response_bytes
                .unwrap_or(operator.http_response_bytes)
                .min(operator.http_response_bytes),
            http_requests: self.requests.unwrap_or(operator.http_requests).min(operator.http_requests),
            ..CallLimits::clone(operator)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_above_those_of_the_operator_are_faults_with_their_fields() {
        let operator = CallLimits::default();
        let wanted = HttpLimits {
            timeout: Some(Duration::from_secs(60)),
            response_bytes: Some(operator.http_response_bytes),
            requests: Some(0),
        };
        let faults = wanted.faults(&operator);
        assert_eq!(faults.iter().map(|fault| fault.field).collect::<Vec<_>>(), ["timeoutMs", "requests"]);
        assert!(faults[0].reason.contains("1 to 3000 are allowed (`limits.plugin_http_timeout`"), "{faults:?}");
        assert!(HttpLimits::default().faults(&operator).is_empty());
    }

    #[test]
    fn a_limit_that_the_operator_lowered_later_holds() {
        let operator = Arc::new(CallLimits { http_requests: 2, ..CallLimits::default() });
        let wanted = HttpLimits { timeout: Some(Duration::from_secs(1)), requests: Some(5), ..HttpLimits::default() };
        let limits = wanted.within(&operator);
        assert_eq!((limits.http_timeout, limits.http_requests), (Duration::from_secs(1), 2));
        assert_eq!(limits.http_response_bytes, operator.http_response_bytes);
        assert!(Arc::ptr_eq(&HttpLimits::default().within(&operator), &operator));
    }
}
