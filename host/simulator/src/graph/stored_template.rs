use serde_json::{Map, Value, json};

use crate::{clock, identity};

#[derive(Debug, Clone)]
pub(crate) struct SimulatedTemplate {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) language: String,
    pub(crate) status: String,
    pub(crate) category: String,
    pub(crate) parameter_format: String,
    pub(crate) components: Value,
    pub(crate) quality: String,
    pub(crate) rejected_reason: String,
    pub(super) updated: i64,
}

impl SimulatedTemplate {
    /// An approved template. Its id depends only on WABA, name and language.
    pub(crate) fn new(waba_id: &str, name: &str, language: &str, category: &str, components: Value) -> Self {
        let seed = if language == "en" { format!("{waba_id}/{name}") } else { format!("{waba_id}/{name}/{language}") };
        Self {
            id: format!("{ID_PREFIX}{}", identity::stable_digits(&seed, 13)),
            name: name.to_owned(),
            language: language.to_owned(),
            status: "APPROVED".to_owned(),
            category: category.to_owned(),
            parameter_format: "POSITIONAL".to_owned(),
            components,
            quality: "UNKNOWN".to_owned(),
            rejected_reason: "NONE".to_owned(),
            updated: clock::now().timestamp(),
        }
    }

    pub(crate) fn component(&self, kind: &str) -> Option<&Value> {
        component(&self.components, kind)
    }

    pub(crate) fn touch(&mut self) {
        self.updated = clock::now().timestamp();
    }

    pub(crate) fn node(&self, fields: Option<&str>) -> Value {
        let all = json!({
            "id": self.id,
            "name": self.name,
            "language": self.language,
            "status": self.status,
            "category": self.category,
            "parameter_format": self.parameter_format,
            "components": self.components,
            "quality_score": {"score": self.quality, "date": self.updated},
            "rejected_reason": self.rejected_reason,
            "last_updated_time": self.updated,
        });
        let wanted = fields.unwrap_or("name,parameter_format,components,language,status,category");
        select(&all, wanted)
    }
}

/// Template ids have 17 digits and this prefix, which distinguishes them from number and media ids.
pub(crate) const ID_PREFIX: &str = "7700";

/// The fields in a comma-separated list, and `id`. Sub-field lists in braces are ignored.
pub(crate) fn select(node: &Value, fields: &str) -> Value {
    let mut shown = Map::new();
    for field in fields.split(',').chain(["id"]) {
        let field = field.trim().split(['{', '(', '.']).next().unwrap_or_default();
        if let Some(value) = node.get(field) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    Value::Object(shown)
}

pub(crate) fn component<'a>(components: &'a Value, kind: &str) -> Option<&'a Value> {
    components
        .as_array()?
        .iter()
        .find(|component| component.get("type").and_then(Value::as_str).is_some_and(|t| t.eq_ignore_ascii_case(kind)))
}
