//! `patchbay listen`: forwards the webhooks of a client to an address on the developer's machine.

use std::{
    collections::VecDeque,
    io::{BufRead, Write},
    time::Duration,
};

use anyhow::{Context as _, bail};
use author::server::{ForwardedWebhook, RemoteServer, ServerError};
use bytes::Bytes;
use channels::http::{GuardedClient, GuardedSettings, WebhookAddress, WebhookPost};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use crate::{cli::ListenArguments, standard_output};

/// Webhooks that wait for the receiver. If there are more, the server keeps them.
const WAITING: usize = 10_000;
/// Webhooks that can be sent again by their numbers.
const REMEMBERED: usize = 1_000;
/// First and longest pause before the server is asked again after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));
const SHOWN: usize = 2_000;

/// Runs until Ctrl-C or until standard output has no reader, or sends one webhook.
pub async fn run(arguments: ListenArguments) -> anyhow::Result<()> {
    let server = RemoteServer::from_environment()?;
    let receiver = Receiver::new(&arguments.to)?;
    match arguments.replay {
        Some(id) => replay(&server, &receiver, &id).await,
        None => listen(server, receiver).await,
    }
}

async fn replay(server: &RemoteServer, receiver: &Receiver, id: &str) -> anyhow::Result<()> {
    let webhook = server.webhook(id).await?;
    let forwarded = receiver.forward(&webhook).await?;
    standard_output::write(&forwarded.report)?;
    if !forwarded.is_taken {
        bail!("the receiver did not accept the webhook");
    }
    Ok(())
}

async fn listen(server: RemoteServer, receiver: Receiver) -> anyhow::Result<()> {
    let is_new = server.have_webhook_configuration().await?;
    let start = server.webhooks(None).await?.last;
    if is_new {
        print_error_line(
            "the client had no webhook configuration: one without addresses was made, and its secret signs",
        );
    }
    print_error_line(&format!("listening to {}, forwarding to {}", server.address(), receiver.url));
    let (send, mut came) = mpsc::channel(WAITING);
    let mut asking = tokio::spawn(ask(server.clone(), start, send));
    let mut typed = lines();
    let mut known = VecDeque::new();
    let mut is_read = true;
    while is_read {
        is_read = tokio::select! {
            _ = tokio::signal::ctrl_c() => return Ok(()),
            ended = &mut asking => return ended?,
            Some(webhook) = came.recv() => {
                remember(&mut known, &webhook);
                forward_and_show(&receiver, &webhook).await?
            }
            Some(line) = typed.recv() => resend(&server, &receiver, &known, line.trim()).await?,
        };
    }
    Ok(())
}

/// Returns whether standard output has a reader.
async fn forward_and_show(receiver: &Receiver, webhook: &ForwardedWebhook) -> anyhow::Result<bool> {
    standard_output::write_while_read(&receiver.forward(webhook).await?.report)
}

/// Asks the server for webhooks. It ends if the key is refused, and otherwise tries again.
async fn ask(server: RemoteServer, mut after: i64, came: mpsc::Sender<ForwardedWebhook>) -> anyhow::Result<()> {
    let (first, longest) = PAUSES;
    let mut pause = first;
    loop {
        let asked = Instant::now();
        match server.webhooks(Some(after)).await {
            Ok(page) => {
                after = page.last;
                pause = first;
                // A server without a place for another listener answers at once.
                if page.webhooks.is_empty() && asked.elapsed() < first {
                    sleep(first).await;
                }
                for webhook in page.webhooks {
                    came.send(webhook).await.context("the receiver does not exist any more")?;
                }
            }
            Err(
                error @ (ServerError::NoAnswer { .. }
                | ServerError::Busy(_)
                | ServerError::NotNow(_)
                | ServerError::Failed { .. }),
            ) => {
                print_error_line(&format!("{error}; asking again in {} s", pause.as_secs()));
                sleep(pause).await;
                pause = (pause * 2).min(longest);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The lines of standard input. They are read on a thread of their own, because such a read cannot be cancelled.
fn lines() -> mpsc::Receiver<String> {
    let (send, typed) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    typed
}

fn remember(known: &mut VecDeque<(i64, String)>, webhook: &ForwardedWebhook) {
    if known.len() == REMEMBERED {
        known.pop_front();
    }
    known.push_back((webhook.number.unwrap_or_default(), webhook.id.clone()));
}

/// Sends a webhook again: the last one for `r`, or the one with a number. Returns whether standard output has a reader.
async fn resend(
    server: &RemoteServer,
    receiver: &Receiver,
    known: &VecDeque<(i64, String)>,
    typed: &str,
) -> anyhow::Result<bool> {
    let wanted = match typed {
        "" => return Ok(true),
        "r" => known.back(),
        number => known.iter().find(|(known, _)| number.trim_start_matches('#').parse() == Ok(*known)),
    };
    let Some((_, id)) = wanted else {
        print_error_line("`r` sends the last webhook again, and a number the one with that number");
        return Ok(true);
    };
    // The signature of the first time may be too old for the receiver.
    match server.webhook(id).await {
        Ok(webhook) => forward_and_show(receiver, &webhook).await,
        Err(error) => {
            print_error_line(&error.to_string());
            Ok(true)
        }
    }
}

struct Receiver {
    url: String,
    to: WebhookAddress,
    http: GuardedClient,
}

struct ForwardOutcome {
    /// The webhook and the answer of the receiver, in lines of text.
    report: String,
    is_taken: bool,
}

impl Receiver {
    fn new(url: &str) -> anyhow::Result<Self> {
        let to = WebhookAddress::checked(url, true)
            .with_context(|| format!("--to is `{url}`; write it like http://127.0.0.1:3000/hooks"))?;
        Ok(Self { url: url.to_owned(), to, http: GuardedClient::new(GuardedSettings::default())? })
    }

    async fn forward(&self, webhook: &ForwardedWebhook) -> anyhow::Result<ForwardOutcome> {
        let mut headers = HeaderMap::new();
        for (name, value) in &webhook.headers {
            let (name, value) = (HeaderName::try_from(name.as_str())?, HeaderValue::try_from(value.as_str())?);
            headers.insert(name, value);
        }
        let body = Bytes::from(webhook.body.clone());
        let answer = self.http.post(WebhookPost { to: self.to.clone(), headers, body }).await;
        let (said, is_taken) = match answer {
            Ok(answer) => {
                let millis = answer.duration.as_millis();
                let text = format!("{} in {millis} ms  {}", answer.status, one_line(&answer.body_start));
                (text.trim_end().to_owned(), (200..300).contains(&answer.status))
            }
            Err(error) => (format!("no answer: {error}"), false),
        };
        let number = webhook.number.map(|number| format!("#{number} ")).unwrap_or_default();
        let (kind, id, body) = (&webhook.webhook_type, &webhook.id, one_line(&webhook.body));
        Ok(ForwardOutcome { report: format!("{number}{kind} {id}\n  {body}\n  -> {said}\n"), is_taken })
    }
}

/// The beginning of a text on one line, without characters that change the terminal.
fn one_line(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let start: String = text.trim().chars().take(SHOWN).map(plain).collect();
    if text.trim().chars().count() > SHOWN { format!("{start} ...") } else { start }
}

fn print_error_line(text: &str) {
    // If it is closed, nothing can be done.
    let _ = writeln!(std::io::stderr(), "{text}");
}
