//! What checking a configuration against a schema would cost, worked out before it is done: both are a stranger's.
//!
//! A step is about what a comparison costs, and no step leads to more than one violation. So the steps bound the time of a
//! check, and the memory that its violations take.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::target;

/// Different pairs of a schema's part and a configuration's part.
pub(super) const MOST_PAIRS: usize = 100_000;
/// Schemas within schemas, references followed.
pub(super) const MOST_LEVELS: u32 = 100;
/// Steps that a regular expression takes for each byte that it looks at.
const STEPS_OF_A_MATCH: u64 = 16;

/// Schemas that judge the same value.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Maps of schemas that judge the same value.
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Schemas that judge every value within.
const WITHIN: [&str; 8] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];
/// What is compared with a value: as many steps as it has parts.
const COMPARED: [&str; 5] = ["required", "enum", "const", "type", "dependentRequired"];

/// Steps of a check; `None` when it would take more than `most`, or never end.
pub(super) fn of_check(schema: &Value, config: &Value, most: u64) -> Option<u64> {
    let mut cost = Cost { root: schema, most, spent: 0, known: HashMap::new(), open: HashSet::new() };
    let (steps, _) = cost.of(schema, config, 0)?;
    (steps <= most).then_some(steps)
}

/// Parts of a schema with every reference followed, except where it leads back to where it stands; at most `most`.
pub(super) fn parts(schema: &Value, most: u64) -> Option<u64> {
    let mut known = HashMap::new();
    expanded(schema, schema, most, &mut known, &mut HashSet::new())
}

fn expanded(
    schema: &Value,
    root: &Value,
    most: u64,
    known: &mut HashMap<usize, u64>,
    open: &mut HashSet<usize>,
) -> Option<u64> {
    let place = std::ptr::from_ref(schema).addr();
    if let Some(found) = known.get(&place) {
        return Some(*found);
    }
    if open.len() > MOST_LEVELS as usize * 10 {
        return None;
    }
    if !open.insert(place) {
        return Some(0);
    }
    let mut sum = 1_u64;
    let mut add = |part: &Value, known: &mut HashMap<usize, u64>, open: &mut HashSet<usize>| {
        sum = sum.saturating_add(expanded(part, root, most, known, open)?);
        (sum <= most).then_some(())
    };
    match schema {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str).and_then(|to| target(root, to)) {
                add(target, known, open)?;
            }
            object.values().try_for_each(|part| add(part, known, open))?;
        }
        Value::Array(items) => items.iter().try_for_each(|part| add(part, known, open))?,
        _ => {}
    }
    open.remove(&place);
    known.insert(place, sum);
    Some(sum)
}

/// Every pair of a schema and a value is looked at once; the checker may look at it often.
struct Cost<'a> {
    root: &'a Value,
    most: u64,
    /// Steps of this calculation itself.
    spent: u64,
    known: HashMap<(usize, usize), (u64, u32)>,
    /// Pairs that are being looked at: coming back to one of them would never end.
    open: HashSet<(usize, usize)>,
}

impl<'a> Cost<'a> {
    /// Steps, and levels of schemas within; `None` = too many.
    fn of(&mut self, schema: &'a Value, value: &Value, level: u32) -> Option<(u64, u32)> {
        let pair = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        let found = match self.known.get(&pair) {
            Some(found) => *found,
            None => {
                if level >= MOST_LEVELS || self.known.len() >= MOST_PAIRS || !self.open.insert(pair) {
                    return None;
                }
                let found = match schema {
                    Value::Object(object) => self.of_object(object, value, level + 1)?,
                    _ => (1, 1),
                };
                self.open.remove(&pair);
                self.known.insert(pair, found);
                found
            }
        };
        (level + found.1 <= MOST_LEVELS).then_some(found)
    }

