//! Build tasks.
