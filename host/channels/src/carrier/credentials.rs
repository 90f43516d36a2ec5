//! Credentials of an inbox. Generic code passes them on, and only the carrier of their channel reads them.

use std::{any::Any, fmt, sync::Arc};

/// Credentials in the type of their channel. The default is none: the operator's account, or an inbox without setup.
#[derive(Clone, Default)]
pub struct Credentials(Option<Arc<dyn ChannelCredentials>>);

trait ChannelCredentials: Any + fmt::Debug + Send + Sync {
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<T: Any + fmt::Debug + PartialEq + Send + Sync> ChannelCredentials for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }
}

impl Credentials {
    pub fn of<T: Any + fmt::Debug + PartialEq + Send + Sync>(credentials: T) -> Self {
        Self(Some(Arc::new(credentials)))
    }

    pub fn get<T: Any>(&self) -> Option<&T> {
        let credentials: &dyn Any = self.0.as_deref()?;
        credentials.downcast_ref()
    }
}

impl PartialEq for Credentials {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => one.is_same(other.as_ref()),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for Credentials {}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
