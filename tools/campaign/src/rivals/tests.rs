use super::*;

fn cell(transport: &str, reliable: bool, size: u64) -> Cell {
    Cell {
        system: String::new(),
        transport: transport.into(),
        mode: Mode::Latency,
        reliable,
        keyed: false,
        zero_copy: false,
        blocking: false,
        size,
        chapter: String::new(),
        variant: Default::default(),
    }
}

fn has(rival: Rival, cell: &Cell) -> bool {
    Peer::new(rival).has(cell).is_ok()
}

#[test]
fn each_rival_is_asked_for_what_it_has() {
    use Rival::*;
    let with = |rivals: &[Rival], cell: &Cell| {
        let here: Vec<_> = Rival::ALL
            .into_iter()
            .filter(|rival| has(*rival, cell))
            .collect();
        assert_eq!(here, rivals, "{cell:?}");
    };
    with(&[Cyclone, FastDds], &cell("UDPv4", true, 32));
    with(&[Cyclone, FastDds, Zenoh], &cell("UDPv4", false, 32));
    with(&[FastDds, Iceoryx2], &cell("SHMEM", true, 32));
    with(&[FastDds, Iceoryx2, Zenoh], &cell("SHMEM", true, 1 << 20));
    with(&[FastDds], &cell("SHMEM", false, 1 << 20));
    with(&[FastDds, Zenoh], &cell("TCP", true, 32));
    with(&[], &cell("TLS", true, 32));
    let mut keyed = cell("UDPv4", true, 32);
    keyed.keyed = true;
    with(&[], &keyed);
    let mut copies = cell("SHMEM", true, 1 << 20);
    copies.zero_copy = true;
    with(&[Iceoryx2], &copies);
    let mut stream = cell("UDPv4", true, 32);
    stream.mode = Mode::Throughput { batched: true };
    with(&[Cyclone], &stream);
    stream.mode = Mode::Loaded { rate: 10.0 };
    with(&[], &stream);
}

#[test]
fn programs_of_ours_do_what_rivals_do_not() {
    let mut keyed = cell("UDPv4", true, 32);
    keyed.keyed = true;
    assert!(has(Rival::Api, &keyed) && !has(Rival::PlainUdp, &keyed));
    let mut many = cell("UDPv4", true, 1_024);
    many.mode = Mode::Throughput { batched: false };
    many.variant.readers = 10;
    assert!(has(Rival::Api, &many) && has(Rival::Cyclone, &many));
    assert!(!has(Rival::FastDds, &many));
    let mut idle = cell("UDPv4+SHMEM", true, 32);
    assert!(!has(Rival::Api, &idle));
    idle.mode = Mode::Footprint;
    assert!(has(Rival::Api, &idle) && !has(Rival::PlainShm, &idle));
    let mut asleep = cell("SHMEM", false, 32);
    asleep.blocking = true;
    assert!(has(Rival::PlainShm, &asleep) && !has(Rival::Iceoryx2, &asleep));
}

#[test]
fn drops_are_found_by_their_name() {
    let text = "Icmp: InMsgs\nIcmp: 3\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
                Udp: 10 0 7 20 7 1\nUdpLite: RcvbufErrors\nUdpLite: 9\n";
    assert_eq!(drops_in(text), Some(7));
    assert_eq!(drops_in(""), None);
}

#[test]
fn a_side_is_bound_to_its_processor_and_told_its_transport() {
    let peer = Peer {
        rival: Rival::Zenoh,
        program: "/p/zenoh".into(),
    };
    let task = peer.pinned(Some(3), vec!["pong".into()], &cell("SHMEM", true, 32));
    assert_eq!(task.program, Program::Other("taskset".into()));
    assert_eq!(task.arguments, ["-c", "3", "/p/zenoh", "pong"]);
    assert_eq!(task.environment, [("BENCH_ZENOH".into(), "shm".into())]);
    let free = peer.pinned(None, vec![], &cell("TCP", true, 32));
    assert_eq!(free.program, Program::Other("/p/zenoh".into()));
}
