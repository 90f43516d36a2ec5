//! Checks configurations against the JSON Schema that a plugin exports. The schema comes from a client, so it may refer
//! only to itself, and the cost of reading it and of each check is computed before.

mod compile_schema;
mod compiled_schema;
mod cost;
mod mark_names;
mod marks;
mod message;
mod patterns;
mod reference;
mod size;
#[cfg(test)]
mod tests;

use domain::body::FieldFault;
use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

pub use compiled_schema::CompiledSchema;
use cost::CheckRefused;
pub use message::shorten;
use reference::target;

pub(crate) const MOST_BYTES: usize = 64 * 1024;
const MOST_FAULTS: usize = 50;
/// Most bytes of a configuration.
pub(crate) const CONFIG_BYTES: usize = 64 * 1024;

/// Parses a schema, without checking if it can be used.
pub fn parse(text: &str) -> Result<Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("the schema of its configuration has {} bytes; {MOST_BYTES} are allowed", text.len()));
    }
    let schema: Value = serde_json::from_str(text)
        .map_err(|fault| format!("the schema of its configuration is not valid JSON: {fault}"))?;
    if text.contains("\\u0000") {
        return Err("the schema of its configuration contains a NUL character".to_owned());
    }
    only_refers_to_itself(&schema, &schema)?;
    Ok(schema)
}

/// The fault of a configuration that no schema can allow. `size` is that of its stored form, in bytes.
pub fn form_fault(config: &Value, size: usize) -> Option<FieldFault> {
    if !config.is_object() {
        return Some(FieldFault::new("config", "must be a JSON object"));
    }
    (size > CONFIG_BYTES).then(|| FieldFault::new("config", format!("has {size} bytes; {CONFIG_BYTES} are allowed")))
}

#[derive(Debug, Default)]
pub struct SchemaVerdict {
    pub faults: Vec<FieldFault>,
    /// The places of its secrets, as JSON pointers, none within another.
    pub secrets: Vec<String>,
}

impl SchemaVerdict {
    pub fn refused(field: &str, said: impl Into<String>) -> Self {
        Self { faults: vec![FieldFault::new(field, said)], secrets: Vec::new() }
    }
}

/// The secrets of the configuration that was in force before.
#[derive(Debug, Default)]
pub struct PreviousSecrets {
    pub secrets: Vec<String>,
    /// Whether the configuration to check is that one. Its secrets then stay secret, even if a newer schema does
    /// not mark them.
    pub is_kept: bool,
}

/// Checks a configuration. `shared` are the places of its shared secrets.
pub fn judge(compiled: &CompiledSchema, config: &Value, before: &PreviousSecrets, shared: &[String]) -> SchemaVerdict {
    let steps = match cost::of_check(compiled, config) {
        Ok(steps) => steps,
        Err(CheckRefused::Steps) => {
            let said = "cannot be checked against the plugin's schema: that would take too long; simplify one of them";
            return SchemaVerdict::refused("config", said);
        }
        Err(CheckRefused::Matches(member)) => return too_much_to_match(member.as_deref()),
    };
    let known = if before.is_kept { before.secrets.as_slice() } else { &[] };
    let secrets = match marks::secrets(compiled, config, known) {
        Ok(secrets) => secrets,
        Err(reason) => return SchemaVerdict::refused("config", reason),
    };
    // Before any violation is worded, because words repeat values that are not secret.
    let unmarked = unmarked(shared, &secrets);
    if !unmarked.is_empty() {
        return SchemaVerdict { faults: unmarked, secrets: Vec::new() };
    }
    let words =
        if secrets.is_empty() && before.secrets.is_empty() { Words::WithValues } else { Words::Without(&secrets) };
    let validator = &compiled.validator;
    let faults = if validator.is_valid(config) {
        Vec::new()
    } else if steps > cost::STEPS_TO_TELL_ALL {
        validator.validate(config).err().map(|error| words.of(&error)).into_iter().collect()
    } else {
        validator.iter_errors(config).take(MOST_FAULTS).map(|error| words.of(&error)).collect()
    };
    SchemaVerdict { faults, secrets }
}

/// The faults of shared secrets outside of the values that are secrets.
pub fn unmarked(shared: &[String], secrets: &[String]) -> Vec<FieldFault> {
    let outside = shared.iter().filter(|place| !secrets.iter().any(|secret| is_within(place, secret)));
    let said =
        "names a shared secret, which is only possible in a value that the plugin's schema marks `\"writeOnly\": true`";
    outside.take(MOST_FAULTS).map(|place| FieldFault::new(shorten(&format!("config{place}")), said)).collect()
}

/// Names only the member of the configuration, because a name within it may be part of a secret.
fn too_much_to_match(member: Option<&str>) -> SchemaVerdict {
    let field = member.map_or_else(|| "config".to_owned(), |member| shorten(&format!("config/{member}")));
    let said = format!(
        "would take too long to compare with the regular expressions of the plugin's schema: the length of each text times the \
         size of each expression that it is compared with may come to {} in a configuration; shorten the texts here, or simplify the \
         expressions in a new version of the plugin",
        cost::MOST_MATCHED
    );
    SchemaVerdict::refused(&field, said)
}

enum Words<'a> {
    /// With the faulty value.
    WithValues,
    /// Without values, because there are secrets in these places, and the value around a secret would reveal it.
    Without(&'a [String]),
}

impl Words<'_> {
    fn of(&self, error: &ValidationError<'_>) -> FieldFault {
        let place = error.instance_path().to_string();
        let (place, said) = match self {
            Self::WithValues => (place, error.to_string()),
            Self::Without(secrets) => match secrets.iter().find(|secret| is_within(&place, secret)) {
                Some(secret) => (secret.clone(), about_a_secret(error)),
                None => (place, error.masked_with("the value").to_string()),
            },
        };
        FieldFault::new(shorten(&format!("config{place}")), shorten(&said))
    }
}

fn is_within(place: &str, secret: &str) -> bool {
    place.strip_prefix(secret).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The names within a secret are secret too.
fn about_a_secret(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { .. }
        | ValidationErrorKind::UnevaluatedProperties { .. }
        | ValidationErrorKind::PropertyNames { .. } => {
            format!("the secret has members that `{}` does not allow", error.kind().keyword())
        }
        _ => error.masked_with("the secret").to_string(),
    }
}

/// External references are not followed, and `$id` would change the meaning of a reference.
fn only_refers_to_itself(schema: &Value, root: &Value) -> Result<(), String> {
    match schema {
        Value::Object(object) => {
            for word in ["$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"] {
                if object.get(word).is_some_and(Value::is_string) {
                    return Err(format!("the schema of its configuration uses `{word}`, which is not supported"));
                }
            }
            if let Some(Value::String(reference)) = object.get("$ref")
                && target(root, reference).is_none()
            {
                return Err(format!(
                    "the schema of its configuration refers to `{reference}`; only parts of itself can be referred to, \
                     as in `#/$defs/name`"
                ));
            }
            if !std::ptr::eq(schema, root) && object.get("$id").is_some_and(Value::is_string) {
                return Err("the schema of its configuration uses `$id` below its root".to_owned());
            }
            object.values().try_for_each(|value| only_refers_to_itself(value, root))
        }
        Value::Array(items) => items.iter().try_for_each(|item| only_refers_to_itself(item, root)),
        _ => Ok(()),
    }
}
