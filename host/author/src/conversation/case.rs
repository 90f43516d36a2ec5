use std::sync::Arc;

use plugin_host::{CallSeed, PluginCall, World, json::WorldQuestion, unix_millis};
use serde_json::{Value, json};

use super::{
    check,
    report::TestFailure,
    requests,
    setup::{self, StoredValues, TestSetup},
    step::short,
};
use crate::{
    diff,
    local_run::{Cost, LoadedProgram, LocalHost, effects::CallNotes, time::weekday_name, web::StubWeb},
    subset,
    yaml::{YamlContent, YamlFault, YamlFields, YamlNode},
};

const TURN: &str = "01990000-0000-7000-8000-000000000001";

/// A test with one question and its expected answer.
#[derive(Debug, Clone)]
pub(super) struct QuestionCase {
    question_json: Value,
    given_line: u64,
    wanted: ExpectedResult,
    wanted_line: u64,
    expectation_text: String,
    logged: Option<String>,
    stores: StoredValues,
}

#[derive(Debug, Clone)]
enum ExpectedResult {
    Answer(Value),
    Failure(String),
}

impl QuestionCase {
    pub(super) fn read(node: &YamlNode, fields: YamlFields<'_>) -> Result<Self, YamlFault> {
        let given = fields
            .get("given")
            .ok_or_else(|| node.fault("a case needs `given`: the event or question of its world"))?;
        let (name, wanted, place) = match (fields.get_nullable("expect"), fields.get("fails")) {
            (Some(_), Some(place)) => return Err(place.fault("give `expect` or `fails`, not both")),
            (Some(place), None) => {
                let nothing = matches!(&place.value, YamlContent::Text(text) if text == "nothing");
                ("expect", ExpectedResult::Answer(if nothing { Value::Null } else { place.json() }), place)
            }
            (None, Some(place)) => ("fails", ExpectedResult::Failure(place.text("fails")?), place),
            (None, None) => return Err(node.fault("a case needs `expect` or `fails`")),
        };
        Ok(Self {
            question_json: given.json(),
            given_line: given.line,
            expectation_text: short(name, place),
            wanted,
            wanted_line: place.line,
            logged: fields.get("log").map(|node| node.text("log")).transpose()?,
            stores: fields.get("stores").map(setup::read_values).transpose()?.unwrap_or_default(),
        })
    }

    pub(super) fn expects_failure(&self) -> bool {
        matches!(self.wanted, ExpectedResult::Failure(_))
    }

    pub(super) async fn ask(
        &self,
        local_host: &LocalHost,
        loaded: &LoadedProgram,
        setup: &TestSetup,
        web: &Arc<StubWeb>,
        cost: &mut Cost,
    ) -> Result<(), TestFailure> {
        let (given, session) = question(loaded.world, &self.question_json, setup);
        let question = WorldQuestion::from_json(loaded.world, &given, &session);
        let question = question.map_err(|faults| TestFailure {
            line: self.given_line,
            step: "given".to_owned(),
            difference: vec![setup::fault_lines(&faults)],
            ..TestFailure::default()
        })?;
        let values = setup.values();
        // Ids of jobs begin with the id of the event.
        let turn = given.get("id").and_then(Value::as_str).filter(|_| loaded.world == World::Chatbot).unwrap_or(TURN);
        let call = PluginCall {
            client: local_host.client(Arc::clone(web) as _),
            plugin: &loaded.plugin,
            now: setup.now,
            seed: CallSeed::from_number(1),
            config: &setup.config,
            turn,
            allowed_hosts: &setup.allowed_hosts,
            http_limits: setup.http_limits,
            record: false,
        };
        let asked = local_host.host.dry_run(call, &question, values.snapshot(setup.now)).await;
        let notes = match &asked {
            Ok(answer) => CallNotes::of(&answer.trace),
            Err(error) => CallNotes::of_error(error),
        };
        cost.add(notes.cost);
        let fail = |difference: Vec<String>| TestFailure {
            line: self.wanted_line,
            step: self.expectation_text.clone(),
            difference,
            notes: notes.lines(),
            ..TestFailure::default()
        };
        let requests = web.take_unexpected();
        if !requests.is_empty() {
            return Err(fail(requests::unexpected_lines(&requests, web)));
        }
        let difference = match (&self.wanted, asked) {
            (ExpectedResult::Answer(wanted), Ok(answer)) => {
                let (_, got) = answer.answer.to_json();
                values.commit(answer.writes, setup.now);
                match wanted.is_null() && !got.is_null() {
                    true => vec!["expected: nothing".to_owned(), format!("got:      {got}")],
                    false => diff::places(&subset::differences(wanted, &got)),
                }
            }
            (ExpectedResult::Answer(_), Err(error)) => vec![format!("the call failed: {error}")],
            (ExpectedResult::Failure(wanted), Ok(answer)) => {
                vec![
                    format!("expected a failure: {wanted}"),
                    format!("got:                {}", answer.answer.to_json().1),
                ]
            }
            (ExpectedResult::Failure(wanted), Err(error)) => {
                let code = matches!(&error, plugin_host::CallError::Refused { error, .. } if error.code == *wanted);
                match code || error.to_string().contains(wanted) {
                    true => vec![],
                    false => vec![format!("expected a failure: {wanted}"), format!("got:                {error}")],
                }
            }
        };
        let logged = self.logged.iter().filter(|words| !notes.logs.iter().any(|line| line.message.contains(*words)));
        let logged: Vec<String> = logged.map(|words| format!("expected a log line with: {words}")).collect();
        let difference = [difference, check::check_values(&self.stores, &values), logged].concat();
        if !difference.is_empty() {
            return Err(fail(difference));
        }
        requests::check_counts(web).map_or(Ok(()), Err)
    }
}

/// The question as JSON and the session. If the file gives no clock, that of the test.
fn question(world: World, given: &Value, setup: &TestSetup) -> (Value, Value) {
    match world {
        World::Router => (add_times(given, setup), Value::Null),
        World::SmsFallback => (add_local_time(given, setup), Value::Null),
        World::Chatbot => (given.clone(), add_times(&setup.session, setup)),
        _ => (given.clone(), Value::Null),
    }
}

fn add_times(given: &Value, setup: &TestSetup) -> Value {
    let mut given = add_local_time(given, setup);
    if let Value::Object(fields) = &mut given {
        fields.entry("nowMs").or_insert_with(|| unix_millis(setup.now).into());
    }
    given
}

fn add_local_time(given: &Value, setup: &TestSetup) -> Value {
    let local = setup.zone.local_time(setup.now);
    let weekday = weekday_name(local.weekday);
    let mut given = given.clone();
    if let Value::Object(fields) = &mut given {
        let local = json!({
            "utcOffsetMinutes": local.utc_offset_minutes, "weekday": weekday, "hour": local.hour, "minute": local.minute,
        });
        fields.entry("localTime").or_insert(local);
    }
    given
}
