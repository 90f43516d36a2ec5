//! `patchbay plugin run`: a chat with the plugin in the terminal. Timers follow the real clock and HTTP requests are
//! real. After a source is saved or a new build appears, the new build answers from the next message on.

mod commands;
mod show;

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use channels::http::{ClientBuildError, GuardedClient, GuardedSettings};
use chrono::TimeDelta;
use domain::clock::Clock;
use plugin_host::{EVERY_HOST, HttpLimits, World, Zone, chatbot::Session, json::WorldQuestion};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    Project,
    build::BackgroundBuild,
    local_run::{
        ConfigRefusal, LoadedProgram, LocalError, LocalHost,
        chat::{ChatSetup, LocalChat},
        values::LocalValues,
        web::RealWeb,
    },
    watch::{ChangeWatch, WatchTarget},
};
use show::show;

pub struct Terminal {
    pub name: String,
    pub component: PathBuf,
    /// The project of the component. It is built again when a source changes.
    pub project: Option<Project>,
    pub config: Value,
    /// The place of the configuration, in words that follow a noun: `in config.json`.
    pub config_place: String,
    /// Hosts that it may reach. If empty, every host.
    pub allowed_hosts: Vec<String>,
    pub clock: Arc<dyn Clock>,
}

#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    #[error(transparent)]
    Local(#[from] LocalError),
    #[error(
        "this plugin is a {0}, and only chatbots have conversations; test it with `cases:` in a test file and `patchbay plugin test`"
    )]
    NoChatbot(World),
    #[error(transparent)]
    Web(#[from] ClientBuildError),
    #[error("{0}\nCorrect it, or the schema that the plugin exports.")]
    Config(ConfigRefusal),
    #[error("the conversation cannot start: {0}")]
    Session(String),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

enum TerminalEvent {
    Line(Option<String>),
    Due,
    Changed,
    Built(Result<(), String>),
}

impl Terminal {
    /// `lines` are the customer's; `prompt` is written before each. A plugin that fails is not an error.
    pub async fn talk(
        &self,
        mut lines: mpsc::UnboundedReceiver<String>,
        prompt: &str,
        out: &mut (dyn io::Write + Send),
    ) -> Result<(), TerminalError> {
        let local_host = LocalHost::start().await?;
        let loaded = local_host.load(&self.name, &self.component).await?;
        if loaded.world != World::Chatbot {
            return Err(TerminalError::NoChatbot(loaded.world));
        }
        self.check_config(&local_host, &loaded).await.map_err(TerminalError::Config)?;
        let client = local_host.client(Arc::new(RealWeb(GuardedClient::new(GuardedSettings::default())?)));
        let mut chat = LocalChat::new(&local_host, loaded.clone(), client, self.setup()?);
        // If watching fails, the chat continues without reloads.
        let mut watch = ChangeWatch::start(WatchTarget::of(self.project.as_ref(), &self.component)).ok();
        writeln!(out, "{}: write a message, a number taps a button, /help lists commands.", self.name)?;
        let mut build = BackgroundBuild::default();
        let mut ahead = TimeDelta::zero();
        loop {
            write!(out, "{prompt}")?;
            out.flush()?;
            let now = self.clock.now() + ahead;
            let due = chat.next_due().map(|due| (due - now).to_std().unwrap_or(Duration::ZERO));
            let next = tokio::select! {
                biased;
                built = build.finish() => TerminalEvent::Built(built),
                line = lines.recv() => TerminalEvent::Line(line),
                () = sleep(due) => TerminalEvent::Due,
                () = wait_for_change(&mut watch) => TerminalEvent::Changed,
            };
            let now = self.clock.now() + ahead;
            match next {
                TerminalEvent::Line(None) => return Ok(()),
                TerminalEvent::Line(Some(line)) => {
                    show(out, &chat.advance(now).await)?;
                    match commands::carry_out(&mut chat, line.trim(), out).await? {
                        commands::LineOutcome::GoOn => {}
                        commands::LineOutcome::Moved(by) => ahead += by,
                        commands::LineOutcome::Restart => {
                            chat = LocalChat::new(&local_host, chat.program().clone(), client, self.setup()?);
                            writeln!(out, "(a new conversation)")?;
                        }
                        commands::LineOutcome::Quit => return Ok(()),
                    }
                }
                TerminalEvent::Due => show(out, &chat.advance(now).await)?,
                TerminalEvent::Changed => match &self.project {
                    Some(project) if !build.is_running() => {
                        writeln!(out, "(a source has changed: building)")?;
                        build.start(project.clone());
                    }
                    Some(_) => {}
                    None => self.reload(&local_host, &mut chat, out).await?,
                },
                TerminalEvent::Built(Ok(())) => self.reload(&local_host, &mut chat, out).await?,
                TerminalEvent::Built(Err(reason)) => {
                    writeln!(out, "(the build failed, the chat goes on as it was)\n{reason}")?
                }
            }
        }
    }

    async fn reload(
        &self,
        local_host: &LocalHost,
        chat: &mut LocalChat<'_>,
        out: &mut (dyn io::Write + Send),
    ) -> Result<(), TerminalError> {
        match local_host.load(&self.name, &self.component).await {
            Ok(loaded) if loaded.world == World::Chatbot && loaded.plugin != *chat.plugin() => {
                match self.check_config(local_host, &loaded).await {
                    Ok(()) => {
                        let size = crate::server::size(loaded.size);
                        writeln!(out, "(reloaded, {size}; the conversation goes on)")?;
                        chat.replace_program(loaded);
                    }
                    Err(refusal) => writeln!(out, "(not reloaded: {refusal})")?,
                }
            }
            Ok(loaded) if loaded.world != World::Chatbot => {
                writeln!(out, "(the new build is a {}; the chat goes on as it was)", loaded.world)?;
            }
            Ok(_) => writeln!(out, "(built; nothing has changed)")?,
            Err(error) => writeln!(out, "(not reloaded: {error})")?,
        }
        Ok(())
    }

    async fn check_config(&self, local_host: &LocalHost, loaded: &LoadedProgram) -> Result<(), ConfigRefusal> {
        let faults = local_host.config_faults(loaded, &self.config).await;
        match faults.is_empty() {
            true => Ok(()),
            false => Err(ConfigRefusal { place: self.config_place.clone(), faults }),
        }
    }

    fn setup(&self) -> Result<ChatSetup, TerminalError> {
        let allowed_hosts = match self.allowed_hosts.as_slice() {
            [] => vec![EVERY_HOST.to_owned()],
            some => some.to_vec(),
        };
        Ok(ChatSetup {
            config: self.config.to_string(),
            now: self.clock.now(),
            zone: Zone::UTC,
            session: session()?,
            attributes: None,
            values: LocalValues::default(),
            allowed_hosts,
            http_limits: HttpLimits::default(),
        })
    }
}

fn session() -> Result<Session, TerminalError> {
    let question =
        WorldQuestion::from_json(World::Chatbot, &json!({"type": "conversation-started"}), &json!({"state": ""}));
    match question {
        Ok(WorldQuestion::Chatbot { session, .. }) => Ok(*session),
        Ok(_) => Err(TerminalError::Session("the sample is no session".to_owned())),
        Err(faults) => Err(TerminalError::Session(format!("{faults:?}"))),
    }
}

async fn wait_for_change(watch: &mut Option<ChangeWatch>) {
    match watch {
        Some(watch) => watch.wait_for_change().await,
        None => std::future::pending().await,
    }
}

async fn sleep(span: Option<Duration>) {
    match span {
        Some(span) => tokio::time::sleep(span).await,
        None => std::future::pending().await,
    }
}
