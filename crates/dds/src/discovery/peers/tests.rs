use super::*;
use proptest::prelude::*;

fn parsed(text: &str) -> PeerDescriptor {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn all_forms_are_read() {
    let host = PeerHost::Address([10, 0, 0, 1].into());
    let plain = PeerDescriptor {
        indexes: None,
        class: None,
        host,
        port: None,
    };
    let indexes = |first, last| Some(PeerIndexes { first, last });
    assert_eq!(parsed(" 10.0.0.1 "), plain);
    let udp = PeerDescriptor {
        class: Some(PeerClass::Udpv4),
        ..plain.clone()
    };
    assert_eq!(parsed("udpv4://10.0.0.1"), udp);
    assert_eq!(parsed("Builtin.UDPv4://10.0.0.1"), udp);
    for (text, indexes) in [
        ("3@10.0.0.1", indexes(0, 3)),
        ("[3]@10.0.0.1", indexes(3, 3)),
        ("[3-5]@10.0.0.1", indexes(3, 5)),
        ("[0-0]@10.0.0.1", indexes(0, 0)),
    ] {
        let expected = PeerDescriptor {
            indexes,
            ..plain.clone()
        };
        assert_eq!(parsed(text), expected);
    }
    let tcp = parsed("0@tcpv4_lan://172.16.0.1:7400");
    assert_eq!(
        (tcp.class, tcp.port),
        (Some(PeerClass::Tcpv4Lan), Some(7400))
    );
    let name = parsed("tlsv4_wan://some-host.example.org:8000");
    assert_eq!(name.host, PeerHost::Name("some-host.example.org".into()));
    assert_eq!(parsed("4@builtin.shmem://").host, PeerHost::Here);
    assert_eq!(
        parsed("udpv4://239.255.0.1").group(),
        Some([239, 255, 0, 1].into())
    );
    for class in PeerClass::ALL {
        assert_eq!(PeerClass::parse(class.name()), Some(class));
    }
}

#[test]
fn a_mistake_is_shown_where_it_is() {
    let shown = "x@udpv4://10.0.0.1".parse::<PeerDescriptor>().unwrap_err();
    let shown = shown.to_string();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(
        lines[0],
        "peer descriptor, byte 1: \"x\" is not a participant index, which is a number"
    );
    assert_eq!(lines[1..3], ["  x@udpv4://10.0.0.1", "  ^"]);
    assert!(lines[3].starts_with("expected [index@][class://]address[:port]"));
    for (text, carets) in [
        ("200@h", "^^^"),
        ("[1-x]@h", "   ^"),
        ("[3-1]@h", "^^^^^"),
        ("[1@h", "^^"),
        ("-1@h", "^^"),
        ("@h", "^"),
        ("4@udpv6://h", "  ^^^^^"),
        ("tcp://h", "^^^"),
        ("udpv4://", "        ^"),
        ("udpv4://h:99999", "          ^^^^^"),
        ("h:0", "  ^"),
        ("h:", "  ^"),
        ("300.1.1.1", "^^^^^^^^^"),
        ("1.2.3", "^^^^^"),
        ("FAA0::0#localhost", "      ^^^^^^^^^^^"),
        ("0.0.0.0", "^^^^^^^"),
        ("shmem://10.0.0.1", "        ^^^^^^^^"),
        ("ho st", "^^^^^"),
        ("Häuser", "^^^^^^"),
        ("", "^"),
    ] {
        let error = text.parse::<PeerDescriptor>().unwrap_err().to_string();
        let line = error.lines().nth(2).unwrap();
        assert_eq!(line, format!("  {carets}"), "{error}");
    }
}

fn descriptor() -> impl Strategy<Value = PeerDescriptor> {
    let indexes = (0..=MAX_INDEX, 0..=MAX_INDEX).prop_map(|(a, b)| PeerIndexes {
        first: a.min(b),
        last: a.max(b),
    });
    let class = proptest::sample::select(&PeerClass::ALL[..]);
    let address = any::<u32>()
        .prop_map(Ipv4Addr::from)
        .prop_filter("no host", |a| !a.is_unspecified() && !a.is_broadcast());
    let host = prop_oneof![
        address.prop_map(PeerHost::Address),
        "[a-z0-9_-]{0,9}[a-zA-Z][a-z0-9.-]{0,20}".prop_map(PeerHost::Name)
    ];
    let whole = (
        proptest::option::of(indexes),
        proptest::option::of(class),
        host,
        proptest::option::of(1..=u16::MAX),
    );
    whole.prop_map(|(indexes, class, host, port)| {
        let here = class == Some(PeerClass::Shmem);
        PeerDescriptor {
            indexes,
            class,
            host: if here { PeerHost::Here } else { host },
            port: port.filter(|_| !here),
        }
    })
}

/// Whatever is wrong is shown under the text, or where it ends.
fn carets_are_inside(text: &str) {
    let Err(error) = text.parse::<PeerDescriptor>() else {
        return;
    };
    let said = error.to_string();
    let lines: Vec<_> = said.lines().collect();
    let [_, shown, carets, _] = lines[..] else {
        panic!("{} lines: {said}", lines.len());
    };
    let columns = shown.chars().count();
    assert!(carets.trim_start().chars().all(|c| c == '^'), "{said}");
    assert!(carets.trim_start().len() <= columns.max(3), "{said}");
    assert!(carets.len() <= columns + 1, "{said}");
    assert!(error.byte() <= text.len() + 1);
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(peer in descriptor()) {
        prop_assert_eq!(parsed(&peer.to_string()), peer);
    }

    #[test]
    fn anything_is_read_or_refused(text in "\\PC{0,40}") {
        carets_are_inside(&text);
    }

    #[test]
    fn anything_alike_is_read_or_refused(text in "[\\[\\]0-9@x-]{0,8}@?(builtin[.])?(udpv4|shmem|ü|)(://)?[a-z0-9.:ß\\n]{0,12}(:[0-9]{0,6})?") {
        carets_are_inside(&text);
    }

    #[test]
    fn anything_long_is_refused(text in "[a-z@:/\u{1}ö]{250,700}") {
        carets_are_inside(&text);
    }
}
