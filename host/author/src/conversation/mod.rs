//! Conversation tests: files `tests/*.yaml` of a project, played against the plugin in this process, on virtual time,
//! without a server.
//!
//! # A file
//!
//! ```yaml
//! name: order status                 # optional; otherwise the name of the file
//! config: {ordersUrl: "https://orders.example"}
//! now: 2026-01-05T09:00:00Z          # where the clock begins; this is the default, a Monday
//! time zone: Africa/Johannesburg     # or an offset such as "+02:00"; UTC by default
//! session: {customer: {name: Thandi}} # any field of the session of `wit/`, in camelCase
//! allowed hosts: [orders.example]     # as at activation; without it every request goes to the prepared answers
//! kv:                                # what the plugin has stored before; texts, or anything else as JSON
//!   participant: {visits: 3}
//!   client: {}
//! http:                              # prepared answers; any other request fails the test and is named
//!   - request: GET https://orders.example/orders/1001   # `*` stands for anything
//!     json: {state: shipped}         # or `body: text`; `status` (200) and `headers` as needed
//!     expect: 1                      # how often it must be asked for; any number of times without it
//!   - request: POST https://orders.example/notes
//!     sends: {order: 1001}           # only when the body is JSON with at least this
//!     with headers: {x-shop: main}   # and the request has these headers
//!     fails: timed out               # instead of an answer: `timed out`, `too large`, or any other words
//! steps:
//!   - customer: hi
//!   - bot: {contains: Welcome, buttons: [Order status, Talk to a person]}
//!   - customer: {tap: Order status}
//!   - bot: What is your order number?
//!   - state: await-order
//!   - customer: 1001
//!   - bot: Order 1001 is shipped.
//!   - clock: +30m
//!   - bot: Anything else?
//! ```
//!
//! Several answers to the same request are given one after the other, each as often as its `expect` says.
//!
//! A file may hold several conversations in a list `conversations:`, each with the same fields; what the file says
//! outside the list counts for each that does not say otherwise.
//!
//! ## Steps that do something
//!
//! | step | what happens |
//! |---|---|
//! | `customer: text` | the customer writes; numbers need no quotes |
//! | `customer: {text: .., quotes: TEXT}` | quoting a message with this text |
//! | `customer: {tap: X}` | taps the button or list entry whose title or id is X, of the latest message that had any |
//! | `customer: {button: TEXT, payload: P}` | taps a quick-reply button of a template |
//! | `customer: {location: {latitude: .., longitude: .., name: .., address: ..}}` | sends a place |
//! | `customer: {image: URL, caption: ..}` | sends a file; also `video`, `audio`, `voice`, `document`, `sticker`, `file` |
//! | `customer: {reaction: EMOJI}`, `{contact: TEXT}`, `{unsupported: KIND}` | the other kinds of content |
//! | `rating: excellent` | the customer rates: `poor`, `average`, `excellent`; or `{score: .., comment: ..}` |
//! | `clock: +30m` | time passes (`s`, `m`, `h`, `d`, also `1h30m`); timers fire on the way, in order; or a later moment such as `2026-01-06T08:00:00Z` |
//! | `agent: releases` | an agent gives the conversation back to the bot; `agent: closes` ends it |
//! | `event: {name: .., payload: ..}` | a custom event |
//!
//! ## Steps that check something
//!
//! | step | what must be so |
//! |---|---|
//! | `bot: text` | the next message of the bot has exactly this text; buttons and the rest may be anything |
//! | `bot: {text, contains, matches, kind, buttons, list, header, footer, url, filename, name, parameters, quotes}` | the next message has all of this: `contains` takes a text or several, `matches` a regular expression, `buttons` and `list` titles or `{id, title}` in order, `kind` one of `text`, `buttons`, `list`, `image` and the other files, `location`, `template` |
//! | `bot: nothing` | there is no further message |
//! | `bot: anything` | there is one, whatever it says |
//! | `state: TEXT` | the bot's state; names with values are compared with the state read as JSON, which may hold more |
//! | `kv: {participant: {KEY: VALUE}, client: {..}}` | what is stored; `null` = nothing is |
//! | `handed over: true` | since the last step that did something, the bot handed over; or `handed over: TEAM`, or `{team: .., note: ..}` |
//! | `closed: true` | the bot closed the conversation |
//! | `tagged: vip` | the contact has this tag, or all of a list |
//! | `rating asked: true` | the bot asked for a rating |
//! | `timers: {reminder: 30m}` | exactly these timers run, with this time left; `timers: nothing` |
//! | `fails: CODE` | the call failed: with an error of this code, or with these words in its reason |
//! | `log: TEXT` | a line of the log holds this text |
//!
//! Every message of the bot must be named by a `bot:` step before the next step that does something: one too many fails
//! the test. A conversation ends at its first difference, since what follows would only follow from it.
//!
//! # Cases
//!
//! Plugins of the other worlds are asked one question each (a chatbot may be asked this way, too):
//!
//! ```yaml
//! config: {vipTag: gold}
//! cases:
//!   - name: a customer with the tag goes to the gold team
//!     given: {tags: [gold], message: {content: {type: text, text: hi}}}
//!     expect: {target: {type: team, name: Gold}}
//!   - name: a broken configuration is said
//!     config: {vipTag: 7}
//!     given: {}
//!     fails: bad-config
//! ```
//!
//! `given` is the event of `wit/` in camelCase; what is missing comes from a sample. `expect` is compared as a part: the
//! answer may hold more fields. Its forms: of an `sms-fallback` `{type: send, text: ..}` or `{type: skip, reason: ..}`; of a
//! `webhook-shaper` the body, or `nothing`; of a `router` `{target: .., reason: .., note: ..}`; of a `chatbot` the list of
//! actions. `stores:` has the form of `kv:` and says what must be stored
//! afterwards; `log: TEXT` as in a conversation.

