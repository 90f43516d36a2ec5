//! The default key that encrypts secrets: a file of the data directory that only our account can read.

use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use anyhow::{Context as _, bail};
use base::secrets::{self, Sealer};
use settings::Settings;

const FILE: &str = "master.key";
/// The same of the key before, while it is replaced.
const PREVIOUS_FILE: &str = "master.key.previous";
const OF_OTHERS: u32 = 0o077;

/// The operator's key, or the generated one of the data directory, with the key before while it is replaced.
pub fn sealer(config: &Settings) -> anyhow::Result<Sealer> {
    let security = &config.security;
    if security.master_key.is_empty() {
        let key = of_data_dir(config.data_dir())?;
        return Ok(Sealer::with_previous(key, previous_of(config.data_dir())?.filter(|previous| *previous != key)));
    }
    let key = secrets::parse_master_key(security.master_key.expose())?;
    let previous = &security.previous_master_key;
    let previous = if previous.is_empty() { None } else { Some(secrets::parse_master_key(previous.expose())?) };
    Ok(Sealer::with_previous(key, previous))
}

/// The same for data that exists: a missing key is an error, because a new one opens nothing.
pub fn sealer_of_data(config: &Settings) -> anyhow::Result<Sealer> {
    let file = config.data_dir().join(FILE);
    if config.security.master_key.is_empty() && !file.exists() {
        bail!(
            "the master key is missing: put the file `{FILE}` of the installation into {}, or set `security.master_key`",
            config.data_dir().display()
        );
    }
    sealer(config)
}

/// Puts a new key into a data directory. The present key stays as the one before.
pub fn renew(data_dir: &Path) -> anyhow::Result<()> {
    of_data_dir(data_dir)?;
    let (file, previous, draft) = (data_dir.join(FILE), data_dir.join(PREVIOUS_FILE), data_dir.join("master.key.new"));
    let replaced = (|| {
        for remains in [&previous, &draft] {
            if remains.exists() {
                fs::remove_file(remains)?;
            }
        }
        write(&previous, &fs::read_to_string(&file)?)?;
        write(&draft, &secrets::generate_master_key().map_err(io::Error::other)?)?;
        fs::rename(&draft, &file)?;
        fs::File::open(data_dir)?.sync_all()
    })();
    replaced.with_context(|| format!("cannot put a new key into {}", data_dir.display()))
}

fn previous_of(data_dir: &Path) -> anyhow::Result<Option<[u8; 32]>> {
    let file = data_dir.join(PREVIOUS_FILE);
    match fs::read_to_string(&file) {
        Ok(text) => {
            let key = secrets::parse_master_key(&text);
            key.map(Some).with_context(|| format!("{} does not hold a key", file.display()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// The key of a data directory. If it is missing, key and directory are created. An existing one must be valid.
pub fn of_data_dir(data_dir: &Path) -> anyhow::Result<[u8; 32]> {
    let file = data_dir.join(FILE);
    let text = match fs::read_to_string(&file) {
        Ok(text) => {
            close_to_others(&file).with_context(|| format!("others can read {}; chmod 600 it", file.display()))?;
            text
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = secrets::generate_master_key()?;
            let created = DirBuilder::new().recursive(true).mode(0o700).create(data_dir);
            created.with_context(|| format!("cannot create {}", data_dir.display()))?;
            write(&file, &key).with_context(|| format!("cannot write {}", file.display()))?;
            key
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    secrets::parse_master_key(&text).with_context(|| format!("{} does not hold a key", file.display()))
}

/// The mode of a mounted secret, which belongs to another account, is the operator's decision.
fn close_to_others(file: &Path) -> io::Result<()> {
    if fs::metadata(file)?.permissions().mode() & OF_OTHERS == 0 {
        return Ok(());
    }
    match fs::set_permissions(file, Permissions::from_mode(0o600)) {
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            tracing::warn!(file = %file.display(), "other accounts can read the key that seals secrets");
            Ok(())
        }
        closed => closed,
    }
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_data_directory_and_its_key_are_made_for_one_account() {
        let parent = tempfile::tempdir().unwrap();
        let data_dir = parent.path().join("new/data");
        let key = of_data_dir(&data_dir).unwrap();
        assert_eq!((mode(&data_dir), mode(&data_dir.join("master.key"))), (0o700, 0o600));
        assert_eq!(of_data_dir(&data_dir).unwrap(), key, "it is read the next time");
    }

    #[test]
    fn a_renewed_key_opens_values_that_the_previous_key_sealed() {
        let data_dir = tempfile::tempdir().unwrap();
        let before = of_data_dir(data_dir.path()).unwrap();
        renew(data_dir.path()).unwrap();
        assert_ne!(of_data_dir(data_dir.path()).unwrap(), before);
        assert_eq!(previous_of(data_dir.path()).unwrap(), Some(before));
        assert_eq!(mode(&data_dir.path().join(PREVIOUS_FILE)), 0o600);
    }

    #[test]
    fn a_key_that_others_can_read_is_closed_to_them() {
        let data_dir = tempfile::tempdir().unwrap();
        of_data_dir(data_dir.path()).unwrap();
        let file = data_dir.path().join("master.key");
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        of_data_dir(data_dir.path()).unwrap();
        assert_eq!(mode(&file), 0o600);
    }
}
