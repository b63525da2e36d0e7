/**
 * Entry for pages that use filters of servers or of other libraries: `tepal` with a larger module for `ScalableBloomFilter`. Take one of the two
 * for all of a page; in Node, Workers and edge runtimes `tepal` has the schemes anyway.
 */
export * from "./browser.js";
