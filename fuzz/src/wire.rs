//! The RTPS parsers: whatever is understood means the same after it was written and read again.
use bytes::BytesMut;
use dunlin_wire::*;

/// A UDP payload as it comes from anybody.
pub fn datagram(data: &[u8]) {
    let Ok(message) = Message::parse(data) else {
        return;
    };
    begins_alike(data);
    let header = message.header;
    let all = message.submessages.clone();
    assert!(all.clone().eq(Samples(all)));
    for submessage in message {
        let Ok(submessage) = submessage else { return };
        again(header, &submessage);
        if let Submessage::Data(Data { inline_qos, .. })
        | Submessage::DataFrag(DataFrag { inline_qos, .. }) = submessage
        {
            let _ = InlineQos::parse(inline_qos);
            discovery_data(submessage.payload());
        }
    }
}

/// What begins like a datagram with one sample is read as if nothing were known of it.
fn begins_alike(data: &[u8]) {
    let Some(template) = HeaderTemplate::of(data) else {
        return;
    };
    assert_eq!(template.read(data), parse(data));
    let mut other = data.to_vec();
    // The template ends behind the hash of the key.
    for at in 0..data.len().min(80) {
        other[at] = !data[at];
        if let Some(read) = template.read(&other) {
            assert_eq!(Some(read), parse(&other));
        }
        other[at] = data[at];
    }
}

/// A datagram that has nothing but a sample and its time, read the long way.
fn parse(data: &[u8]) -> Option<(Timestamp, Data<'_>)> {
    let mut submessages = Message::parse(data).ok()?.submessages;
    let (timestamp, sample) = submessages.next_user_sample()?;
    submessages.is_empty().then_some((timestamp?, sample))
}

/// Submessages with samples read by the short way, where it is one.
struct Samples<'a>(Submessages<'a>);

impl<'a> Iterator for Samples<'a> {
    type Item = Result<Submessage<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut ahead = self.0.clone();
        match ahead.next_user_sample() {
            Some((Some(time), _)) => {
                let read = self.0.next();
                assert_eq!(read, Some(Ok(Submessage::InfoTimestamp(Some(time)))));
                read
            }
            Some((None, data)) => {
                self.0 = ahead;
                Some(Ok(Submessage::Data(data)))
            }
            None => self.0.next(),
        }
    }
}

fn again(header: Header, submessage: &Submessage<'_>) {
    if matches!(submessage, Submessage::Unknown(_)) {
        return;
    }
    let mut out = BytesMut::new();
    header.encode(&mut out);
    submessage.encode(&mut out);
    assert_eq!(out.len(), Header::SIZE + submessage.encoded_len());
    let message = Message::parse(&out).unwrap();
    assert_eq!(message.header, header);
    let read: Vec<_> = message.into_iter().collect();
    let [Ok(read)] = &read[..] else {
        panic!("one submessage, not {read:?}");
    };
    match (submessage, read) {
        (Submessage::Data(sent), Submessage::Data(read)) => same_data(sent, read),
        _ => assert_eq!(submessage, read),
    }
}

/// But for up to three bytes of padding behind the payload.
fn same_data(sent: &Data<'_>, read: &Data<'_>) {
    let payload = Payload::None;
    assert_eq!(Data { payload, ..*sent }, Data { payload, ..*read });
    let rest = read.payload.bytes().strip_prefix(sent.payload.bytes());
    assert!(rest.is_some_and(|rest| rest.len() < 4 && rest.iter().all(|b| *b == 0)));
}

/// Inline QoS or what stands behind the encapsulation header of discovery data, in both byte
/// orders.
pub fn parameter_list(data: &[u8]) {
    for endianness in [Endianness::Little, Endianness::Big] {
        let list = Parameters::new(data, endianness);
        let length = list
            .iter()
            .flatten()
            .map(|p| 4 + p.value().len())
            .sum::<usize>();
        assert!(length <= data.len());
        let Ok(qos) = InlineQos::parse(list) else {
            continue;
        };
        let mut out = BytesMut::new();
        qos.encode(&mut out);
        assert!(out.len() <= InlineQos::MAX_SIZE);
        assert_eq!(InlineQos::parse(Parameters::little_endian(&out)), Ok(qos));
    }
    for order in [2, 3] {
        discovery_data(&[&[0, order, 0, 0], data].concat());
    }
}

