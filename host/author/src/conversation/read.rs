use std::path::Path;

use chrono::TimeDelta;
use plugin_host::World;

use super::{
    attributes,
    case::QuestionCase,
    expectation, input,
    setup::{self, SetupFields, TestSetup},
    step::{ClockMove, ConversationStep, StepKind, WantedTeam, only_entry, short},
};
use crate::{
    local_run::time,
    yaml::{self, YamlContent, YamlFault, YamlFields, YamlNode},
};

#[derive(Debug, Clone)]
pub(super) struct ConversationTest {
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) setup: TestSetup,
    pub(super) script: Script,
}

#[derive(Debug, Clone)]
pub(super) enum Script {
    Steps(Vec<ConversationStep>),
    Case(Box<QuestionCase>),
}

impl ConversationTest {
    pub(super) fn expects_failure(&self) -> bool {
        match &self.script {
            Script::Steps(steps) => steps.iter().any(|step| matches!(step.kind, StepKind::Fails(_))),
            Script::Case(case) => case.expects_failure(),
        }
    }
}

const STEPS: [&str; 18] = [
    "customer",
    "bot",
    "clock",
    "rating",
    "agent",
    "event",
    "state",
    "kv",
    "handed over",
    "closed",
    "tagged",
    "attributes",
    "rating asked",
    "typing",
    "reacted",
    "timers",
    "fails",
    "log",
];

