//! Parameters of a call: in the query, as JSON, as a form, or as a form with files.

use std::collections::BTreeMap;

use axum::{
    extract::{FromRequest, Multipart, Request},
    http::header::CONTENT_TYPE,
};
use bytes::Bytes;
use serde_json::{Map, Value};

const LARGEST_BODY: usize = 60 << 20;

#[derive(Debug, Clone)]
pub(super) struct MultipartFile {
    pub(super) name: String,
    pub(super) mime_type: String,
    pub(super) bytes: Bytes,
}

#[derive(Debug, Default)]
pub(super) struct Params {
    pub(super) fields: Map<String, Value>,
    pub(super) files: BTreeMap<String, MultipartFile>,
}

impl Params {
    pub(super) async fn read(request: Request) -> Option<Self> {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.to_ascii_lowercase();
        let mut params = Self::default();
        params.add_form(query.as_bytes())?;
        if kind.starts_with("multipart/form-data") {
            params.add_parts(request).await?;
            return Some(params);
        }
        let body = axum::body::to_bytes(request.into_body(), LARGEST_BODY).await.ok()?;
        if kind.starts_with("application/json") {
            if let Value::Object(fields) = serde_json::from_slice(&body).ok()? {
                params.fields.extend(fields);
            }
        } else {
            params.add_form(&body)?;
        }
        Some(params)
    }

    fn add_form(&mut self, form: &[u8]) -> Option<()> {
        let address = format!("http://localhost/?{}", std::str::from_utf8(form).ok()?);
        let address = reqwest::Url::parse(&address).ok()?;
        let pairs = address.query_pairs().map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())));
        self.fields.extend(pairs);
        Some(())
    }

    async fn add_parts(&mut self, request: Request) -> Option<()> {
        let mut form = Multipart::from_request(request, &()).await.ok()?;
        while let Some(part) = form.next_field().await.ok()? {
            let name = part.name().unwrap_or_default().to_owned();
            match part.file_name().map(str::to_owned) {
                Some(file_name) => {
                    let mime_type = part.content_type().unwrap_or("application/octet-stream").to_owned();
                    let bytes = part.bytes().await.ok()?;
                    self.files.insert(name, MultipartFile { name: file_name, mime_type, bytes });
                }
                None => {
                    self.fields.insert(name, Value::String(part.text().await.ok()?));
                }
            }
        }
        Some(())
    }

    /// A text that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.fields.get(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        self.text(name)?.trim().parse().ok()
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.text(name)?.trim().parse().ok()
    }

    /// An object or list, also as text.
    pub(super) fn json(&self, name: &str) -> Option<Value> {
        match self.fields.get(name)? {
            Value::String(text) => serde_json::from_str(text).ok(),
            Value::Null => None,
            other => Some(other.clone()),
        }
    }

    /// The file of a parameter: a part with its name, or the part that it names.
    pub(super) fn upload(&self, name: &str) -> Option<&MultipartFile> {
        let attached = self.text(name).and_then(|text| text.strip_prefix("attach://").map(str::to_owned));
        self.files.get(attached.as_deref().unwrap_or(name))
    }

    pub(super) fn to_json(&self) -> Value {
        Value::Object(self.fields.clone())
    }
}
