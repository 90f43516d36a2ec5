//! The program under test.

use std::{
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use reqwest::Method;
use serde_json::{Value, json};
use simulator::{CallbackLine, Simulator, SimulatorConfig};
use tempfile::TempDir;

use crate::{
    ClientReply, TestClient, TestPhone, outside_world,
    process::{self, Process},
    process_log::ProcessLog,
};

const APP_SECRET: &str = "app-secret-of-the-tests";
pub(crate) const MESSENGER_SECRET: &str = "messenger-secret-of-the-tests";
const VERIFY_TOKEN: &str = "verify-token-of-the-tests";

/// The changes of a test to the set-up.
#[derive(Debug, Clone, Default)]
pub struct PatchbaySetup {
    environment: Vec<(String, String)>,
    durable: bool,
    smpp: Vec<String>,
    descriptors: Option<u32>,
    program: Option<PathBuf>,
}

impl PatchbaySetup {
    /// The usual set-up.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a key of the configuration, such as `limits.max_recipients`.
    pub fn set(mut self, key: &str, value: &str) -> Self {
        self.environment.push((variable(key), value.to_owned()));
        self
    }

    /// Sets an environment variable that is not a key of the configuration.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Binds once more to the simulated SMSC, with these options. Without any it binds once, with none.
    pub fn bind(mut self, options: &str) -> Self {
        self.smpp.push(options.to_owned());
        self
    }

    /// A database whose commits are on the disk, for benchmarks.
    pub fn durable(mut self) -> Self {
        self.durable = true;
        self
    }

    /// Lets the program open so many files, connections among them, and no more.
    pub fn descriptors(mut self, most: u32) -> Self {
        self.descriptors = Some(most);
        self
    }

    /// Starts another build of the program, which migrates its database itself.
    pub fn program(mut self, program: &Path) -> Self {
        self.program = Some(program.to_owned());
        self
    }

    /// Gives the program the guests of `tests/guests` as plugins.
    pub fn with_guests(self) -> Self {
        let directory = crate::guests::directory();
        self.set("plugins.dir", directory.to_str().expect("the target directory has a plain name"))
    }

    /// Starts the program.
    pub async fn start(self) -> Patchbay {
        Patchbay::start_with(self).await
    }
}

/// The environment variable of a key of the configuration.
pub(crate) fn variable(key: &str) -> String {
    format!("PATCHBAY__{}", key.to_uppercase().replace('.', "__"))
}

/// The running program, its database and the world around it.
pub struct Patchbay {
    child: Option<Child>,
    log: ProcessLog,
    output: ProcessLog,
    environment: Vec<(String, String)>,
    descriptors: Option<u32>,
    pub(crate) program: PathBuf,
    pub(crate) data_dir: TempDir,
    database: scratch::Scratch,
    simulator: Simulator,
    address: SocketAddr,
    /// For requests.
    pub http: reqwest::Client,
}

impl Patchbay {
    /// Starts it with the usual set-up.
    pub async fn start() -> Self {
        PatchbaySetup::new().start().await
    }

    async fn start_with(setup: PatchbaySetup) -> Self {
        let database = match &setup.program {
            Some(_) => scratch::empty_database().await,
            None if setup.durable => scratch::durable_database().await,
            None => scratch::database().await,
        };
        let starting = Simulator::start(SimulatorConfig {
            listen: "127.0.0.1:0".parse().unwrap(),
            smsc_listen: "127.0.0.1:0".parse().unwrap(),
            callback_url: "http://127.0.0.1:1/not-yet".to_owned(),
            app_secret: APP_SECRET.to_owned(),
            verify_token: VERIFY_TOKEN.to_owned(),
            messenger: CallbackLine {
                url: "http://127.0.0.1:1/not-yet".to_owned(),
                app_secret: MESSENGER_SECRET.to_owned(),
                verify_token: VERIFY_TOKEN.to_owned(),
            },
            first_retry: SimulatorConfig::FIRST_RETRY,
        });
        let simulator = outside_world().spawn(starting).await.unwrap().unwrap();
        let data_dir = tempfile::tempdir().unwrap();
        share_compiled_plugins(&data_dir);
        let mut environment = standard_environment(&database, &data_dir, &simulator);
        if !setup.smpp.is_empty() {
            let bind = |options: &String| format!("smpp://patchbay:secret@{}?{options}", simulator.smsc_addr());
            let urls: Vec<String> = setup.smpp.iter().map(bind).collect();
            environment.push((variable("smpp.url"), urls.join(",")));
        }
        environment.extend(setup.environment);
        let mut patchbay = Self {
            child: None,
            log: ProcessLog::default(),
            output: ProcessLog::default(),
            environment,
            descriptors: setup.descriptors,
            program: setup.program.unwrap_or_else(binary),
            data_dir,
            database,
            simulator,
            address: "127.0.0.1:0".parse().unwrap(),
            http: reqwest::Client::new(),
        };
        patchbay.launch().await;
        patchbay
    }

    /// Starts the process and waits until it listens; a second start takes the port of the first.
    pub async fn launch(&mut self) {
        let process = Process::start(self.command()).await;
        (self.child, self.log, self.address) = (Some(process.child), process.log, process.address);
        self.output = process.output;
        self.callbacks_to(&self.url());
    }

    /// From now on the simulated providers call back at this base URL.
    pub fn callbacks_to(&self, base: &str) {
        self.simulator.set_callback_url(format!("{base}/providers/whatsapp-cloud/webhook"));
        self.simulator.set_messenger_callback_url(format!("{base}/providers/messenger/webhook"));
    }

    /// Sets a key of the configuration for the next start.
    pub fn set(&mut self, key: &str, value: &str) {
        self.environment.push((variable(key), value.to_owned()));
    }

    pub(crate) fn command(&self) -> Command {
        self.command_of(&self.program)
    }

    pub(crate) fn command_of(&self, program: &Path) -> Command {
        let mut command = match self.descriptors {
            None => Command::new(program),
            Some(most) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("ulimit -n {most} && exec \"$0\" \"$@\"")]).arg(program);
                shell
            }
        };
        let set = self.environment.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        command.envs(set).env("PATCHBAY__SERVER__LISTEN", self.address.to_string());
        command.env("PATCHBAY__SERVER__WORK_LISTEN", "127.0.0.1:0");
        command.current_dir(self.data_dir.path());
        command
    }

    /// Base URL of the program.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Base URL of the simulated providers and phones.
    pub fn simulator_url(&self) -> String {
        format!("http://{}", self.simulator.http_addr())
    }

    /// Where the simulated SMSC listens.
    pub fn smsc_address(&self) -> SocketAddr {
        self.simulator.smsc_addr()
    }

    /// URL of the database, for tests that look at what is stored.
    pub fn database_url(&self) -> &str {
        &self.database.url
    }

    /// The data directory.
    pub fn data_dir(&self) -> PathBuf {
        self.data_dir.path().to_owned()
    }

    /// The secret that signs provider callbacks.
    pub fn app_secret(&self) -> &'static str {
        APP_SECRET
    }

    /// Id of the process.
    pub fn process_id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// The log of the program since its last start.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Waits until the program has logged this text: an answer may arrive before its log line is read.
    pub async fn until_logged(&self, text: &str) {
        self.log.until_it_contains(text).await;
    }

    /// The standard output of the program since its last start, once it contains this text.
    pub async fn announces(&self, text: &str) -> String {
        self.output.until_it_contains(text).await;
        self.output.text()
    }

    /// The newest lines of its log, which a failing test shows. All of it may be megabytes.
    pub(crate) fn end_of_log(&self) -> String {
        let log = self.log();
        let newest: Vec<&str> = log.lines().rev().take(60).collect();
        newest.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// Runs a command and answers what it prints.
    pub fn printed(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?} failed: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs an administration command and answers the object that it prints.
    pub fn admin(&self, arguments: &[&str]) -> Value {
        let out = self.printed(arguments);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?} printed {out:?}: {error}"))
    }

    /// The same for a command that reads this from its standard input.
    pub fn admin_given(&self, arguments: &[&str], input: &str) -> Value {
        let mut command = self.command();
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?} failed");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs a command that reads these bytes from its standard input.
    pub fn output(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that fails early does not read all of it.
        drop(child.stdin.take().unwrap().write_all(input));
        child.wait_with_output().unwrap()
    }

    /// Makes a user of this role, and answers what the command prints of it: its key, among others.
    pub fn new_user(&self, client_ref: &str, email: &str, role: &str) -> Value {
        let names = ["--client", client_ref, "--email", email, "--name", role, "--role", role];
        self.admin(&[&["user", "create", "--password", "long enough"], &names[..]].concat())
    }

    /// Runs a command that must fail, and answers what it says on standard error.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?} did not fail with status 1");
        assert!(output.stdout.is_empty(), "{arguments:?} also printed on standard output");
        String::from_utf8(output.stderr).unwrap()
    }

    /// A client with an ADMIN user, without any number.
    pub fn bare_client(&self, client_ref: &str) -> TestClient {
        let email = format!("{client_ref}@example.com");
        let created = self.admin(&[
            "client",
            "create",
            "--ref",
            client_ref,
            "--name",
            client_ref,
            "--email",
            &email,
            "--password",
            "correct horse",
        ]);
        TestClient::new(self, client_ref, created["apiKey"].as_str().unwrap())
    }

    /// A client with a Cloud number and a synced template catalogue. `number` also makes its provider ids.
    pub async fn client(&self, client_ref: &str, number: &str) -> TestClient {
        let mut client = self.bare_client(client_ref);
        let (phone_number_id, waba_id) = (format!("1{number}"), format!("2{number}"));
        let body = json!({ "phoneNumberId": phone_number_id, "wabaId": waba_id, "number": number });
        self.simulate("/simulator/numbers", &body).await;
        let added = self.admin(&[
            "number",
            "add",
            "--client",
            client_ref,
            "--number",
            number,
            "--provider",
            "WHATSAPP_CLOUD",
            "--phone-number-id",
            &phone_number_id,
            "--waba-id",
            &waba_id,
            "--access-token",
            "token-of-the-tests",
        ]);
        client.sync_templates().await;
        client.adopt_number(number, added["whatsAppNumber"]["id"].as_str().unwrap()).await;
        client
    }

    /// Gives a client a Lite number, which is not connected yet. Answers its id.
    pub fn lite_number(&self, client: &TestClient, number: &str) -> String {
        let names = ["--client", &client.client_ref, "--number", number, "--provider", "WHATSAPP_LITE"];
        let added = self.admin(&[&["number", "add"], &names[..]].concat());
        added["whatsAppNumber"]["id"].as_str().unwrap().to_owned()
    }

    /// The simulated phone with this number.
    pub fn phone(&self, msisdn: &str) -> TestPhone {
        TestPhone::new(self.simulator_url(), msisdn, self.http.clone())
    }

    /// The sends that the simulated Graph API got for the number of a client, oldest first, refused ones included.
    pub async fn provider_sends(&self, client: &TestClient) -> Vec<Value> {
        let url = format!("{}/simulator/requests?kind=send", self.simulator_url());
        let log: Value = self.http.get(url).send().await.unwrap().json().await.unwrap();
        let node = format!("/1{}/messages", client.number);
        let requests = log["requests"].as_array().cloned().unwrap_or_default();
        requests.into_iter().filter(|request| request["path"].as_str().unwrap_or_default().ends_with(&node)).collect()
    }

    /// Posts to the simulator.
    pub async fn simulate(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.simulator_url());
        let response = self.http.post(url).json(body).send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "the simulator refused {path}: {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// Asks for a path with the headers given and no others.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> ClientReply {
        let mut request = self.http.request(method, format!("{}{path}", self.url())).body(body.into());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        ClientReply::to(request).await
    }

    /// GET without a key.
    pub async fn get(&self, path: &str) -> ClientReply {
        self.ask(Method::GET, path, &[], "").await
    }

    /// Moves the business clock.
    pub async fn advance_clock(&self, seconds: u64) {
        let url = format!("{}/testing/clock/advance", self.url());
        let response = self.http.post(url).json(&json!({ "seconds": seconds })).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.text().await.unwrap());
    }

    /// Kills the process at once, as a power cut would.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Asks the process to stop and answers its exit code.
    pub async fn terminate(&mut self) -> Option<i32> {
        let mut child = self.child.take().unwrap();
        process::terminate(&mut child, &self.log).await
    }
}