    fn of_object(&mut self, schema: &'a Map<String, Value>, value: &Value, level: u32) -> Option<(u64, u32)> {
        let mut sum = Sum { steps: own_steps(schema, value), levels: 1 };
        self.spend(sum.steps)?;
        if let Some(Value::String(reference)) = schema.get("$ref")
            && let Some(target) = target(self.root, reference)
        {
            sum.add(self.of(target, value, level)?);
        }
        for part in IN_PLACE.iter().filter_map(|word| schema.get(*word)).flat_map(schemas) {
            // Looked at once for the verdict and once for the reasons.
            let cost = self.of(part, value, level)?;
            sum.add(cost);
            sum.add(cost);
        }
        for part in IN_PLACE_MAPS.iter().filter_map(|word| schema.get(*word)?.as_object()).flat_map(Map::values) {
            sum.add(self.of(part, value, level)?);
        }
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let within: Vec<&'a Value> = WITHIN
            .iter()
            .filter_map(|word| schema.get(*word))
            .flat_map(schemas)
            .chain(patterns.into_iter().flat_map(Map::values))
            .collect();
        let named = schema.get("properties").and_then(Value::as_object);
        if !within.is_empty() || named.is_some() {
            for (name, item) in children(value) {
                self.spend(1)?;
                let own = name.and_then(|name| named?.get(name));
                for part in within.iter().copied().chain(own) {
                    sum.add(self.of(part, item, level)?);
                    if sum.steps > self.most {
                        return None;
                    }
                }
            }
        }
        if schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems") {
            sum.steps = sum.steps.saturating_mul(2);
        }
        (sum.steps <= self.most).then_some((sum.steps, sum.levels))
    }

    fn spend(&mut self, steps: u64) -> Option<()> {
        self.spent = self.spent.saturating_add(steps);
        // A check goes over a pair more than once, so this is the smaller of the two in all but strange cases.
        (self.spent <= self.most.saturating_mul(4)).then_some(())
    }
}

/// Steps of the words of one schema itself.
fn own_steps(schema: &Map<String, Value>, value: &Value) -> u64 {
    let mut steps = 1 + schema.len() as u64;
    for compared in COMPARED.iter().filter_map(|word| schema.get(*word)) {
        steps = steps.saturating_add(nodes(compared));
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        steps = steps.saturating_add(nodes(value));
    }
    if let (Some(_), Value::String(text)) = (schema.get("pattern"), value) {
        steps = steps.saturating_add(STEPS_OF_A_MATCH.saturating_mul(text.len() as u64));
    }
    if let Value::Object(object) = value {
        let names = || object.keys().map(|name| name.len() as u64 + 1).sum::<u64>();
        if let Some(patterns) = schema.get("patternProperties").and_then(Value::as_object) {
            let looked_at = names().saturating_mul(patterns.len() as u64);
            steps = steps.saturating_add(STEPS_OF_A_MATCH.saturating_mul(looked_at));
        }
        if let Some(judged) = schema.get("propertyNames") {
            // Whatever it does to a name: compares it with all that it holds, or matches it with all its expressions.
            let each = (object.len() as u64).saturating_mul(nodes(judged));
            let matched = if holds_pattern(judged) { STEPS_OF_A_MATCH.saturating_mul(names()) } else { 0 };
            steps = steps.saturating_add(each).saturating_add(matched.saturating_mul(nodes(judged)));
        }
    }
    if let Value::String(text) = value {
        // Lengths are counted in characters.
        steps = steps.saturating_add(text.len() as u64 / 64);
    }
    steps
}

fn holds_pattern(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.contains_key("pattern") || object.values().any(holds_pattern),
        Value::Array(items) => items.iter().any(holds_pattern),
        _ => false,
    }
}

/// Parts of a value.
fn nodes(value: &Value) -> u64 {
    match value {
        Value::Object(object) => 1 + object.values().map(nodes).sum::<u64>(),
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<u64>(),
        _ => 1,
    }
}

struct Sum {
    steps: u64,
    levels: u32,
}

impl Sum {
    fn add(&mut self, (steps, levels): (u64, u32)) {
        self.steps = self.steps.saturating_add(steps);
        self.levels = self.levels.max(levels + 1);
    }
}

/// A keyword holds one schema or several.
pub(super) fn schemas(part: &Value) -> impl Iterator<Item = &Value> {
    let (one, several) = match part {
        Value::Array(items) => (None, items.as_slice()),
        other => (Some(other), [].as_slice()),
    };
    one.into_iter().chain(several)
}

fn children(value: &Value) -> Vec<(Option<&str>, &Value)> {
    match value {
        Value::Object(object) => object.iter().map(|(name, item)| (Some(name.as_str()), item)).collect(),
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        _ => Vec::new(),
    }
}
