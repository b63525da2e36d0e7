//! `tepal-vectors`: writes the golden vectors, checks them, or runs a script of the cross-language tests.
//!
//! - `tepal-vectors`: writes what is new below tests/vectors; refuses to change a file that is there (`--force` does).
//! - `tepal-vectors --check`: fails unless the folders hold exactly what the core makes.
//! - `tepal-vectors run SCRIPT.json RESULT.json`: Rust's adapter of tests/cross.
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};
use tepal_vectors::{pretty, script, FOLDERS};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => write(false),
        ["--force"] => write(true),
        ["--check"] => check(),
        ["run", script, result] => run(script, result),
        _ => {
            eprintln!("usage: tepal-vectors [--check | --force | run SCRIPT.json RESULT.json]");
            ExitCode::from(2)
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors")
}

/// All golden files: path below tests/vectors → bytes.
fn generate() -> BTreeMap<String, Vec<u8>> {
    let each = FOLDERS
        .iter()
        .flat_map(|(folder, make)| make().into_iter().map(move |(name, bytes)| (format!("{folder}/{name}"), bytes)));
    each.collect()
}

fn write(force: bool) -> ExitCode {
    let folder = folder();
    let files = generate();
    let changed: Vec<_> =
        files.iter().filter(|(name, bytes)| fs::read(folder.join(name)).is_ok_and(|old| old != **bytes)).collect();
    if !changed.is_empty() && !force {
        for (name, _) in &changed {
            eprintln!("would change {name}");
        }
        eprintln!("golden files never change after a release; before one, say --force");
        return ExitCode::FAILURE;
    }
    let mut total = 0;
    for (name, bytes) in &files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap())
            .and_then(|()| fs::write(&path, bytes))
            .expect("the folder can be written");
        total += bytes.len();
    }
    println!("{} files, {total} bytes, {} of them changed", files.len(), changed.len());
    ExitCode::SUCCESS
}

fn check() -> ExitCode {
    let folder = folder();
    let files = generate();
    let there = FOLDERS.iter().flat_map(|(name, _)| present(&folder.join(name), &format!("{name}/")));
    let mut wrong: Vec<String> = there.filter(|name| !files.contains_key(name)).collect();
    wrong.extend(
        files
            .iter()
            .filter(|(name, bytes)| !fs::read(folder.join(name)).is_ok_and(|old| old == **bytes))
            .map(|(name, _)| name.clone()),
    );
    for name in &wrong {
        eprintln!("differs: {name}");
    }
    println!("tepal-vectors: {} golden files, {} differ", files.len(), wrong.len());
    ExitCode::from(u8::from(!wrong.is_empty()))
}

/// The files below a folder, as paths relative to it.
fn present(folder: &Path, prefix: &str) -> Vec<String> {
    let mut all = Vec::new();
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", item.file_name().to_string_lossy());
        match item.path().is_dir() {
            true => all.extend(present(&item.path(), &format!("{name}/"))),
            false => all.push(name),
        }
    }
    all
}

/// A folder on disk, for scripts.
struct Disk;

impl script::Files for Disk {
    fn read(&mut self, name: &str) -> Vec<u8> {
        fs::read(name).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn write(&mut self, name: &str, bytes: &[u8]) {
        fs::write(name, bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

fn run(scripts: &str, result: &str) -> ExitCode {
    let scripts: Value = serde_json::from_slice(&fs::read(scripts).expect("a script")).expect("JSON");
    let outcomes: Vec<Value> = scripts
        .as_array()
        .expect("a list of scripts")
        .iter()
        .map(|steps| script::run(steps.as_array().unwrap(), &mut Disk).into())
        .collect();
    fs::write(result, pretty::pretty(&outcomes.into())).expect("the result can be written");
    ExitCode::SUCCESS
}
