//! The initial state of a test.

use std::{path::Path, time::Duration};

use chrono::{DateTime, TimeDelta, TimeZone as _, Utc};
use domain::contact_attribute::AttributeDefinition;
use plugin_host::{EVERY_HOST, HttpFault, HttpLimits, HttpResponse, Scope, World, Zone, json::WorldQuestion};
use serde_json::{Value, json};

use super::{attributes::read_attributes, config_place::ConfigPlace};
use crate::{
    local_run::{chat, time, values::LocalValues, web::WebStub},
    yaml::{YamlContent, YamlFault, YamlFields, YamlNode},
};

pub(super) const FIELDS: [&str; 10] = [
    "config",
    "config file",
    "now",
    "time zone",
    "session",
    "attributes",
    "kv",
    "http",
    "allowed hosts",
    "http limits",
];

/// Values by scope and key; `None` = absent.
pub(super) type StoredValues = Vec<(Scope, String, Option<Value>)>;

#[derive(Debug, Clone)]
pub(super) struct TestSetup {
    pub(super) config: String,
    pub(super) config_place: ConfigPlace,
    pub(super) now: DateTime<Utc>,
    pub(super) zone: Zone,
    /// The fields of the session that the file gives, in JSON.
    pub(super) session: Value,
    /// `None`: every attribute is accepted.
    pub(super) attributes: Option<Vec<AttributeDefinition>>,
    pub(super) stored: StoredValues,
    pub(super) stubs: Vec<WebStub>,
    pub(super) allowed_hosts: Vec<String>,
    pub(super) http_limits: HttpLimits,
}

/// The fields of a test, those of its file, and the folder of the file.
#[derive(Clone, Copy)]
pub(super) struct SetupFields<'a> {
    pub(super) test: YamlFields<'a>,
    pub(super) file: YamlFields<'a>,
    pub(super) folder: &'a Path,
}

/// Reads the fields of a test. If a field is absent, that of its file counts.
pub(super) fn read(fields: SetupFields<'_>) -> Result<TestSetup, YamlFault> {
    let get = |name: &str| fields.test.get(name).or_else(|| fields.file.get(name));
    let stubs = get("http").map(|node| node.list("http")?.iter().map(stub).collect::<Result<Vec<_>, _>>());
    let stubs = stubs.transpose()?.unwrap_or_default();
    let allowed = get("allowed hosts").map(|node| {
        let hosts = node.list("allowed hosts")?.iter();
        hosts.map(|host| host.text("allowed hosts")).collect::<Result<Vec<_>, _>>()
    });
    // Every request reaches the prepared answers, so that a report can name a request without one.
    let allowed_hosts = allowed.transpose()?.unwrap_or_else(|| vec![EVERY_HOST.to_owned()]);
    let mut session = get("session").map_or_else(|| json!({}), YamlNode::json);
    let attributes = get("attributes").map(|node| read_attributes(node, &mut session)).transpose()?;
    let (config, config_place) = config(fields)?;
    Ok(TestSetup {
        config: config.to_string(),
        config_place,
        now: get("now").map(moment).transpose()?.unwrap_or_else(default_start),
        zone: get("time zone").map(zone).transpose()?.unwrap_or(Zone::UTC),
        session,
        attributes,
        stored: get("kv").map(read_values).transpose()?.unwrap_or_default(),
        stubs,
        allowed_hosts,
        http_limits: get("http limits").map(http_limits).transpose()?.unwrap_or_default(),
    })
}

/// The configuration: written in the test file, or a JSON file named relative to it.
fn config(fields: SetupFields<'_>) -> Result<(Value, ConfigPlace), YamlFault> {
    for place in [fields.test, fields.file] {
        match (place.get("config"), place.get("config file")) {
            (Some(_), Some(node)) => return Err(node.fault("give `config` or `config file`, not both")),
            (Some(node), None) => return Ok((node.json(), ConfigPlace::Line(node.line))),
            (None, Some(node)) => {
                let path = fields.folder.join(node.text("config file")?);
                let fault = |reason: String| node.fault(format!("{}: {reason}", path.display()));
                let text = std::fs::read_to_string(&path).map_err(|reason| fault(reason.to_string()))?;
                let config = serde_json::from_str(&text).map_err(|reason| fault(reason.to_string()))?;
                return Ok((config, ConfigPlace::File { path, line: node.line }));
            }
            (None, None) => {}
        }
    }
    Ok((json!({}), ConfigPlace::Absent))
}

impl TestSetup {
    pub(super) fn conversation(&self) -> Result<chat::ChatSetup, String> {
        let event = json!({"type": "conversation-started"});
        let question = WorldQuestion::from_json(World::Chatbot, &event, &self.session);
        let question = question.map_err(|faults| fault_lines(&faults))?;
        let WorldQuestion::Chatbot { mut session, .. } = question else { return Err("this is no chatbot".to_owned()) };
        if self.session.get("state").is_none() {
            session.state.clear();
        }
        Ok(chat::ChatSetup {
            config: self.config.clone(),
            now: self.now,
            zone: self.zone,
            session: *session,
            attributes: self.attributes.clone(),
            values: self.values(),
            allowed_hosts: self.allowed_hosts.clone(),
            http_limits: self.http_limits,
        })
    }

    pub(super) fn values(&self) -> LocalValues {
        let values = LocalValues::default();
        for (scope, key, value) in &self.stored {
            if let Some(value) = value {
                values.put(*scope, key, super::expectation::value_text(value).into_bytes());
            }
        }
        values
    }
}

