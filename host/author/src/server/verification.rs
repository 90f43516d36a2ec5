use std::fmt;

use serde::Deserialize;
use serde_json::json;

use super::{RemoteServer, ServerAnswer, ServerError, SignatureEntry, size};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    pub name: String,
    pub version: u32,
    pub world: String,
    pub sha256: String,
    pub stored_sha256: Option<String>,
    pub size: u64,
    pub imports: Vec<String>,
    /// `VALID`, `ABSENT`, `KEY_REMOVED` or `MISMATCH`.
    pub signature_state: String,
    pub signature: Option<SignatureEntry>,
    /// Whether the stored component is the uploaded one and its signature is valid or not needed.
    pub intact: bool,
    pub problems: Vec<String>,
    pub created_time: String,
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, world, sha256, created_time, .. } = self;
        writeln!(f, "{name} version {version}: {world}, {}, uploaded {created_time}", size(self.size))?;
        writeln!(f, "  sha256 at the upload:  {sha256}")?;
        writeln!(f, "  sha256 of its bytes:   {}", self.stored_sha256.as_deref().unwrap_or("nothing is stored"))?;
        writeln!(f, "  imports:{}", if self.imports.is_empty() { " nothing" } else { "" })?;
        for import in &self.imports {
            writeln!(f, "    {import}")?;
        }
        match (&self.signature, self.signature_state.as_str()) {
            (Some(signature), "VALID") => writeln!(f, "  signature: valid, {signature}")?,
            (Some(signature), _) => writeln!(f, "  signature: not valid, {signature}")?,
            (None, _) => writeln!(f, "  signature: none")?,
        }
        match self.intact {
            true => write!(f, "The stored component is the one that was uploaded."),
            false => {
                write!(f, "The stored version has problems:")?;
                self.problems.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
            }
        }
    }
}

impl RemoteServer {
    pub async fn verify(&self, name: &str, version: Option<u32>) -> Result<ServerAnswer<Verification>, ServerError> {
        let body = json!({"version": version});
        self.answer("POST", Self::path(name, "/verify")?, Some(&body)).await
    }
}
