//! `patchbay plugin test --from-recording`.

use anyhow::{Context as _, bail};
use author::{Project, project, recorded_test, server::RemoteServer};

use super::{
    arguments::TestArguments,
    output::{StepProgress, print_line},
};

/// Recorded calls that are searched, the latest ones.
const MOST_CALLS: usize = 10_000;
const NAME_LENGTH: usize = 13;

pub(super) async fn make(test: &TestArguments, id: &str) -> anyhow::Result<()> {
    let [root] = test.paths.as_slice() else {
        bail!("--from-recording makes one file: name one project or folder");
    };
    let server = RemoteServer::from_environment()?;
    let project = if root.join(project::FILE).is_file() { Some(Project::open(root)?) } else { None };
    let name = test.name.clone().or_else(|| project.as_ref().map(|project| project.name.clone()));
    let Some(name) = name else {
        bail!("{} is not a plugin project; name the plugin with --name", root.display());
    };
    let mut progress = StepProgress::new();
    let recorded = server.recorded_calls(&name, MOST_CALLS, &mut |text| progress.tell(text)).await;
    progress.done();
    let made = recorded_test::make(&recorded?, id)?;
    let tests = project.as_ref().and_then(|project| project.tests.first());
    let folder = tests.map_or_else(|| root.clone(), |tests| root.join(tests));
    let short: String = id.chars().filter(char::is_ascii_alphanumeric).take(NAME_LENGTH).collect();
    let file = folder.join(format!("recorded-{short}.yaml"));
    if file.exists() {
        bail!("{} exists; move it away first", file.display());
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(&file, &made.text).with_context(|| format!("cannot write {}", file.display()))?;
    let kind = if made.is_conversation { "a conversation" } else { "cases" };
    print_line(format_args!("made {} with {kind} of {} recorded calls", file.display(), made.calls))?;
    if made.has_slow_requests {
        print_line(
            "  A chat with requests of `http.start` becomes cases. The ids of their jobs differ in each run: remove them from `expect`.",
        )?;
    }
    Ok(())
}
