//! An authority of the tests' own, for TLS that is judged.

use std::{path::PathBuf, process::Command};

use tempfile::TempDir;

/// An authority, and a certificate of it for this machine: files in PEM form, made by `openssl`.
pub struct Authority {
    folder: TempDir,
}

impl Authority {
    /// A new one.
    ///
    /// # Panics
    ///
    /// When `openssl` is missing or fails.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let names = "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n";
        std::fs::write(folder.path().join("names"), names).unwrap();
        let openssl = |arguments: &str| {
            let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder.path()).output().unwrap();
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        };
        let new_key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        openssl(&format!("req -x509 {new_key} -days 2 -subj /CN=Authority -keyout ca.key -out ca.pem"));
        openssl(&format!("req {new_key} -subj /CN=localhost -keyout key.pem -out request.pem"));
        let signed = "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names";
        openssl(&format!("{signed} -out cert.pem"));
        Self { folder }
    }

    fn file(&self, name: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        path.to_str().expect("temporary folders have plain names").to_owned()
    }

    /// The file of its own certificate.
    pub fn certificate(&self) -> String {
        self.file("ca.pem")
    }

    /// The files of the certificate for `localhost` and 127.0.0.1, and of its key.
    pub fn of_this_machine(&self) -> (String, String) {
        (self.file("cert.pem"), self.file("key.pem"))
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}
