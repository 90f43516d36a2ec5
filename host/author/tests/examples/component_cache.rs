//! Components of projects, cached by a hash of their sources.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

use author::{BuildError, Lang, Project, build};
use sha2::{Digest as _, Sha256};

const MADE: [&str; 5] = ["build", "target", "node_modules", "__pycache__", ".git"];

/// One build at a time, because compilers use all processors.
static BUILDING: Mutex<()> = Mutex::new(());

/// The component of a project. It is built unless one of the same sources exists.
pub fn component(project: &Project) -> Result<PathBuf, BuildError> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins-built");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = folder.join(format!("{}-{}.wasm", project.name, hash(project)));
    let _turn = BUILDING.lock();
    if !kept.is_file() {
        let began = std::time::Instant::now();
        let built = build::build(project, &mut |step| println!("{}: {step}", project.name))?;
        println!("{}: built in {:.1} s", project.name, began.elapsed().as_secs_f64());
        let unfinished = folder.join(format!(".{}.{}", project.name, std::process::id()));
        std::fs::copy(built, &unfinished).unwrap();
        std::fs::rename(&unfinished, &kept).unwrap();
    }
    Ok(kept)
}

/// All files of a project, in a fixed order, without build output.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if MADE.iter().any(|made| path.ends_with(made)) => {}
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// A hash of all inputs of a component: its sources, the interface, the build tools, and for Rust the SDK.
fn hash(project: &Project) -> String {
    let tree = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let mut parts = vec![
        project.root.clone(),
        tree.join("wit"),
        tree.join("host/author/src/build"),
        tree.join("host/author/vendor"),
    ];
    if project.lang == Lang::Rust {
        parts.push(tree.join("plugins/sdk"));
    }
    let mut hash = Sha256::new();
    for part in parts {
        for file in files(&part) {
            hash.update(file.strip_prefix(&part).unwrap().to_str().unwrap());
            hash.update(Sha256::digest(std::fs::read(&file).unwrap()));
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The folder of compiled code, which is that of `author::conversation::run`: Python takes half a minute.
pub fn compiled() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let of_user = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    of_user.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned()).join("patchbay/author")
}

/// The configuration schema that the plugin host finds in a component.
pub async fn examined(bytes: Vec<u8>) -> Option<serde_json::Value> {
    use plugin_host::{HostConfig, PluginHost};
    let host = PluginHost::start(HostConfig { built_ins: false, ..HostConfig::new(compiled()) }).await.unwrap();
    let examined = host.examine(domain::ids::ClientId(uuid::Uuid::nil()), "order-bot", bytes).await.unwrap();
    examined.config_schema.map(|schema| serde_json::from_str(&schema).unwrap())
}
