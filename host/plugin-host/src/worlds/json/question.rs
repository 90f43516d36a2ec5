//! Questions as JSON.

use std::cell::RefCell;

use domain::world::World;
use plugin_bindings::wit::WitType;
use serde_json::{Map, Value, json};

use super::{
    Problem, WorldQuestion, form,
    node::JsonNode,
    read::{read, read_items},
    write::write,
};

/// The names of the parameters of a question in JSON.
const PARTS: [&str; 2] = ["event", "session"];

type Parameter = (&'static str, WitType);

/// The parameters of the function of a world, of which there are one or two.
fn parameters(world: World) -> &'static [Parameter] {
    form::function(world).map_or(&[], |function| function.parameters)
}

impl WorldQuestion {
    /// Parses a question. Left-out fields come from a sample, and so does the whole question if both are null. The
    /// error lists all unknown or wrong values by their paths.
    pub fn from_json(world: World, event: &Value, session: &Value) -> Result<Self, Vec<Problem>> {
        let problems = RefCell::default();
        let sample = serde_json::to_value(Self::sample(world)).unwrap_or_default();
        let recorded = match parameters(world) {
            [parameter] => {
                let read = read_part(*parameter, (PARTS[0], event), sample, &problems);
                if !session.is_null() {
                    let problem = format!("world `{world}` has no session; leave it out");
                    problems.borrow_mut().push((PARTS[1].into(), problem));
                }
                read
            }
            several => {
                let parts = several.iter().zip(PARTS.into_iter().zip([event, session]));
                let read: Vec<Option<(String, Value)>> = parts
                    .map(|(parameter, part)| {
                        let sample = sample.get(parameter.0).cloned().unwrap_or_default();
                        Some((parameter.0.to_owned(), read_part(*parameter, part, sample, &problems)?))
                    })
                    .collect();
                read.into_iter().collect::<Option<Map<String, Value>>>().map(Value::Object)
            }
        };
        let problems = problems.into_inner();
        match recorded {
            Some(recorded) if problems.is_empty() => {
                Self::read(world, recorded).map_err(|fault| vec![(PARTS[0].to_owned(), fault.to_string())])
            }
            _ => Err(problems),
        }
    }

    /// The question as JSON, with every field, so that [`Self::from_json`] gives the same question again.
    pub fn to_json(&self) -> Value {
        let mut recorded = serde_json::to_value(self).unwrap_or_default();
        let parts = match parameters(self.world()) {
            [parameter] => vec![(PARTS[0].to_owned(), write_part(*parameter, recorded))],
            several => several
                .iter()
                .zip(PARTS)
                .map(|(parameter, part)| {
                    let value = recorded.get_mut(parameter.0).map(Value::take).unwrap_or_default();
                    (part.to_owned(), write_part(*parameter, value))
                })
                .collect(),
        };
        Value::Object(parts.into_iter().collect())
    }
}

/// One part of a question; null is the sample. A list is an object with the name of the parameter.
fn read_part(
    (name, ty): Parameter,
    (part, given): (&str, &Value),
    sample: Value,
    problems: &RefCell<Vec<Problem>>,
) -> Option<Value> {
    if given.is_null() {
        return Some(sample);
    }
    let node = JsonNode::new(part, given, problems);
    let WitType::List(item) = ty else { return read(ty, &node, Some(&sample)) };
    let mut object = node.object()?;
    let read = match object.take(name) {
        Some(list) => read_items(*item, &list, sample.get(0)),
        None => Some(sample),
    };
    object.finish();
    read
}

fn write_part((name, ty): Parameter, recorded: Value) -> Value {
    match ty {
        WitType::List(_) => json!({ name: write(ty, recorded) }),
        _ => write(ty, recorded),
    }
}
