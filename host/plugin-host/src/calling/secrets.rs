//! Secrets in configurations. In a configuration as it is kept, `{"$sealed": "..."}` stands where a secret stood. It is
//! opened for the call alone: what is recorded of the call holds a placeholder wherever the secret was.

use std::borrow::Cow;

use domain::ids::ClientId;
use serde_json::{Map, Value};

use super::run::Answered;
use crate::error::CallError;
use crate::replaying::recording::{HostCall, HttpAnswer, KvAnswer, Recording};

/// The only name of the object that stands in a configuration where a secret stood.
pub const SEALED: &str = "$sealed";
/// Shorter secrets are left out of configurations, and not searched for elsewhere: they would be found everywhere.
const SHORTEST: usize = 4;

/// Opens the secrets of configurations.
pub trait SecretOpener: Send + Sync {
    /// The value that was sealed for this client.
    ///
    /// # Errors
    /// Why it cannot be opened, in words.
    fn open(&self, client: ClientId, sealed: &str) -> Result<Value, String>;
}

/// The text within an object that stands for a secret.
pub fn sealed(value: &Value) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get(SEALED)?.as_str()
}

/// A configuration with other values in the places of its secrets, as `with` says: it gets the place, as a JSON pointer,
/// and what is sealed there.
///
/// # Errors
/// Those of `with`.
pub fn replace_sealed<E>(
    config: &Value,
    place: &str,
    with: &mut impl FnMut(&str, &str) -> Result<Value, E>,
) -> Result<Value, E> {
    if let Some(sealed) = sealed(config) {
        return with(place, sealed);
    }
    Ok(match config {
        Value::Object(object) => {
            let replaced = object.iter().map(|(name, value)| {
                let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                Ok((name.clone(), replace_sealed(value, &place, with)?))
            });
            Value::Object(replaced.collect::<Result<Map<_, _>, E>>()?)
        }
        Value::Array(items) => {
            let replaced =
                items.iter().enumerate().map(|(at, item)| replace_sealed(item, &format!("{place}/{at}"), with));
            Value::Array(replaced.collect::<Result<_, E>>()?)
        }
        other => other.clone(),
    })
}

/// The configuration as a recording holds it: a placeholder wherever a secret is sealed.
pub(crate) fn covered(config: &str) -> Cow<'_, str> {
    let Some(parsed) = with_secrets(config) else { return Cow::Borrowed(config) };
    let covered = replace_sealed(&parsed, "", &mut |place, _| Ok::<_, ()>(Value::String(placeholder(place))));
    covered.map_or(Cow::Borrowed(config), |covered| Cow::Owned(covered.to_string()))
}

/// A configuration with its secrets open, and what has to be left out of recordings.
pub(crate) struct Uncovered {
    pub(crate) config: String,
    secrets: Vec<Secret>,
}

struct Secret {
    text: String,
    placeholder: String,
}

impl Uncovered {
    /// `None` = it has no secrets.
    pub(crate) fn of(
        config: &str,
        client: ClientId,
        opener: Option<&dyn SecretOpener>,
    ) -> Result<Option<Self>, String> {
        let Some(parsed) = with_secrets(config) else { return Ok(None) };
        let Some(opener) = opener else { return Err("this host has no key to open secrets with".to_owned()) };
        let mut secrets = Vec::new();
        let open = replace_sealed(&parsed, "", &mut |place, sealed| {
            let value = opener.open(client, sealed)?;
            note(&value, &placeholder(place), &mut secrets);
            Ok::<_, String>(value)
        })?;
        // One that holds another goes first.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.text.len()));
        Ok(Some(Self { config: open.to_string(), secrets }))
    }

    /// `config`: the configuration as it is kept.
    fn leave_out(&self, recording: &mut Recording, config: &str) {
        recording.config = covered(config).into_owned();
        recording.question = self.of_text(&recording.question);
        recording.result = self.of_result(&recording.result);
        for call in &mut recording.host_calls {
            match call {
                HostCall::KvGet { key, answer, .. } => {
                    *key = self.of_text(key);
                    if let KvAnswer::Value(value) = answer {
                        *value = self.of_bytes(value);
                    }
                }
                HostCall::KvList { wanted, keys, .. } => {
                    wanted.prefix = self.of_text(&wanted.prefix);
                    wanted.after = wanted.after.as_deref().map(|after| self.of_text(after));
                    keys.iter_mut().flatten().for_each(|key| *key = self.of_text(key));
                }
                HostCall::Http { url, headers, body, answer, .. } => {
                    *url = self.of_text(url);
                    self.of_headers(headers);
                    *body = body.take().map(|body| self.of_bytes(&body));
                    if let HttpAnswer::Response(response) = answer {
                        self.of_headers(&mut response.headers);
                        response.body = self.of_bytes(&response.body);
                    }
                }
            }
        }
    }

