//! More processes on the database of a program.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    NodeProcess, Patchbay,
    patchbay::{share_compiled_plugins, variable},
    process::Process,
    process_log::ProcessLog,
};

impl Patchbay {
    /// A second process on the same database, as a cluster has it.
    pub async fn second_node(&self) -> NodeProcess {
        self.node(self.command()).await
    }

    /// A second process as on another machine: it has the same key, and a data directory of its own.
    pub async fn node_elsewhere(&self) -> (NodeProcess, TempDir) {
        let home = self.home_elsewhere();
        let node = self.node_of(&self.program, home.path()).await;
        (node.unwrap_or_else(|log| panic!("the program ended:\n{log}")), home)
    }

    /// The home of a process on another machine, with the same key.
    pub fn home_elsewhere(&self) -> TempDir {
        let elsewhere = tempfile::tempdir().unwrap();
        share_compiled_plugins(&elsewhere);
        let key = Path::new("data").join("master.key");
        std::fs::copy(self.data_dir.path().join(&key), elsewhere.path().join(&key)).unwrap();
        elsewhere
    }

    /// A process of a build of the program on the same database. If it refuses to start, the answer is its log.
    pub async fn node_of(&self, program: &Path, home: &Path) -> Result<NodeProcess, String> {
        let mut command = self.command_of(program);
        command.env("PATCHBAY__DATA_DIR", home.join("data")).current_dir(home);
        command.env("PATCHBAY__SERVER__LISTEN", "127.0.0.1:0");
        Ok(Self::listening(Process::try_to_start("serve", command).await?))
    }

    /// A second process on the same database with other settings, such as HTTPS.
    pub async fn second_node_with(&self, settings: &[(&str, &str)]) -> NodeProcess {
        let mut command = self.command();
        command.envs(settings.iter().map(|(key, value)| (variable(key), value)));
        self.node(command).await
    }

    async fn node(&self, mut command: Command) -> NodeProcess {
        command.env("PATCHBAY__SERVER__LISTEN", "127.0.0.1:0");
        Self::listening(Process::start(command).await)
    }

    fn listening(process: Process) -> NodeProcess {
        let url = format!("{}://{}", process.scheme, process.address);
        NodeProcess { url, child: process.child, log: process.log }
    }

    /// A process that only works (`patchbay work`), for servers that only listen.
    pub fn worker(&self) -> NodeProcess {
        let mut command = self.command();
        command.arg("work").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        NodeProcess {
            url: String::new(),
            child: command.spawn().expect("the program starts"),
            log: ProcessLog::default(),
        }
    }

    /// The same with its address.
    pub async fn listening_worker(&self) -> NodeProcess {
        Self::listening(Process::start_as("work", self.command()).await)
    }
}
