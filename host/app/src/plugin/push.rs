use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use author::{
    Project,
    oci::{self, OciComponent},
    server::{RemoteServer, UploadParts},
};

use super::{
    arguments::PushArguments,
    offline_commands::stem,
    output::{StepProgress, built, print_line},
};

pub(super) async fn push(wanted: PushArguments) -> anyhow::Result<()> {
    let PushArguments { path, name, no_build, signature, json } = wanted;
    let source = PushSource::open(path)?;
    if no_build && !matches!(source, PushSource::Project(_)) {
        bail!("--no-build is for a project. A file and an artifact are uploaded as they are: leave it out");
    }
    // Checked before a long build.
    let server = RemoteServer::from_environment()?;
    let signature = signature.as_deref().map(read_signature).transpose()?;
    let (own, parts) = source.into_parts(no_build, signature).await?;
    let mut progress = StepProgress::new();
    let pushed = server.push_parts(name.as_deref().unwrap_or(&own), parts, &mut |text| progress.tell(text)).await;
    progress.done();
    let mut pushed = pushed?;
    if json {
        return print_line(serde_json::to_string_pretty(&pushed)?);
    }
    pushed.live_for = server.live_places(&pushed.name).await;
    print_line(pushed)
}

/// The place of the component that is uploaded.
enum PushSource {
    /// A reference to an OCI registry.
    Artifact(String),
    Project(Box<Project>),
    File(PathBuf),
}

impl PushSource {
    /// A project with the configuration of a built-in plugin has nothing to upload, and is refused.
    fn open(path: PathBuf) -> anyhow::Result<Self> {
        if let Some(reference) = path.to_str().filter(|text| text.starts_with(oci::SCHEME)) {
            return Ok(Self::Artifact(reference.to_owned()));
        }
        if !path.is_dir() {
            return Ok(Self::File(path));
        }
        let project = Project::open(&path)?;
        if let Some(built_in) = &project.built_in {
            bail!(
                "{built_in} is at every server: activate it with `patchbay plugin activate {built_in} --config FILE`"
            );
        }
        Ok(Self::Project(Box::new(project)))
    }

    /// The name of the component, and the parts of its upload.
    async fn into_parts(self, no_build: bool, signature: Option<String>) -> anyhow::Result<(String, UploadParts)> {
        let (name, component) = match self {
            Self::Artifact(reference) => {
                let OciComponent { name, component, manifest } =
                    oci::fetch(&reference, &oci::RegistryLogin::from_environment()).await?;
                return Ok((name, UploadParts { component, signature, source: Some(manifest) }));
            }
            Self::Project(project) => {
                let name = project.name.clone();
                (name, if no_build || signature.is_some() { project.component() } else { built(*project).await? })
            }
            Self::File(file) => (stem(&file), file),
        };
        let bytes = std::fs::read(&component).with_context(|| format!("cannot read {}", component.display()))?;
        Ok((name, UploadParts { component: bytes.into(), signature, source: None }))
    }
}

fn read_signature(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read the signature {}", file.display()))
}
