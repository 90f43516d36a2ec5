//! Two builds of the same sources.

use author::{BuildError, Lang, Project, build, new};
use plugin_host::World;

/// The tools for JavaScript, TypeScript and Python keep seeds and clocks of the build in a component, and have no option
/// against it.
#[test]
fn two_builds_of_the_same_sources_in_c_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("twice");
    new::create(&new::NewProject { folder: root.clone(), lang: Lang::C, world: World::Router }).unwrap();
    let project = Project::open(&root).unwrap();
    let mut components = vec![];
    for _ in 0..2 {
        match build::build(&project, &mut |_| {}) {
            Ok(component) => components.push(std::fs::read(component).unwrap()),
            Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
                println!("skipped: {tool} is missing");
                return;
            }
            Err(error) => panic!("{error}"),
        }
        std::fs::remove_dir_all(root.join("build")).unwrap();
    }
    assert!(components[0] == components[1]);
}
