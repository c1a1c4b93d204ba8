//! Which options of perftest an agent accepts: those of a subscriber that writes no file.

/// Without a value.
const FLAGS: &[&str] = &[
    "-sub",
    "-bestEffort",
    "-keyed",
    "-rawTransport",
    "-rawBlocking",
    "-noPrint",
    "-cpu",
    "-nsResolution",
    "-useReadThread",
];

/// With a number up to a limit.
const NUMBERS: &[(&str, u64)] = &[
    ("-dataLen", 1 << 27),
    ("-instances", 10_000_000),
    ("-discoveryTimeout", 600),
    ("-pin", 1_023),
    ("-transportServerBindPort", 65_535),
];

/// With one of these words.
const WORDS: &[(&str, &[&str])] = &[
    ("-transport", &["UDPv4", "TCP"]),
    ("-outputFormat", &["json"]),
];

/// With an IPv4 address, of the peer also with a port.
const ADDRESSES: &[&str] = &["-nic", "-peer"];

/// Whether perftest may be started with these arguments; the error names the first that may not be.
pub fn check(arguments: &[String]) -> Result<(), String> {
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        if FLAGS.contains(&option.as_str()) {
            continue;
        }
        let value = rest.next().map_or("", String::as_str);
        if !allowed(option, value) {
            return Err(format!("an agent does not take {option} {value}")
                .trim_end()
                .into());
        }
    }
    match arguments.iter().any(|argument| argument == "-sub") {
        true => Ok(()),
        false => Err("an agent is a subscriber (-sub)".into()),
    }
}

fn allowed(option: &str, value: &str) -> bool {
    let number = NUMBERS.iter().find(|(name, _)| *name == option);
    let word = WORDS.iter().find(|(name, _)| *name == option);
    match (number, word) {
        (Some((_, limit)), _) => {
            let digits = value.bytes().all(|byte| byte.is_ascii_digit());
            digits && value.parse().is_ok_and(|number: u64| number <= *limit)
        }
        (_, Some((_, words))) => words.contains(&value),
        _ => ADDRESSES.contains(&option) && is_address(value),
    }
}

fn is_address(value: &str) -> bool {
    let with_port = value.parse::<std::net::SocketAddrV4>().is_ok();
    with_port || value.parse::<std::net::Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn what_a_campaign_says_is_allowed() {
        let line = "-transport TCP -dataLen 10485760 -discoveryTimeout 20 -noPrint -cpu -nsResolution -outputFormat json \
                    -keyed -instances 100000 -sub -nic 10.0.0.2 -transportServerBindPort 7400 -peer 10.0.0.1:7400";
        assert_eq!(check(&words(line)), Ok(()));
    }

    #[test]
    fn all_else_is_not() {
        for line in [
            "-pub",
            "-noPrint",
            "-sub -outputFile /etc/passwd",
            "-sub -transportCertFile x",
            "-sub -outputFormat csv",
            "-sub -dataLen 99999999999",
            "-sub -dataLen +5",
            "-sub -dataLen",
            "-sub -peer example.org",
            "-sub -peer 10.0.0.1;reboot",
            "-sub -nic=lo",
            "-sub campaign",
            "-SUB -sub",
        ] {
            assert!(check(&words(line)).is_err(), "{line}");
        }
    }
}