impl Drop for Patchbay {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
        if std::thread::panicking() {
            eprintln!("---- the end of the program's log ----\n{}", self.end_of_log());
        }
        self.database.retire();
    }
}

fn standard_environment(
    database: &scratch::Scratch,
    data_dir: &TempDir,
    simulator: &Simulator,
) -> Vec<(String, String)> {
    let smpp = format!("smpp://patchbay:secret@{}?name=simulator", simulator.smsc_addr());
    [
        ("PATCHBAY__DATABASE__URL", database.url.clone()),
        ("PATCHBAY__DATA_DIR", data_dir.path().join("data").display().to_string()),
        ("PATCHBAY__WHATSAPP_CLOUD__GRAPH_URL", format!("http://{}", simulator.http_addr())),
        ("PATCHBAY__WHATSAPP_CLOUD__APP_SECRET", APP_SECRET.to_owned()),
        ("PATCHBAY__WHATSAPP_CLOUD__VERIFY_TOKEN", VERIFY_TOKEN.to_owned()),
        ("PATCHBAY__MESSENGER__GRAPH_URL", format!("http://{}", simulator.http_addr())),
        ("PATCHBAY__MESSENGER__APP_SECRET", MESSENGER_SECRET.to_owned()),
        ("PATCHBAY__MESSENGER__VERIFY_TOKEN", VERIFY_TOKEN.to_owned()),
        ("PATCHBAY__TELEGRAM__API_URL", format!("http://{}/telegram", simulator.http_addr())),
        ("PATCHBAY__WHATSAPP_LITE__SIMULATOR_URL", format!("http://{}", simulator.http_addr())),
        ("PATCHBAY__SMPP__URL", smpp),
        ("PATCHBAY__TESTING__CLOCK", "true".to_owned()),
        ("PATCHBAY__WEBHOOKS__ALLOW_PRIVATE_TARGETS", "true".to_owned()),
        ("PATCHBAY__LOGGING__FILTER", "info,sqlx=warn".to_owned()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .to_vec()
}

/// Compiled plugins are the same for every test: one folder for all, or each start would compile them again.
pub(crate) fn share_compiled_plugins(data_dir: &TempDir) {
    let shared = binary().parent().unwrap().join("compiled-plugins-of-tests");
    std::fs::create_dir_all(&shared).unwrap();
    let data = data_dir.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::os::unix::fs::symlink(shared, data.join("compiled")).unwrap();
}

/// The binary next to the folder of this test; `make test` builds it first.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).expect("tests lie in target/<profile>/deps");
    let binary = profile.join("patchbay");
    assert!(binary.exists(), "{} is missing: run `cargo build --bin patchbay` first", binary.display());
    binary
}
