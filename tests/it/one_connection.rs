//! A task must not take a second connection from a pool while it holds one. If as many tasks as the pool has
//! connections did so, they would wait for each other, and block all other work on the database.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Ways to take a connection from a pool. The name of the pool is part of them, because semaphores are acquired too.
const TAKES: [&str; 4] = ["db.acquire().await", "db.begin().await", "pool.acquire().await", "pool.begin().await"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && path.components().any(|part| part.as_os_str() == "src")
        {
            found.push(path);
        }
    }
}

/// The name and indentation of a line that binds a connection or a transaction.
fn held_by(line: &str) -> Option<(&str, usize)> {
    let indentation = line.len() - line.trim_start().len();
    let (names, value) = line.trim_start().strip_prefix("let ")?.split_once(" = ")?;
    let taken = TAKES.iter().find_map(|take| value.find(take))?;
    // If a call borrows the connection, it is returned at the end of the statement.
    if value.get(..taken)?.contains('(') {
        return None;
    }
    let pattern = names.split(':').next()?;
    let name = pattern.rsplit(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty())?;
    Some((name, indentation))
}

/// Lines that take a connection while an earlier line of the same block still holds one.
fn second_connections(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((name, indentation)) = held_by(line) else { continue };
        let ends = [
            format!("drop({name})"),
            format!("{name}.commit()"),
            format!("{name}.rollback()"),
            format!("{name}.close()"),
        ];
        for (later, line) in lines.iter().enumerate().skip(at + 1) {
            let leaves = !line.trim().is_empty() && line.len() - line.trim_start().len() < indentation;
            if leaves || ends.iter().any(|end| line.contains(end)) {
                break;
            }
            if TAKES.iter().any(|take| line.contains(take)) {
                found.push((at + 1, later + 1));
            }
        }
    }
    found
}

#[test]
fn a_task_that_holds_a_connection_asks_for_no_second_one() {
    let host = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../host");
    let mut files = Vec::new();
    sources(&host, &mut files);
    assert!(files.len() > 300, "found only {} source files", files.len());
    let found: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            // Tests of the database at the end of a file may use a second connection.
            let production = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            second_connections(&production).into_iter().map(move |(first, second)| {
                format!("{}: line {first} holds a connection, line {second} asks for one", file.display())
            })
        })
        .collect();
    assert!(found.is_empty(), "give the first connection back before the second is taken:\n{}", found.join("\n"));
}

#[test]
fn the_search_finds_a_second_connection_and_not_a_returned_one() {
    let held = "    let mut db = self.db.acquire().await?;\n    let mut tx = self.db.begin().await?;\n";
    let lent = "    let a = look(&mut *self.db.acquire().await?).await?;\n    let mut tx = self.db.begin().await?;\n";
    let given_back =
        "    let mut tx = db.begin().await?;\n    tx.commit().await?;\n    let mut tx = db.begin().await?;\n";
    let in_a_block = "    {\n        let mut tx = db.begin().await?;\n    }\n    let mut tx = db.begin().await?;\n";
    assert_eq!(second_connections(held), [(1, 2)]);
    for fine in [lent, given_back, in_a_block] {
        assert_eq!(second_connections(fine), []);
    }
}
