//! The output of the public generators for `wit/` compiles unchanged, in every language and every world. The projects
//! in `main.rs` are built with it, and these tests check that it was not modified.

use std::{collections::BTreeMap, path::Path};

use author::{BuildError, Lang, Project, build, new};
use plugin_host::World;
use wit_bindgen_core::Files;
use wit_parser::Resolve;

use crate::{root, worlds};

/// The newest released interface.
pub const NEWEST: &str = "wit/plugin-0.3.0";

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn new_projects_of_every_language_are_built_against_the_newest_interface_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    let released = files(&root().join(NEWEST));
    for lang in [Lang::Rust, Lang::Ts, Lang::Js, Lang::Python, Lang::Go, Lang::C] {
        let project = folder.path().join(format!("hello-{lang}"));
        new::create(&new::NewProject { folder: project.clone(), lang, world: World::Chatbot }).unwrap();
        assert!(files(&project.join("wit/deps/patchbay-plugin")) == released, "{lang}");
    }
}

#[test]
fn go_code_of_the_public_generator_compiles_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for world in worlds(Lang::Go) {
        let place = folder.path().join(format!("hello-{world}"));
        new::create(&new::NewProject { folder: place.clone(), lang: Lang::Go, world }).unwrap();
        // For a snapshot, the build inserts a call into the code.
        let project = Project { snapshot: false, ..Project::open(&place).unwrap() };
        match build::build(&project, &mut |_| {}) {
            Ok(_) => {}
            Err(BuildError::ToolMissing { tool, .. }) if std::env::var_os("CI").is_none() => {
                println!("skipped: {tool} is missing");
                return;
            }
            Err(error) => panic!("{world} does not build: {error}"),
        }
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(place.join("build/wit")).unwrap();
        let selected = resolve.select_world(&[package], Some("plugin")).unwrap();
        let options = wit_bindgen_go::Opts {
            format: wit_bindgen_go::Format::False,
            pkg_name: Some("local/build/bindings".to_owned()),
            quiet: true,
            ..wit_bindgen_go::Opts::default()
        };
        let mut generated = Files::default();
        options.build().generate(&mut resolve, selected, &mut generated).unwrap();
        for (path, contents) in generated.iter() {
            let built = std::fs::read(place.join("build/bindings").join(path)).unwrap();
            assert!(built == contents, "{world}: {path} is not what the generator wrote");
        }
    }
}