mod case;
mod check;
mod expected;
mod input;
mod play;
mod read;
mod report;
mod setup;
mod step;

use std::path::{Path, PathBuf};

use crate::{local, yaml};

pub use report::{Failure, Outcome, Summary, TestReport};

/// Why tests could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum TestError {
    /// The plugin cannot be loaded.
    #[error(transparent)]
    Local(#[from] local::LocalError),
    /// A test file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A test file is not written as it should be.
    #[error("{}, {fault}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        fault: yaml::Fault,
    },
    /// There is nothing to run.
    #[error("there are no tests: {} has no *.yaml file{}", folder.display(), filtered(filter.as_deref()))]
    NoTests {
        /// Where they were looked for.
        folder: PathBuf,
        /// Part of the name that was asked for.
        filter: Option<String>,
    },
}

fn filtered(filter: Option<&str>) -> String {
    filter.map(|filter| format!(" with a test whose name holds `{filter}`")).unwrap_or_default()
}

/// Runs test files against a component. `files` are YAML files, or folders whose `*.yaml` files are meant. `filter`: only
/// tests whose name holds this text. `done` hears of each test when it is over.
///
/// # Errors
/// See [`TestError`]; a test that fails is not an error.
pub async fn run(
    name: &str,
    component: &Path,
    files: &[PathBuf],
    filter: Option<&str>,
    done: &mut dyn FnMut(&TestReport),
) -> Result<Summary, TestError> {
    let bench = local::Bench::start().await?;
    let loaded = bench.load(name, component).await?;
    let mut suites = vec![];
    for file in found(files)? {
        let unreadable = |source| TestError::Unreadable { path: file.clone(), source };
        let text = std::fs::read_to_string(&file).map_err(unreadable)?;
        let tests = read::suite(&file, &text, loaded.world);
        suites.push((file.clone(), tests.map_err(|fault| TestError::Wrong { path: file.clone(), fault })?));
    }
    let mut summary = Summary::default();
    for (file, tests) in suites {
        for test in tests.into_iter().filter(|test| filter.is_none_or(|filter| test.name.contains(filter))) {
            let outcome = play::play(&bench, &loaded, &test).await;
            let report = TestReport { file: file.clone(), name: test.name, outcome };
            summary.count(&report);
            done(&report);
        }
    }
    if summary.passed + summary.failed == 0 {
        let folder = files.first().cloned().unwrap_or_default();
        return Err(TestError::NoTests { folder, filter: filter.map(str::to_owned) });
    }
    Ok(summary)
}

/// The files, folders replaced by what is in them, in the order of their names.
fn found(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TestError> {
    let mut files = vec![];
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |source| TestError::Unreadable { path: path.clone(), source };
        let mut inside = vec![];
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file.extension().is_some_and(|kind| kind == "yaml" || kind == "yml") {
                inside.push(file);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}