pub(super) fn fault_lines(faults: &[(String, String)]) -> String {
    let lines = faults.iter().map(|(path, message)| match path.is_empty() {
        true => message.clone(),
        false => format!("`{path}` {message}"),
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Monday, 5 January 2026, 09:00 UTC.
fn default_start() -> DateTime<Utc> {
    Utc.timestamp_opt(1_767_603_600, 0).single().unwrap_or_default()
}

pub(super) fn moment(node: &YamlNode) -> Result<DateTime<Utc>, YamlFault> {
    let text = node.text("now")?;
    let read = DateTime::parse_from_rfc3339(&text).map(|moment| moment.to_utc());
    read.map_err(|_| node.fault(format!("`{text}` is not a moment; write it like 2026-01-05T09:00:00Z")))
}

fn zone(node: &YamlNode) -> Result<Zone, YamlFault> {
    let text = node.text("time zone")?;
    Zone::parse(&text).ok_or_else(|| {
        node.fault(format!("`{text}` is not a time zone; write a name such as Africa/Johannesburg, or \"+02:00\""))
    })
}

pub(super) fn read_values(node: &YamlNode) -> Result<StoredValues, YamlFault> {
    let fields = node.fields("kv", &["participant", "client"])?;
    let mut stored = vec![];
    for (name, scope) in [("participant", Scope::Participant), ("client", Scope::Client)] {
        let Some(values) = fields.get(name) else { continue };
        for (key, value) in values.map(name)? {
            let value = (value.value != YamlContent::Null).then(|| value.json());
            stored.push((scope, key.clone(), value));
        }
    }
    Ok(stored)
}

const STUB_FIELDS: [&str; 10] =
    ["request", "with headers", "sends", "status", "headers", "body", "json", "fails", "expect", "after"];

fn stub(node: &YamlNode) -> Result<WebStub, YamlFault> {
    let fields = node.fields("http", &STUB_FIELDS)?;
    let named = fields.get("request").ok_or_else(|| node.fault("a prepared answer needs a `request`"))?;
    let request = named.text("request")?;
    let parts = request.split_once(' ').map(|(method, url)| (method.to_ascii_uppercase(), url.trim().to_owned()));
    let shape = |(_, url): &(String, String)| url.starts_with("http://") || url.starts_with("https://");
    let (method, url) = parts.filter(shape).ok_or_else(|| {
        named.fault(format!("`{request}` is not a request; write it like GET https://api.example.org/orders/*"))
    })?;
    Ok(WebStub {
        line: node.line,
        method,
        url,
        sends: fields.get("sends").map(YamlNode::json),
        with_headers: headers(fields, "with headers")?,
        answer: answer(fields)?,
        after: fields.get("after").map(delay).transpose()?.unwrap_or_default(),
        expect: fields.get("expect").map(|node| node.count("expect")).transpose()?,
    })
}

/// The limits that an activation would set.
fn http_limits(node: &YamlNode) -> Result<HttpLimits, YamlFault> {
    let fields = node.fields("http limits", &["requests", "response bytes", "timeout ms"])?;
    let bytes = fields.get("response bytes").map(|node| node.count("response bytes")).transpose()?;
    let millis = fields.get("timeout ms").map(|node| node.count("timeout ms")).transpose()?;
    Ok(HttpLimits {
        timeout: millis.map(|millis| Duration::from_millis(millis.into())),
        requests: fields.get("requests").map(|node| node.count("requests")).transpose()?,
        response_bytes: bytes.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
    })
}

fn delay(node: &YamlNode) -> Result<TimeDelta, YamlFault> {
    let text = node.text("after")?;
    time::span(&text).ok_or_else(|| node.fault(format!("`{text}` is not a duration; write one such as 40s or 1m")))
}

fn answer(fields: YamlFields<'_>) -> Result<Result<HttpResponse, HttpFault>, YamlFault> {
    if let Some(node) = fields.get("fails") {
        return match node.text("fails")?.as_str() {
            "timed out" => Ok(Err(HttpFault::TimedOut)),
            "too large" => Ok(Err(HttpFault::TooLarge)),
            other => Ok(Err(HttpFault::Failed(other.to_owned()))),
        };
    }
    let status = fields.get("status").map(|node| {
        let number = node.count("status")?;
        let status = u16::try_from(number).ok().filter(|status| (100..=599).contains(status));
        status.ok_or_else(|| node.fault("an HTTP status is a number from 100 to 599"))
    });
    let mut headers = headers(fields, "headers")?;
    let body = match (fields.get_nullable("json"), fields.get("body")) {
        (Some(node), Some(_)) => return Err(node.fault("give `json` or `body`, not both")),
        (Some(node), None) => {
            if !headers.iter().any(|(name, _)| name == "content-type") {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
            }
            node.json().to_string()
        }
        (None, Some(node)) => node.text("body")?,
        (None, None) => String::new(),
    };
    Ok(Ok(HttpResponse { status: status.transpose()?.unwrap_or(200), headers, body: body.into_bytes() }))
}

fn headers(fields: YamlFields<'_>, name: &str) -> Result<Vec<(String, String)>, YamlFault> {
    let Some(node) = fields.get(name) else { return Ok(vec![]) };
    let header = |(name, value): &(String, YamlNode)| Ok((name.to_ascii_lowercase(), value.text(name)?));
    node.map(name)?.iter().map(header).collect()
}
