//! Which option an argument means: scripts abbreviate, and the original accepts any beginning of a
//! name.

use super::table::{ALIASES, OPTIONS, Spec};

/// The outcome of looking a name up.
#[derive(Debug)]
pub(crate) enum Found {
    /// The option, and a value that the spelling itself brings along.
    Option(&'static Spec, Option<&'static str>),
    /// The option that the original takes for an ambiguous beginning; worth a note.
    Guess(&'static Spec),
    /// No option; names that look alike.
    Unknown(Vec<&'static str>),
}

/// Finds the option for a name without its dashes: exact match first, then older spellings, then
/// the only option with this beginning, then the first one in the byte order of the names, which is
/// the order of the original.
pub(crate) fn find(typed: &str) -> Found {
    if let Some(spec) = exact(typed) {
        return Found::Option(spec, None);
    }
    if let Some((_, name, value)) = ALIASES
        .iter()
        .find(|(alias, ..)| alias.eq_ignore_ascii_case(typed))
    {
        return exact(name).map_or_else(unknown(typed), |spec| Found::Option(spec, *value));
    }
    match candidates(typed).as_slice() {
        [] => unknown(typed)(),
        [only] => Found::Option(only, None),
        // Only one of the original's options begins so.
        [first, second, ..] if !first.ours && second.ours => Found::Option(first, None),
        [first, ..] => Found::Guess(first),
    }
}

fn exact(name: &str) -> Option<&'static Spec> {
    OPTIONS
        .iter()
        .find(|spec| spec.name.eq_ignore_ascii_case(name))
}

/// Options that begin so, the original's before ours, each in byte order of the names.
fn candidates(typed: &str) -> Vec<&'static Spec> {
    let begins = |spec: &&Spec| {
        spec.name
            .get(..typed.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(typed))
    };
    let mut found: Vec<_> = OPTIONS.iter().filter(begins).collect();
    found.sort_by_key(|spec| (spec.ours, spec.name));
    found
}

fn unknown(typed: &str) -> impl FnOnce() -> Found + use<> {
    let similar = similar(typed);
    move || Found::Unknown(similar)
}

/// Up to three names close to what was typed.
fn similar(typed: &str) -> Vec<&'static str> {
    dunlin_campaign::spelling::similar(typed, OPTIONS.iter().map(|spec| spec.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(typed: &str) -> &'static str {
        match find(typed) {
            Found::Option(spec, _) | Found::Guess(spec) => spec.name,
            Found::Unknown(_) => "",
        }
    }

    /// Every row of the table of abbreviations, and what scripts in the wild use.
    #[test]
    fn abbreviations_mean_what_they_mean_in_the_original() {
        let rows = "
            p peer | pu pub | pub pub | b batchSize | ba batchSize | be bestEffort | best bestEffort
            d dataLen | da dataLen | dat dataLen | data dataLen | do doNotDropNetworkCapture | dom domain
            e enable-message-length | ex executionTime | exec executionTime
            i initialBurstSize | in initialBurstSize | initialBurst initialBurstSize
            ins instanceHashBuckets | instance instanceHashBuckets | instances instances
            k keepDurationUsec | key keyed | l latencyCount | lat latencyCount | latency latencyCount
            latencyT latencyTest | latencyF latencyFile | n networkCapture | ni nic
            no noBlockingSockets | noP noPositiveAcks | noPr noPrintIntervals | noPrint noPrintIntervals
            noD noDirectCommunication | noO noOutputHeaders | noX noXmlQos | noXML noXmlQos
            nu numIter | num numIter | numS numSubscribers | numP numPublishers
            o outputFile | output outputFile | outputFo outputFormat | q qosFile | qos qosFile | qosL qosLibrary
            r rawTransport | raw rawTransport | receiveQ receiveQueueSize | send sendBufferSize | sendQ sendQueueSize
            t threadCPUAffinity | tr transport | transport transport | u unbounded | us useReadThread
            w waitsetDelayUsec | wait waitsetDelayUsec | wr writeInstance | writer writerStats
            c cacheStats | cp cpu | cr crc | cf cft | m maximumAllocableBufferSize | mu multicast | me messageSizeMax
            sid sidMultiSubTest | pid pidMultiPubTest | f flatData | flo flowController
            s secureCertAuthority | secure secureCertAuthority | su sub | sub sub
            LATENCYTEST latencyTest | DataLen dataLen | datalen dataLen | noprint noPrintIntervals | tra transport
            pubR pubRate | crcK crcKind | multicastA multicastAddr | v verbosity | z zeroCopy | dis discoveryTimeout";
        for row in rows
            .split(['|', '\n'])
            .map(str::trim)
            .filter(|row| !row.is_empty())
        {
            let (typed, meant) = row.split_once(' ').unwrap();
            assert_eq!(name(typed), meant, "-{typed}");
        }
    }

    #[test]
    fn full_names_reach_their_own_option() {
        for spec in OPTIONS {
            assert_eq!(name(spec.name), spec.name);
            assert_eq!(name(&spec.name.to_uppercase()), spec.name);
        }
    }

    #[test]
    fn an_unknown_name_brings_names_that_look_alike() {
        let Found::Unknown(similar) = find("latencyTset") else {
            panic!("found")
        };
        assert_eq!(similar.first(), Some(&"latencyTest"));
        assert!(matches!(find("foo"), Found::Unknown(_)));
        for (typed, meant) in [
            ("latency-test", "latencyTest"),
            ("pbu", "pub"),
            ("datLaen", "dataLen"),
        ] {
            let Found::Unknown(similar) = find(typed) else {
                panic!("{typed} is found")
            };
            assert_eq!(similar.first(), Some(&meant), "{typed}");
        }
    }

    #[test]
    fn older_spellings_bring_their_value() {
        let Found::Option(spec, Some(value)) = find("debug") else {
            panic!("not found")
        };
        assert_eq!((spec.name, value), ("verbosity", "3"));
    }
}