/// What reading holds at any moment is at most 16 times the input.
fn weigh<'a, T>(data: &'a [u8], read: impl FnOnce(&'a [u8]) -> T) {
    let held = allocation_counter::measure(|| drop(read(data))).bytes_max;
    assert!(held <= 16 * data.len().max(1) as u64, "{held} bytes");
}

/// Parameters without field are said again if that means the same; then they are of no concern.
fn pass_on(before: &mut UnknownParameters, after: &mut UnknownParameters) {
    let (before, after) = (std::mem::take(before), std::mem::take(after));
    match before.endianness() {
        Endianness::Little => assert!(before.iter().eq(after.iter())),
        Endianness::Big => assert!(after.is_empty()),
    }
}

/// What is said of a type in the other byte order is not said again.
fn in_our_order(information: &mut Option<EncodedTypeInformation>) {
    information.take_if(|it| it.endianness == Endianness::Big);
}

/// A payload of SPDP, SEDP or the liveliness topic, encapsulation header included.
pub fn discovery_data(data: &[u8]) {
    weigh(data, ParticipantData::parse);
    weigh(data, WriterData::parse);
    weigh(data, ReaderData::parse);
    weigh(data, ParticipantMessage::parse);
    weigh(data, |data| {
        GossipedParticipant::parse(data, GuidPrefix::UNKNOWN)
    });
    weigh(data, DiagnosticRequest::parse);
    weigh(data, DiagnosticReply::parse);
    weigh(data, parse_key);
    if let Ok(mut participant) = ParticipantData::parse(data) {
        // We have no words for that.
        participant.product_version.clear();
        // Text that is no UTF-8 can become too long when it is made so.
        if let Ok(bytes) = participant.encode() {
            // What vendors say of their product's version each says in a way of its own; nobody
            // repeats it.
            let known = |mut data: ParticipantData| {
                data.product_version.clear();
                data
            };
            let mut again = ParticipantData::parse(&bytes).map(known).unwrap();
            pass_on(&mut participant.unknown, &mut again.unknown);
            assert_eq!(again, known(participant));
        }
    }
    if let Ok(mut writer) = WriterData::parse(data) {
        in_our_order(&mut writer.type_information);
        let mut again = WriterData::parse(&writer.encode().unwrap()).unwrap();
        pass_on(&mut writer.unknown, &mut again.unknown);
        assert_eq!(again, writer);
    }
    if let Ok(mut reader) = ReaderData::parse(data) {
        in_our_order(&mut reader.type_information);
        let bytes = reader.encode().unwrap();
        // "None that we know" cannot be written: an empty list has another meaning.
        if !reader.qos.representation.is_empty() {
            let mut again = ReaderData::parse(&bytes).unwrap();
            pass_on(&mut reader.unknown, &mut again.unknown);
            assert_eq!(again, reader);
        }
    }
    if let Ok(said) = GossipedParticipant::parse(data, GuidPrefix::UNKNOWN) {
        assert_eq!(
            GossipedParticipant::parse(&said.encode(), said.teller),
            Ok(said)
        );
    }
    if let Ok(question) = DiagnosticRequest::parse(data) {
        assert_eq!(DiagnosticRequest::parse(&question.encode()), Ok(question));
    }
    if let Ok(answer) = DiagnosticReply::parse(data) {
        assert_eq!(DiagnosticReply::parse(&answer.encode()), Ok(answer));
    }
    if let Ok(message) = ParticipantMessage::parse(data) {
        assert_eq!(ParticipantMessage::parse(&message.encode()), Ok(message));
    }
    if let Ok(guid) = parse_key(data) {
        assert_eq!(parse_key(&endpoint_key(guid)), Ok(guid));
        assert_eq!(parse_key(&participant_key(guid)), Ok(guid));
    }
}
