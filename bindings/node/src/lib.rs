//! The Node-API addon: the core for Node, Bun and Deno on their own processor.
//!
//! It exports `open()` and `openScalable()`, whose results implement the native operations of `npm/src/backend.ts`. It translates
//! and decides nothing. No panic crosses the border; several threads and several copies of the package may load it.
#![allow(missing_docs)] // the public face is the TypeScript one

mod bloom; // the operations of BloomFilter alone
mod call; // one call from JavaScript: its arguments, its result, its error
mod common; // the operations of every class
mod instance; // what one `open()` owns: handles, arena, the maker of exceptions
mod keys; // the hot operations: one key or many from the arena
mod kind; // what every class of filter is
mod operations; // the table of all names
mod scalable; // the operations of ScalableBloomFilter alone
mod share; // filters that several threads hold
mod tasks; // load, map and save on libuv's threads

use napi::{bindgen_prelude::Object, Env};

#[napi_derive::napi(module_exports)]
pub fn register(exports: Object, env: Env) -> napi::Result<()> {
    operations::export_open(env.raw(), napi::JsValue::raw(&exports))
}
