//! The origin of an uploaded version of a plugin, as it is stored with the version.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A valid signature of a version, made with one of the keys that the client had at the upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionSignature {
    /// The signature file of minisign.
    pub text: String,
    /// Name of the key at the upload.
    pub key: String,
    /// SHA-256 of the public key, in hexadecimal.
    pub fingerprint: String,
}

/// The source of a version, and the notes in its component.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionOrigin {
    pub notes: ComponentNotes,
    /// `None`: the bytes came from the uploader alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<OciSource>,
}

/// The artifact of an OCI registry that contains the component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OciSource {
    /// Its reference. The digest is that of the manifest, which names the digest of the component.
    #[schema(examples(
        "oci://registry.example/team/hello@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    ))]
    pub reference: String,
    /// The annotations `org.opencontainers.image.*` of the manifest, without this beginning.
    pub annotations: BTreeMap<String, String>,
}

/// Most characters of a note. The rest is cut.
const LONGEST_NOTE: usize = 300;

/// A note as one line that PostgreSQL can store.
pub fn note_line(text: &str) -> String {
    let plain = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    plain.take(LONGEST_NOTE).collect::<String>().trim().to_owned()
}

/// Notes that authors and their tools leave in a component. Patchbay does not check them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ComponentNotes {
    /// The tools that made it, from the sections `producers` of the component and the modules in it.
    pub tools: Vec<ToolNote>,
    /// Licences, usually as SPDX expressions, from the sections `licenses` of the component and the modules in it.
    #[schema(examples("Apache-2.0"))]
    pub licenses: Vec<String>,
    /// Its authors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authors: Option<String>,
    /// A description for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Version that the author gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Revision of its source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Address of its source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Address of a page about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
}

impl ComponentNotes {
    /// The licences in one line.
    pub fn licenses_text(&self) -> String {
        if self.licenses.is_empty() { "none named".to_owned() } else { self.licenses.join(", ") }
    }

    /// The tools in one line.
    pub fn tools_text(&self) -> String {
        let tools: Vec<String> = self.tools.iter().map(ToolNote::to_string).collect();
        if tools.is_empty() { "none named".to_owned() } else { tools.join(", ") }
    }
}

/// A tool that made a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolNote {
    /// `language`, `processed-by` or `sdk`.
    #[schema(examples("processed-by"))]
    pub role: String,
    /// Its name.
    #[schema(examples("rustc"))]
    pub name: String,
    /// Its version, which may be empty.
    #[schema(examples("1.95.0"))]
    pub version: String,
}

impl fmt::Display for ToolNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, .. } = self;
        if version.is_empty() { f.write_str(name) } else { write!(f, "{name} {version}") }
    }
}
