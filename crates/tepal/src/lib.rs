//! tepal
