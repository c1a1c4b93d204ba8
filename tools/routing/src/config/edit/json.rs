//! Keys of a route in JSON, as TOML.
use ::toml::{Table, Value as Toml};
use serde_json::Value as Json;

/// The keys with values as TOML, and those whose value is `null`.
///
/// # Errors
/// What is wrong, in words.
pub(super) fn to_toml(text: &str) -> Result<(String, Vec<String>), String> {
    let value: Json = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let Json::Object(keys) = value else {
        return Err("an object with keys of a route is expected".to_owned());
    };
    let (mut table, mut reset) = (Table::new(), Vec::new());
    for (key, value) in keys {
        match value {
            Json::Null => reset.push(key),
            value => {
                let value = convert(&key, value)?;
                table.insert(key, value);
            }
        }
    }
    let text = ::toml::to_string(&table).map_err(|error| error.to_string())?;
    Ok((text, reset))
}

fn convert(key: &str, value: Json) -> Result<Toml, String> {
    Ok(match value {
        Json::Null => return Err(format!("null within {key}: leave it out")),
        Json::Bool(is) => Toml::Boolean(is),
        Json::String(text) => Toml::String(text),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Toml::Integer(integer),
            (None, Some(float)) => Toml::Float(float),
            (None, None) => return Err(format!("{number} in {key} is too large")),
        },
        Json::Array(all) => {
            let all = all.into_iter().map(|one| convert(key, one));
            Toml::Array(all.collect::<Result<_, _>>()?)
        }
        Json::Object(all) => {
            let all = all.into_iter();
            let all = all.map(|(name, one)| convert(&name, one).map(|one| (name, one)));
            Toml::Table(all.collect::<Result<_, _>>()?)
        }
    })
}
