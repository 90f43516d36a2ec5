//! Compiled code on disk.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plugin_host::{HostConfig, HostError, NoKeyValues, PluginHost};

use crate::support::{call, client, guest, hostile_version, limits, only_text, says, session};

async fn start(cache: &Path, plugins: &Path) -> Result<Arc<PluginHost>, HostError> {
    let plugins_dir = Some(plugins.to_owned());
    let config = HostConfig { plugins_dir, limits: limits(), built_ins: false, ..HostConfig::new(cache) };
    PluginHost::start(config).await
}

async fn answers(host: &PluginHost) -> bool {
    let outcome = host.chatbot(call("hostile"), &says("hello"), &session(), Arc::new(NoKeyValues)).await;
    only_text(&outcome.unwrap().actions) == "echo hello"
}

fn files(cache: &Path, ending: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

fn written(path: &Path) -> SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn compiled_code_is_kept_for_the_next_start_and_closed_to_others() {
    let (cache, plugins) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(plugins.path().join("hostile.wasm"), guest("hostile_bot")).unwrap();
    fs::set_permissions(cache.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(answers(&start(cache.path(), plugins.path()).await.unwrap()).await);
    let code = files(cache.path(), "cwasm");
    assert_eq!((code.len(), files(cache.path(), "seal").len()), (1, 1));
    assert_eq!(fs::metadata(cache.path()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(&code[0]).unwrap().mode() & 0o777, 0o600);

    let before = written(&code[0]);
    assert!(answers(&start(cache.path(), plugins.path()).await.unwrap()).await);
    assert_eq!(written(&code[0]), before, "nothing was compiled again");
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_foreign_or_unsealed_code_is_compiled_again() {
    let (cache, plugins) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(plugins.path().join("hostile.wasm"), guest("hostile_bot")).unwrap();
    drop(start(cache.path(), plugins.path()).await.unwrap());
    let (code, seal) = (files(cache.path(), "cwasm").remove(0), files(cache.path(), "seal").remove(0));
    let whole = fs::read(&code).unwrap();
    let damage: [&dyn Fn(); 4] = [
        &|| {
            let mut bytes = whole.clone();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&code, bytes).unwrap();
        },
        &|| fs::write(&code, &whole[..whole.len() / 2]).unwrap(),
        &|| fs::write(&seal, "made up").unwrap(),
        &|| fs::set_permissions(&code, fs::Permissions::from_mode(0o666)).unwrap(),
    ];
    for (number, damage) in damage.iter().enumerate() {
        damage();
        let inode = fs::metadata(&code).unwrap().ino();
        assert!(answers(&start(cache.path(), plugins.path()).await.unwrap()).await, "damage {number}");
        assert_ne!(fs::metadata(&code).unwrap().ino(), inode, "damage {number} must be noticed");
        assert_eq!(fs::metadata(&code).unwrap().mode() & 0o777, 0o600);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leftovers_of_an_interrupted_write_are_removed_and_a_write_in_progress_is_not() {
    let (cache, plugins) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (old, young) = (cache.path().join(".1-0"), cache.path().join(".2-0"));
    fs::write(&old, "half").unwrap();
    fs::write(&young, "half").unwrap();
    let long_ago = written(&young) - Duration::from_secs(3_600);
    fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    drop(start(cache.path(), plugins.path()).await.unwrap());
    assert_eq!((old.exists(), young.exists()), (false, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_hosts_open_one_cache_at_once() {
    let (cache, plugins) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(plugins.path().join("hostile.wasm"), guest("hostile_bot")).unwrap();
    let mut starting = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let (cache, plugins) = (cache.path().to_owned(), plugins.path().to_owned());
        starting.spawn(async move { answers(&start(&cache, &plugins).await.unwrap()).await });
    }
    assert_eq!(starting.join_all().await, [true; 6]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_cache_is_reported_at_the_start() {
    let (place, plugins) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = place.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let error = start(&file.join("cache"), plugins.path()).await.err().unwrap();
    assert!(matches!(error, HostError::Cache { .. }));
    assert!(error.to_string().contains("make the directory writable"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_least_recently_used_entry_is_removed_first() {
    let cache = tempfile::tempdir().unwrap();
    let start = async |cache_bytes| {
        let config = HostConfig { limits: limits(), built_ins: false, cache_bytes, ..HostConfig::new(cache.path()) };
        PluginHost::start(config).await.unwrap()
    };
    let examine = async |host: &PluginHost, number| {
        let examined = host.examine(client(1), "bot", hostile_version(number)).await.unwrap();
        examined.sha256
    };
    let names = || files(cache.path(), "cwasm").iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let kept = |sha256: &str| names().iter().any(|name| name.contains(sha256));

    let roomy = start(u64::MAX).await;
    let first = examine(&roomy, 1).await;
    let size = fs::metadata(&files(cache.path(), "cwasm")[0]).unwrap().len();
    let room_for_two = start(size * 5 / 2).await;
    let second = examine(&room_for_two, 2).await;
    assert!(kept(&first) && kept(&second), "two fit");
    examine(&room_for_two, 1).await;
    let third = examine(&room_for_two, 3).await;
    assert!(kept(&first) && !kept(&second) && kept(&third), "{:?}", names());
    assert_eq!(files(cache.path(), "seal").len(), 2);

    start(size).await;
    assert_eq!(names().len(), 0, "a start makes room too: ninety percent of one is none");
    assert_eq!(examine(&room_for_two, 2).await, second, "and what is gone is compiled again");
}
