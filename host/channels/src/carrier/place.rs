//! Room for one message.

use std::{any::Any, fmt};

/// Room for one message that starts now. [`super::Carrier::send`] uses it up; dropped, it is given back.
pub struct Place(Box<dyn Any + Send>);

impl Place {
    /// For carriers: a place that stands for whatever is to be held meanwhile. Dropping that must give it back.
    pub fn of(held: impl Any + Send) -> Self {
        Self(Box::new(held))
    }

    /// For carriers: what it stands for; `None` when another carrier gave it out.
    pub fn into_held<T: Any>(self) -> Option<T> {
        self.0.downcast().ok().map(|held| *held)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}
