//! Tells the sources which Python is built for (`Py_GIL_DISABLED`).
fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
