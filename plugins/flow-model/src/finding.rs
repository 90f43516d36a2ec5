use std::fmt;

/// A fault of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Id of the node. `None` = a field of the flow.
    pub node: Option<String>,
    /// Path of the field below the node or the flow, such as `options/0/title`. Empty = the whole node or flow.
    pub field: String,
    pub message: String,
}

impl Finding {
    /// Path of the field below the flow, such as `nodes/hello/options/0/title`.
    pub fn path(&self) -> String {
        match (&self.node, self.field.as_str()) {
            (None, field) => field.to_owned(),
            (Some(node), "") => format!("nodes/{node}"),
            (Some(node), field) => format!("nodes/{node}/{field}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "node `{node}`")?,
            None => f.write_str("flow")?,
        }
        if !self.field.is_empty() {
            write!(f, ", {}", self.field)?;
        }
        write!(f, ": {}", self.message)
    }
}
