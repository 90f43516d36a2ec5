//! A build in the background, while a session continues.

use tokio::task::JoinHandle;

use crate::Project;

#[derive(Default)]
pub(crate) struct BackgroundBuild(Option<JoinHandle<Result<(), String>>>);

impl BackgroundBuild {
    pub(crate) fn is_running(&self) -> bool {
        self.0.is_some()
    }

    /// A build that runs already continues without a report.
    pub(crate) fn start(&mut self, project: Project) {
        self.0 = Some(tokio::task::spawn_blocking(move || {
            let built = super::build(&project, &mut |_| {});
            built.map(drop).map_err(|error| error.to_string())
        }));
    }

    /// Returns the reason of a failure. Without a build it waits for ever. It may be dropped and called again.
    pub(crate) async fn finish(&mut self) -> Result<(), String> {
        let Some(handle) = &mut self.0 else { return std::future::pending().await };
        let built = handle.await.unwrap_or_else(|fault| Err(fault.to_string()));
        self.0 = None;
        built
    }
}
