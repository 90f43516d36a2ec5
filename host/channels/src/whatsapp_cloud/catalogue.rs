//! The template catalogue of a WhatsApp business account (PROVIDERS F).

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;

use super::{CloudApi, GraphError};

const FIELDS: &str = "id,name,language,status,category,parameter_format,components,quality_score,rejected_reason";
const PAGE_SIZE: &str = "100";
/// An account has at most 6,000 templates. A longer listing runs in circles.
const MAX_PAGES: usize = 250;

#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueTemplate {
    pub id: String,
    /// Unique only together with the language.
    pub name: String,
    pub language: String,
    /// `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, ...
    pub status: String,
    /// `MARKETING`, `UTILITY`, `AUTHENTICATION`.
    pub category: String,
    pub parameter_format: String,
    pub components: Value,
    pub quality: Option<String>,
    /// The reason of a rejection; absent if it was not rejected.
    pub rejected_reason: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    data: Vec<Value>,
    #[serde(default)]
    paging: Option<Paging>,
}

#[derive(Deserialize)]
struct Paging {
    #[serde(default)]
    cursors: Option<Cursors>,
    #[serde(default)]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Cursors {
    #[serde(default)]
    after: Option<String>,
}

impl Page {
    /// `next` shows if there is a next page; its URL is not followed, because it names the host and repeats the token.
    fn after(&self) -> Option<&str> {
        let paging = self.paging.as_ref()?;
        paging.next.as_ref()?;
        paging.cursors.as_ref()?.after.as_deref()
    }
}

impl CloudApi {
    /// All templates of an account, page by page until the end. Entries without an id, name or language are skipped.
    pub async fn templates(&self, waba_id: &str, access_token: &str) -> Result<Vec<CatalogueTemplate>, GraphError> {
        let mut templates = Vec::new();
        let mut after: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let mut call = self
                .call(Method::GET, &[waba_id, "message_templates"], access_token)
                .query(&[("fields", FIELDS), ("limit", PAGE_SIZE)]);
            if let Some(cursor) = &after {
                call = call.query(&[("after", cursor)]);
            }
            let page: Page = self.read(call).await?;
            templates.extend(page.data.iter().filter_map(template));
            match page.after() {
                Some(next) if Some(next) != after.as_deref() => after = Some(next.to_owned()),
                Some(_) => return Err(GraphError::Unreadable("the template listing repeats its cursor".to_owned())),
                None => return Ok(templates),
            }
        }
        Err(GraphError::Unreadable(format!("the template listing does not end after {MAX_PAGES} pages")))
    }
}

fn template(entry: &Value) -> Option<CatalogueTemplate> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let id = match entry.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => String::new(),
    };
    let (Some(name), Some(language), false) = (text("name"), text("language"), id.is_empty()) else {
        tracing::warn!(template.id = %id, "skipped a template without an id, name or language");
        return None;
    };
    let quality = match entry.get("quality_score") {
        Some(Value::String(score)) => Some(score.clone()),
        Some(score) => score.get("score").and_then(Value::as_str).map(str::to_owned),
        None => None,
    };
    Some(CatalogueTemplate {
        id,
        name,
        language,
        status: text("status").unwrap_or_else(|| "UNKNOWN".to_owned()),
        category: text("category").unwrap_or_default(),
        parameter_format: text("parameter_format").unwrap_or_else(|| "POSITIONAL".to_owned()),
        components: entry.get("components").cloned().unwrap_or_else(|| Value::Array(Vec::new())),
        quality,
        rejected_reason: text("rejected_reason").filter(|reason| reason != "NONE"),
    })
}
