//! The properties of a connection, and what zenoh is told of them.
use dunlin_routing::adapter::{AdapterProperties, WrongProperty};
use serde_json::{Value, json};
use std::path::Path;
use zenoh::Config;

/// What the properties of a connection are called.
const NAMES: [&str; 10] = [
    "connect",
    "listen",
    "scope",
    "site",
    "mode",
    "tls.ca",
    "tls.certificate",
    "tls.key",
    "max_sessions",
    "file",
];
const MODES: [&str; 3] = ["peer", "client", "router"];

/// What a connection is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) mode: String,
    pub(crate) connect: Vec<String>,
    pub(crate) listen: Vec<String>,
    pub(crate) scope: String,
    /// Its other services take over from this one.
    pub(crate) site: Option<String>,
    tls: [Option<String>; 3],
    max_sessions: Option<u32>,
    file: Option<String>,
}

fn wrong(name: &str, message: String) -> WrongProperty {
    WrongProperty {
        name: Some(name.to_owned()),
        message,
    }
}

impl Settings {
    /// # Errors
    /// Which property is wrong, and what would be right.
    pub(crate) fn of(properties: &AdapterProperties) -> Result<Self, WrongProperty> {
        if let Some(name) = properties.keys().find(|name| !NAMES.contains(&&***name)) {
            let names = NAMES.join(", ");
            let message = format!("a zenoh connection has no {name:?}; it has {names}");
            return Err(wrong(name, message));
        }
        let text = |name: &str| properties.get(name).cloned();
        let list = |name: &str| {
            let all = text(name).unwrap_or_default();
            let all = all.split(',').map(|one| one.trim().to_owned());
            all.filter(|one| !one.is_empty()).collect::<Vec<_>>()
        };
        let settings = Self {
            mode: text("mode").unwrap_or_else(|| "peer".to_owned()),
            connect: list("connect"),
            listen: list("listen"),
            scope: text("scope").unwrap_or_else(|| "dunlin".to_owned()),
            site: text("site").filter(|site| !site.is_empty()),
            tls: ["tls.ca", "tls.certificate", "tls.key"].map(text),
            max_sessions: match text("max_sessions") {
                None => None,
                Some(count) => Some(count.parse().map_err(|_| {
                    let message = format!("max_sessions is {count:?}; it is a number");
                    wrong("max_sessions", message)
                })?),
            },
            file: text("file"),
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), WrongProperty> {
        if !MODES.contains(&&*self.mode) {
            let (mode, modes) = (&self.mode, MODES.join(", "));
            return Err(wrong(
                "mode",
                format!("there is no mode {mode:?}; there are {modes}"),
            ));
        }
        for (name, all) in [("connect", &self.connect), ("listen", &self.listen)] {
            for locator in all {
                self.check_locator(name, locator)?;
            }
        }
        if self.mode == "client" && !self.listen.is_empty() {
            let message = "a client does not listen: leave listen out, or mode = \"peer\"";
            return Err(wrong("listen", message.to_owned()));
        }
        if self.connect.is_empty() && self.listen.is_empty() && self.file.is_none() {
            return Err(WrongProperty {
                name: None,
                message: "a zenoh connection needs connect = [\"tcp/HOST:7447\"], \
                          or listen = [\"tcp/0.0.0.0:7447\"] for others to connect to"
                    .to_owned(),
            });
        }
        match &self.tls {
            [_, Some(_), None] => {
                let message = "tls.certificate needs its tls.key: files in PEM";
                return Err(wrong("tls.certificate", message.to_owned()));
            }
            [_, None, Some(_)] => {
                let message = "tls.key needs its tls.certificate: files in PEM";
                return Err(wrong("tls.key", message.to_owned()));
            }
            _ => {}
        }
        let files = ["tls.ca", "tls.certificate", "tls.key"]
            .iter()
            .zip(&self.tls);
        for (name, file) in files.chain([(&"file", &self.file)]) {
            if let Some(file) = file
                && let Err(error) = std::fs::File::open(Path::new(file))
            {
                return Err(wrong(
                    name,
                    format!("{name} {file:?} cannot be read: {error}"),
                ));
            }
        }
        Ok(())
    }

    fn check_locator(&self, name: &str, locator: &str) -> Result<(), WrongProperty> {
        let expected = "write tcp/HOST:PORT or tls/HOST:PORT";
        let parsed = locator.split_once('/').and_then(|(protocol, rest)| {
            let (host, port) = rest.rsplit_once(':')?;
            let is_port = port.parse::<u16>().is_ok();
            (is_port && !host.is_empty()).then_some(protocol)
        });
        match parsed {
            None => Err(wrong(
                name,
                format!("{locator:?} is no locator: {expected}"),
            )),
            Some("tcp") => Ok(()),
            Some("tls") if self.tls[0].is_none() && name == "connect" => {
                let message =
                    format!("{locator:?} needs tls.ca: who signs the other's certificate");
                Err(wrong(name, message))
            }
            Some("tls") if self.tls[1].is_none() && name == "listen" => {
                let message = format!("{locator:?} needs tls.certificate and tls.key");
                Err(wrong(name, message))
            }
            Some("tls") => Ok(()),
            Some(other) => {
                let message =
                    format!("{locator:?}: no transport {other:?} is built in: {expected}");
                Err(wrong(name, message))
            }
        }
    }

    /// What zenoh is told. `waits` is true if it starts though nobody is there to connect to.
    ///
    /// # Errors
    /// What zenoh does not understand, in a line.
    pub(crate) fn zenoh(&self, waits: bool) -> Result<Config, String> {
        let line = |error: &dyn std::fmt::Display| error.to_string().replace('\n', " ");
        let mut config = match &self.file {
            Some(file) => Config::from_file(file).map_err(|error| line(&error))?,
            None => Config::default(),
        };
        let mut set = |key: &str, value: Value| {
            let set = config.insert_json5(key, &value.to_string());
            set.map_err(|error| format!("{key}: {}", line(&error)))
        };
        set("mode", json!(self.mode))?;
        if self.file.is_none() || !self.connect.is_empty() {
            set("connect/endpoints", json!(self.connect))?;
        }
        if self.file.is_none() || !self.listen.is_empty() {
            set("listen/endpoints", json!(self.listen))?;
        }
        if self.file.is_none() {
            // Nobody is spoken to that no configuration names.
            set("scouting/multicast/enabled", json!(false))?;
        }
        set("connect/timeout_ms", json!(if waits { -1 } else { 0 }))?;
        set("connect/exit_on_failure", json!(!waits))?;
        let retry = json!({
            "period_init_ms": 200,
            "period_max_ms": 1000,
            "period_increase_factor": 2.0,
        });
        set("connect/retry", retry)?;
        if let Some(most) = self.max_sessions {
            set("transport/unicast/max_sessions", json!(most))?;
        }
        let [ca, certificate, key] = &self.tls;
        if let Some(ca) = ca {
            set("transport/link/tls/root_ca_certificate", json!(ca))?;
        }
        if let (Some(certificate), Some(key)) = (certificate, key) {
            for side in ["listen", "connect"] {
                let at = |what: &str| format!("transport/link/tls/{side}_{what}");
                set(&at("certificate"), json!(certificate))?;
                set(&at("private_key"), json!(key))?;
            }
            set("transport/link/tls/enable_mtls", json!(ca.is_some()))?;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[(&str, &str)]) -> Result<Settings, WrongProperty> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Settings::of(&all.iter().map(owned).collect())
    }

    #[test]
    fn what_is_right_is_understood_by_zenoh() {
        let few = of(&[("connect", "tcp/127.0.0.1:7447, tcp/[::1]:7448")]).unwrap();
        assert_eq!(
            (few.connect.len(), &*few.mode, &*few.scope),
            (2, "peer", "dunlin")
        );
        few.zenoh(true).unwrap();
        let router = of(&[
            ("listen", "tcp/0.0.0.0:7447"),
            ("mode", "router"),
            ("max_sessions", "2000"),
            ("scope", "yard7"),
        ]);
        router.unwrap().zenoh(false).unwrap();
    }

    #[test]
    fn what_is_wrong_is_told_with_its_name_in_a_line() {
        let file = "/there/is/no/such/file.pem";
        let connect = ("connect", "tcp/127.0.0.1:7447");
        for (wrong, name, says) in [
            (vec![], None, "needs connect"),
            (vec![("conect", "x")], Some("conect"), "it has connect,"),
            (
                vec![("connect", "127.0.0.1:7447")],
                Some("connect"),
                "tcp/HOST:PORT",
            ),
            (
                vec![("connect", "tcp/h:99999")],
                Some("connect"),
                "no locator",
            ),
            (
                vec![("connect", "quic/h:7447")],
                Some("connect"),
                "no transport \"quic\"",
            ),
            (
                vec![("connect", "tls/h:7447")],
                Some("connect"),
                "needs tls.ca",
            ),
            (
                vec![("listen", "tls/h:7447")],
                Some("listen"),
                "needs tls.certificate",
            ),
            (
                vec![connect, ("mode", "hub")],
                Some("mode"),
                "peer, client, router",
            ),
            (
                vec![connect, ("max_sessions", "x")],
                Some("max_sessions"),
                "a number",
            ),
            (
                vec![connect, ("tls.ca", file)],
                Some("tls.ca"),
                "No such file",
            ),
            (
                vec![connect, ("tls.key", file)],
                Some("tls.key"),
                "tls.certificate",
            ),
            (
                vec![("listen", "tcp/h:1"), ("mode", "client")],
                Some("listen"),
                "a client",
            ),
        ] {
            let error = of(&wrong).unwrap_err();
            assert_eq!(error.name.as_deref(), name, "{error:?}");
            assert!(error.message.contains(says), "{error:?}");
            assert!(!error.message.contains('\n'), "{error:?}");
        }
    }
}
