//! New projects.

use std::path::Path;

use author::{
    Lang, Project,
    new::{NewError, NewProject, create},
};
use plugin_host::World;

fn make(folder: &Path, lang: Lang, world: World) -> Result<author::new::CreatedProject, NewError> {
    create(&NewProject { folder: folder.to_owned(), lang, world })
}

#[test]
fn every_language_and_world_gives_a_whole_project() {
    let folder = tempfile::tempdir().unwrap();
    for lang in Lang::ALL {
        for world in World::ALL {
            let root = folder.path().join(format!("{lang}-{world}"));
            let created = make(&root, lang, world).unwrap_or_else(|error| panic!("{lang} {world}: {error}"));
            let project = Project::open(&root).unwrap();
            assert_eq!((project.lang, project.world, project.name), (lang, world, format!("{lang}-{world}")));
            assert_eq!(project.snapshot, lang == Lang::Go, "{lang} {world}");
            for file in ["wit/deps/patchbay-plugin/types.wit", ".gitignore", "README.md"] {
                assert!(root.join(file).is_file(), "{lang} {world}: {file}");
            }
            let tests = std::fs::read_dir(root.join("tests")).unwrap().count();
            assert!(tests > 0, "{lang} {world} has no test");
            for file in &created.files {
                let text = std::fs::read_to_string(root.join(file)).unwrap();
                for mark in ["{{name}}", "{{crate_name}}", "{{world}}", "{{lang}}"] {
                    assert!(!text.contains(mark), "{lang} {world}: {} holds {mark}", file.display());
                }
            }
        }
    }
}

#[test]
fn a_snapshot_is_for_go_only() {
    let folder = tempfile::tempdir().unwrap();
    let open = |more: &str| {
        let text = format!("name = \"bot\"\nworld = \"chatbot\"\nsnapshot = true\n{more}");
        std::fs::write(folder.path().join("plugin.toml"), text).unwrap();
        Project::open(folder.path()).map_err(|error| error.to_string())
    };
    assert!(open("lang = \"go\"\n").unwrap().snapshot);
    for other in ["lang = \"js\"\n", "lang = \"go\"\nbuild = \"make\"\noutput = \"bot.wasm\"\n"] {
        let refused = open(other).unwrap_err();
        assert!(refused.contains("`snapshot` is for lang = \"go\""), "{refused}");
    }
}

#[test]
fn the_export_validation_is_not_added_to_rust_and_built_in_plugins() {
    let folder = tempfile::tempdir().unwrap();
    let open = |more: &str| {
        let text = format!("name = \"bot\"\nworld = \"chatbot\"\nvalidates = true\n{more}");
        std::fs::write(folder.path().join("plugin.toml"), text).unwrap();
        Project::open(folder.path()).map_err(|error| error.to_string())
    };
    for lang in ["js", "ts", "python", "go", "c"] {
        assert!(open(&format!("lang = \"{lang}\"\n")).unwrap().validates, "{lang}");
    }
    assert!(open("lang = \"rust\"\nbuild = \"make\"\noutput = \"bot.wasm\"\n").unwrap().validates);
    for other in ["lang = \"rust\"\n", "built-in = \"flow\"\n"] {
        let refused = open(other).unwrap_err();
        assert!(
            refused.contains("`validates` is not for Rust") && refused.contains("export_config_check"),
            "{refused}"
        );
    }
}

#[test]
fn a_rust_project_is_its_own_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("my-bot");
    make(&root, Lang::Rust, World::Chatbot).unwrap();
    let manifest = std::fs::read_to_string(root.join("sdk/Cargo.toml")).unwrap();
    assert!(!manifest.contains("workspace"), "{manifest}");
    assert!(manifest.contains("wit-bindgen") && manifest.contains("name = \"patchbay-plugin-sdk\""), "{manifest}");
    let sdk = std::fs::read_to_string(root.join("sdk/src/lib.rs")).unwrap();
    assert!(sdk.contains("../wit/deps/patchbay-plugin") && !sdk.contains("../../wit"), "the SDK finds the interface");
    let crate_name = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(crate_name.contains("my_bot") || crate_name.contains("my-bot"), "{crate_name}");
}

#[test]
fn existing_files_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("bot");
    std::fs::create_dir(&root).unwrap();
    make(&root, Lang::C, World::Chatbot).unwrap();
    let again = make(&root, Lang::C, World::Chatbot).unwrap_err().to_string();
    assert!(again.contains("exists and is not empty"), "{again}");
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert!(make(&file, Lang::C, World::Chatbot).is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
}

#[test]
fn a_name_that_no_plugin_can_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["-bot", "my bot", "böt", &"x".repeat(65)] {
        let error = make(&folder.path().join(name), Lang::Js, World::Router).unwrap_err().to_string();
        assert!(error.contains("cannot be the name of a plugin"), "{error}");
    }
    make(&folder.path().join("x".repeat(64)), Lang::Js, World::Router).unwrap();
}

#[test]
fn the_next_steps_are_shown_as_commands() {
    let folder = tempfile::tempdir().unwrap();
    let created = make(&folder.path().join("bot"), Lang::Go, World::Chatbot).unwrap();
    let steps = created.next_steps();
    for command in ["cd ", "patchbay plugin test", "patchbay plugin run", "patchbay plugin push"] {
        assert!(steps.contains(command), "{steps}");
    }
    let steps = make(&folder.path().join("roads"), Lang::Go, World::SmsRouter).unwrap().next_steps();
    assert!(steps.contains("patchbay plugin test") && !steps.contains("patchbay plugin run"), "{steps}");
}

#[test]
fn a_folder_without_a_project_is_refused_with_the_command_that_creates_one() {
    let folder = tempfile::tempdir().unwrap();
    let error = Project::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("patchbay plugin new"), "{error}");
    for (text, wrong) in [
        ("name = \"a b\"\nlang = \"rust\"\nworld = \"chatbot\"", "cannot be the name"),
        ("name = \"a\"\nlang = \"cobol\"\nworld = \"chatbot\"", "cobol"),
        ("name = \"a\"\nlang = \"c\"\nworld = \"chatbot\"\ncolour = 1", "colour"),
    ] {
        std::fs::write(folder.path().join("plugin.toml"), text).unwrap();
        let error = Project::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}
