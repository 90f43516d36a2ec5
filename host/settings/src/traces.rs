use std::collections::HashMap;

use http::{HeaderName, HeaderValue};

use super::{
    Settings,
    secret::{BaseUrl, Secret},
    section::section,
};

section! {
    /// Traces for an OpenTelemetry collector.
    Traces {
        /// Base URL of a collector that takes OTLP over HTTP as protobuf, such as `http://127.0.0.1:4318`.
        endpoint: Option<BaseUrl> = None,
        /// Headers for the collector: `name=value`, separated by commas.
        headers: Secret = Secret::default(),
        /// Share of the traces that is sent, in percent. All processes choose the same ones.
        sample_percent: u32 = 100,
        /// Name of this service in traces.
        service_name: String = "patchbay".to_owned(),
    }
}

impl Settings {
    /// The headers for the collector. `Err` says which form is expected.
    pub fn trace_headers(&self) -> Result<HashMap<String, String>, &'static str> {
        const FORM: &str = "write it as name=value,name=value, for example \"authorization=Bearer TOKEN\"";
        let header = |header: &str| {
            let (name, value) = header.split_once('=').ok_or(FORM)?;
            let (name, value) = (name.trim(), value.trim());
            let fits = HeaderName::try_from(name).is_ok() && HeaderValue::try_from(value).is_ok();
            if fits { Ok((name.to_owned(), value.to_owned())) } else { Err(FORM) }
        };
        self.traces.headers.expose().split(',').map(str::trim).filter(|one| !one.is_empty()).map(header).collect()
    }
}