    /// Leaves the secrets out of what is kept of every call: what the plugin logged, printed and said of its failure.
    pub(crate) fn leave_out_of_outcome<A>(&self, outcome: &mut Result<Answered<A>, CallError>, config: &str) {
        if let Err(CallError::Trap { reason, .. }) = outcome {
            *reason = self.of_text(reason);
        }
        if let Err(CallError::Refused { error, .. }) = outcome {
            error.message = self.of_text(&error.message);
        }
        let trace = match outcome {
            Ok(answered) => Some(&mut answered.trace),
            Err(error) => error.trace_mut(),
        };
        let Some(trace) = trace else { return };
        trace.stderr = self.of_text(&trace.stderr);
        trace.logs.iter_mut().for_each(|line| line.message = self.of_text(&line.message));
        if let Some(recording) = &mut trace.recording {
            self.leave_out(recording, config);
        }
    }

    fn of_headers(&self, headers: &mut [(String, String)]) {
        for (_, value) in headers {
            *value = match value.strip_prefix("Basic ").and_then(decoded) {
                Some(pair) => format!("Basic {}", encoded(&self.of_bytes(&pair))),
                None => self.of_text(value),
            };
        }
    }

    /// The values that a call writes stand in its result in base64.
    fn of_result(&self, result: &str) -> String {
        let mut changed = self.of_text(result);
        let parsed: Value = serde_json::from_str(result).unwrap_or_default();
        for write in parsed.get("writes").and_then(Value::as_array).into_iter().flatten() {
            let Some(value) = write.get("value").and_then(Value::as_str) else { continue };
            let Some(bytes) = decoded(value) else { continue };
            let left_out = self.of_bytes(&bytes);
            if left_out != bytes {
                changed = changed.replace(&format!("\"{value}\""), &format!("\"{}\"", encoded(&left_out)));
            }
        }
        changed
    }

    fn of_text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.leave_out(text))
    }

    fn of_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.of_text(text).into_bytes(),
            Err(_) => self.secrets.iter().fold(bytes.to_vec(), |bytes, secret| secret.leave_out_of_bytes(&bytes)),
        }
    }
}

impl Secret {
    /// As it is, within JSON, and within an address.
    fn leave_out(&self, text: String) -> String {
        let quoted = Value::String(self.text.clone()).to_string();
        let within_json = quoted.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or_default();
        let within_address: String = url::form_urlencoded::byte_serialize(self.text.as_bytes()).collect();
        let percent_only = within_address.replace('+', "%20");
        let forms = [self.text.as_str(), within_json, &within_address, &percent_only];
        let found = |text: &str, form: &str| !form.is_empty() && text.contains(form);
        forms.into_iter().fold(text, |text, form| match found(&text, form) {
            true => text.replace(form, &self.placeholder),
            false => text,
        })
    }

    fn leave_out_of_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let (secret, mut rest, mut left) = (self.text.as_bytes(), bytes, Vec::with_capacity(bytes.len()));
        while let Some((first, others)) = rest.split_first() {
            match rest.strip_prefix(secret) {
                Some(behind) => {
                    left.extend_from_slice(self.placeholder.as_bytes());
                    rest = behind;
                }
                None => {
                    left.push(*first);
                    rest = others;
                }
            }
        }
        left
    }
}

/// The configuration as JSON, if there is anything sealed in it.
fn with_secrets(config: &str) -> Option<Value> {
    config.contains(SEALED).then(|| serde_json::from_str(config).ok()).flatten()
}

/// Every text and number of a secret.
fn note(value: &Value, placeholder: &str, secrets: &mut Vec<Secret>) {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => return items.iter().for_each(|item| note(item, placeholder, secrets)),
        Value::Object(object) => return object.values().for_each(|item| note(item, placeholder, secrets)),
        Value::Bool(_) | Value::Null => return,
    };
    if text.len() >= SHORTEST {
        secrets.push(Secret { text, placeholder: placeholder.to_owned() });
    }
}

/// What stands in the place of a secret: it needs no escaping in JSON, nor in an address.
fn placeholder(place: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "/-_.".contains(letter) { letter } else { '_' };
    format!("(secret:{})", place.chars().map(plain).collect::<String>())
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