pub(super) fn suite(file: &Path, text: &str, world: World) -> Result<Vec<ConversationTest>, YamlFault> {
    let root = yaml::parse(text)?;
    let known = [&setup::FIELDS[..], &["name", "steps", "conversations", "cases"]].concat();
    let fields = root.fields("a test file", &known)?;
    let name = match fields.get("name") {
        Some(name) => name.text("name")?,
        None => file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("test").to_owned(),
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let of = |test| SetupFields { test, file: fields, folder };
    let mut tests = vec![];
    if let Some(steps) = fields.get("steps") {
        tests.push(conversation(name.clone(), root.line, steps, of(fields), world)?);
    }
    if let Some(conversations) = fields.get("conversations") {
        for (index, node) in conversations.list("conversations")?.iter().enumerate() {
            let own = node.fields("a conversation", &[&setup::FIELDS[..], &["name", "steps"]].concat())?;
            let steps = own.get("steps").ok_or_else(|| node.fault("a conversation needs `steps`"))?;
            tests.push(conversation(case_name(own, &name, index)?, node.line, steps, of(own), world)?);
        }
    }
    if let Some(cases) = fields.get("cases") {
        for (index, node) in cases.list("cases")?.iter().enumerate() {
            let known = [&setup::FIELDS[..], &["name", "given", "expect", "fails", "log", "stores"]].concat();
            let own = node.fields("a case", &known)?;
            let case = QuestionCase::read(node, own)?;
            tests.push(ConversationTest {
                name: case_name(own, &name, index)?,
                line: node.line,
                setup: setup::read(of(own))?,
                script: Script::Case(Box::new(case)),
            });
        }
    }
    if tests.is_empty() {
        return Err(root.fault("this file tests nothing: give it `steps`, `conversations` or `cases`"));
    }
    Ok(tests)
}

fn case_name(own: YamlFields<'_>, file: &str, index: usize) -> Result<String, YamlFault> {
    match own.get("name") {
        Some(name) => Ok(format!("{file}: {}", name.text("name")?)),
        None => Ok(format!("{file}: {}", index + 1)),
    }
}

fn conversation(
    name: String,
    line: u64,
    steps: &YamlNode,
    fields: SetupFields<'_>,
    world: World,
) -> Result<ConversationTest, YamlFault> {
    if world != World::Chatbot {
        return Err(steps.fault(format!("`steps` are for chatbots; this plugin is a {world}: give it `cases`")));
    }
    let setup = setup::read(fields)?;
    if let Err(reason) = setup.conversation() {
        let place = fields.test.get("session").or_else(|| fields.file.get("session")).unwrap_or(steps);
        return Err(place.fault(format!("in `session`, {reason}")));
    }
    let steps = steps.list("steps")?.iter().map(|node| step(node, fields.folder)).collect::<Result<Vec<_>, _>>()?;
    Ok(ConversationTest { name, line, setup, script: Script::Steps(steps) })
}

fn step(node: &YamlNode, folder: &Path) -> Result<ConversationStep, YamlFault> {
    let (name, value) = only_entry(node)?;
    node.fields("a step", &STEPS)?;
    let nothing = matches!(&value.value, YamlContent::Text(text) if text == "nothing");
    let kind = match name {
        "customer" => StepKind::Customer(input::customer(value, folder)?),
        "rating" => StepKind::Rating(input::rating(value)?),
        "clock" => StepKind::Clock(clock(value)?),
        "agent" => match value.text("agent")?.as_str() {
            "releases" => StepKind::Released,
            "closes" => StepKind::Ended,
            other => return Err(value.fault(format!("an agent `releases` or `closes`, not `{other}`"))),
        },
        "event" => StepKind::Custom(input::custom(value)?),
        "bot" if nothing => StepKind::BotSilent,
        "bot" => StepKind::Bot(Box::new(expectation::read(value, folder)?)),
        "state" => StepKind::State(match &value.value {
            YamlContent::Map(_) | YamlContent::List(_) => value.json(),
            YamlContent::Null => String::new().into(),
            _ => value.text("state")?.into(),
        }),
        "kv" => StepKind::Stored(setup::read_values(value)?),
        "handed over" => handed_over(value)?,
        "closed" => StepKind::Closed(value.truth(name)?),
        "tagged" if nothing || matches!(&value.value, YamlContent::List(tags) if tags.is_empty()) => {
            StepKind::NotTagged
        }
        "tagged" => StepKind::Tagged(match &value.value {
            YamlContent::List(tags) => tags.iter().map(|tag| tag.text("tagged")).collect::<Result<_, _>>()?,
            _ => vec![value.text("tagged")?],
        }),
        "attributes" => StepKind::Attributes(attributes::read_expected(value)?),
        "typing" => StepKind::Typing(value.truth(name)?),
        "reacted" => StepKind::Reacted(value.text("reacted")?),
        "rating asked" => StepKind::RatingAsked(value.truth(name)?),
        "timers" if nothing => StepKind::Timers(vec![]),
        "timers" => StepKind::Timers(timers(value)?),
        "fails" => StepKind::Fails(value.text("fails")?),
        "log" => StepKind::Logged(value.text("log")?),
        other => return Err(node.fault(format!("`{other}` is not a step; there are: {}", STEPS.join(", ")))),
    };
    Ok(ConversationStep { line: node.line, written: short(name, value), kind })
}

fn clock(node: &YamlNode) -> Result<ClockMove, YamlFault> {
    let text = node.text("clock")?;
    if let Some(span) = time::span(&text) {
        return Ok(ClockMove::By(span));
    }
    let moment = setup::moment(node).map(ClockMove::To);
    moment.map_err(|_| node.fault(format!("`{text}` does not move the clock; write +30m, 1h30m, 2d, or a moment")))
}

fn handed_over(node: &YamlNode) -> Result<StepKind, YamlFault> {
    match &node.value {
        YamlContent::Map(_) => {
            let fields = node.fields("handed over", &["team", "note"])?;
            let text = |name: &str| fields.get(name).map(|node| node.text(name)).transpose();
            let is_queue = |(name, value): &(String, YamlNode)| name == "team" && value.value == YamlContent::Null;
            let team = if node.map("handed over")?.iter().any(is_queue) {
                Some(WantedTeam::Queue)
            } else {
                text("team")?.map(WantedTeam::Team)
            };
            Ok(StepKind::HandedOver { team, note: text("note")? })
        }
        YamlContent::Text(team) => Ok(StepKind::HandedOver { team: Some(WantedTeam::Team(team.clone())), note: None }),
        _ => match node.truth("handed over") {
            Ok(true) => Ok(StepKind::HandedOver { team: None, note: None }),
            Ok(false) => Ok(StepKind::NotHandedOver),
            Err(_) => Err(node.fault("`handed over` takes true, false, the name of a team, or `{team: .., note: ..}`")),
        },
    }
}

fn timers(node: &YamlNode) -> Result<Vec<(String, Option<TimeDelta>)>, YamlFault> {
    if let YamlContent::List(names) = &node.value {
        return names.iter().map(|name| Ok((name.text("timers")?, None))).collect();
    }
    let timer = |(name, left): &(String, YamlNode)| {
        let text = left.text(name)?;
        let span = time::span(&text);
        let span =
            span.ok_or_else(|| left.fault(format!("`{text}` is not a duration; write one such as 30m, 1h30m or 2d")))?;
        Ok((name.clone(), Some(span)))
    };
    node.map("timers")?.iter().map(timer).collect()
}
