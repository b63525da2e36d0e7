//! Build tasks that want a Rust library rather than a shell: today one, the JavaScript glue of the wasm module.
//!
//! `xtask bindgen IN.wasm OUT_DIR` does what the `wasm-bindgen` program does for the `web` target, without anybody
//! having to install that program: the version comes from `Cargo.lock`, next to the library it must agree with.
//! It leaves `tepal.js`, `tepal.d.ts`, `tepal_bg.wasm` and `tepal_bg.wasm.d.ts` in OUT_DIR.

use std::path::Path;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindgen", input, out_dir] => match bindgen(Path::new(input), Path::new(out_dir)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("xtask bindgen: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: xtask bindgen IN.wasm OUT_DIR");
            ExitCode::from(2)
        }
    }
}

fn bindgen(input: &Path, out_dir: &Path) -> Result<(), Box<dyn std::error::Error>> {
    Bindgen::new()
        .input_path(input)
        .out_name("tepal")
        .web(true)?
        .typescript(true)
        // Without the default path `init()` of the `web` target does not know its own module.
        .omit_default_module_path(false)
        // Names and producers are for debuggers; wasm-opt would drop them anyway.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out_dir)?;
    Ok(())
}
