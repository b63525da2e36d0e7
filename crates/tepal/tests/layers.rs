//! The order of the core's modules, checked: each may use only those before it, and none knows a binding.
//!
//! A new module takes its place in `ORDER`. What is compared is every `crate::…` path of the code proper: comments,
//! strings and `#[cfg(test)]` modules at the end of a file are left out. On a target without the sources nothing is checked.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From what knows nothing to what knows most.
const ORDER: [&str; 30] = [
    "error", "math", "lock", "hash", "siphash", "murmur", "key", "scheme", "arg", "metadata", "layout", "bits",
    "chain", "sizing", "series", "facts", "stream", "disk", "format", "interop", "bloom", "bulk", "combine", "level",
    "scalable", "explain", "serial", "file", "exchange", "any",
];
/// Modules that other modules of the core do not use: what they add to `BloomFilter` is for callers.
const LEAVES: [&str; 6] = ["bulk", "explain", "serial", "file", "exchange", "any"];
const BINDINGS: [&str; 10] =
    ["pyo3", "napi", "wasm_bindgen", "wasm-bindgen", "js_sys", "PyErr", "PyAny", "JsValue", "cpython", "libpython"];
const MOST_LINES: usize = 400;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// (module, path, text) of every source file.
fn sources() -> Vec<(String, PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(root()).unwrap();
                let first = inside.iter().next().unwrap().to_str().unwrap();
                let text = fs::read_to_string(&path).unwrap();
                files.push((first.trim_end_matches(".rs").to_string(), path, text));
            }
        }
    }
    files.sort();
    assert!(files.len() >= ORDER.len(), "sources not found");
    files
}

/// The code without comments and string contents, up to a test module that ends the file.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let mut out = String::new();
    for line in text.lines() {
        let mut in_string = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if in_string => {
                    chars.next();
                }
                '"' => in_string = !in_string,
                '/' if !in_string && chars.peek() == Some(&'/') => break,
                c if !in_string => out.push(c),
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

/// The modules that the code names as `crate::module` or inside `crate::{…}`.
fn used(code: &str) -> BTreeSet<String> {
    let word = |s: &str| s.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut all = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if !rest.starts_with('{') {
            all.insert(word(rest));
            continue;
        }
        let (mut depth, mut item_begins) = (0, false);
        for (i, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if item_begins && depth == 1 && !c.is_whitespace() {
                all.insert(word(&rest[i..]));
            }
            item_begins = depth == 1 && (c == '{' || c == ',' || (item_begins && c.is_whitespace()));
        }
    }
    all.remove("");
    all
}

#[test]
fn modules_use_only_what_stands_before_them() {
    let rank = |module: &str| ORDER.iter().position(|m| *m == module);
    for (module, path, text) in sources() {
        if module == "lib" {
            continue;
        }
        let own = rank(&module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        for name in used(&code(&text)) {
            if name == module {
                continue; // a folder's files among themselves
            }
            let other = rank(&name).unwrap_or_else(|| panic!("{}: crate::{name} is no module", path.display()));
            assert!(other < own, "{}: {module} may not use {name}, which comes later", path.display());
            assert!(!LEAVES.contains(&name.as_str()), "{}: {module} uses {name}, a leaf", path.display());
        }
    }
}

#[test]
fn modules_are_those_of_lib() {
    let lib = code(&fs::read_to_string(root().join("lib.rs")).unwrap());
    let declared: BTreeSet<&str> = lib
        .lines()
        .filter_map(|l| l.trim().trim_start_matches("pub ").strip_prefix("mod ")?.trim().strip_suffix(';'))
        .collect();
    assert_eq!(declared, ORDER.into_iter().collect());
}

#[test]
fn no_binding_is_known_here() {
    let mut texts: Vec<(String, String)> =
        sources().into_iter().map(|(_, path, text)| (path.display().to_string(), text)).collect();
    let manifest = root().parent().unwrap().join("Cargo.toml");
    texts.push(("Cargo.toml".into(), fs::read_to_string(manifest).unwrap()));
    for (path, text) in texts {
        for name in BINDINGS {
            assert!(!text.contains(name), "{path} names {name}");
        }
    }
}

#[test]
fn the_core_depends_on_one_crate() {
    let manifest = fs::read_to_string(root().parent().unwrap().join("Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names: Vec<&str> = section.lines().filter_map(|l| Some(l.split_once('=')?.0.trim())).collect();
    assert_eq!(names, ["xxhash-rust"]);
}

#[test]
fn files_open_with_a_promise_and_stay_short() {
    for (_, path, text) in sources() {
        assert!(text.starts_with("//! "), "{} does not say what it is", path.display());
        let lines = code(&text).lines().filter(|l| !l.trim().is_empty()).count();
        assert!(lines <= MOST_LINES, "{}: {lines} lines of code", path.display());
    }
}

#[test]
fn unsafe_code_stands_in_two_files() {
    for (module, path, text) in sources() {
        let code = code(&text);
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        assert!(
            module == "bits" || module == "chain" || !words.any(|word| word == "unsafe"),
            "{} has unsafe code",
            path.display()
        );
    }
}

#[test]
fn the_check_itself_sees_every_form() {
    let text = "use crate::{arg, layout::{Layout, Line}};\nuse crate::bits::Owned; // crate::comment\nlet s = \"crate::string\";\nlet x = crate::hash::checksum(y);\n#[cfg(test)]\nmod tests { use crate::any; }";
    let names: Vec<String> = used(&code(text)).into_iter().collect();
    assert_eq!(names, ["arg", "bits", "hash", "layout"]);
}
