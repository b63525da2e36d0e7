//! JSON that a person can read and a diff can show: what fits on a line stays on one line.
use serde_json::Value;

const WIDTH: usize = 118;

/// The text of a JSON document, with a line break at its end.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    put(value, 0, 0, &mut out);
    out.push('\n');
    out
}

/// `before`: how much of the line is taken by indentation and name.
fn put(value: &Value, indent: usize, before: usize, out: &mut String) {
    let flat = spaced(value);
    let broken = before + flat.chars().count() > WIDTH;
    match value {
        Value::Array(items) if broken => block(out, indent, '[', ']', items.iter().map(|item| (String::new(), item))),
        Value::Object(fields) if broken => block(
            out,
            indent,
            '{',
            '}',
            fields.iter().map(|(name, item)| (format!("{}: ", Value::from(name.as_str())), item)),
        ),
        _ => out.push_str(&flat),
    }
}

fn block<'a>(
    out: &mut String,
    indent: usize,
    open: char,
    close: char,
    items: impl Iterator<Item = (String, &'a Value)>,
) {
    out.push(open);
    for (i, (name, item)) in items.enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 1));
        out.push_str(&name);
        put(item, indent + 1, indent + 2 + name.len(), out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

/// One line, with a space behind each comma and colon.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, item)| format!("{}: {}", Value::from(name.as_str()), spaced(item)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
