//! Tables of facts for notebooks.

/// A table of names and values.
pub fn table(caption: &str, rows: &[(&str, String)]) -> String {
    let rows: String =
        rows.iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{}</td></tr>", escaped(value))).collect();
    format!("<table><caption>{caption}</caption>{rows}</table>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
