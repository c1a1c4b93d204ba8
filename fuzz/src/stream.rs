//! RTPS messages in a stream of bytes: how they are cut must not depend on how they arrive.
use dunlin_transport::isolated_receiver::IsolatedReceiver;
use dunlin_wire::stream::{
    Carried, Channel, HEAD, Hello, LENGTH, OPAQUE_HEAD, StreamError, StreamHead, head, opaque_head,
};
use dunlin_wire::{GuidPrefix, Header};

/// A large message gets so much memory at first.
const FIRST: usize = 256 * 1024;

/// What a peer sends over TCP.
pub fn stream(data: &[u8]) {
    let mut rest = data;
    while let Ok(Some(StreamHead { length, .. })) = early(rest) {
        let length = length as usize;
        assert!(length >= HEAD);
        let Some(message) = rest.get(..length) else {
            break;
        };
        again(message);
        rest = &rest[length..];
    }
    put_in_and_take_out(data);
    arrive(data);
    speak(data);
}

/// A participant takes the same from it in one piece and in many, and large messages take no memory
/// before they come.
fn arrive(data: &[u8]) {
    let listen = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let mut ear = IsolatedReceiver::new(None, false, b"").unwrap();
        let mut heard = Vec::new();
        let mut given = 0;
        for piece in pieces {
            heard.extend(ear.hear(piece));
            given += piece.len();
            assert!(ear.held() <= FIRST + 3 * given, "memory for nothing");
        }
        (heard, ear.fault().map(str::to_owned))
    };
    let whole = listen(&mut std::iter::once(data));
    // Pieces of all lengths, the same ones for the same bytes.
    let mut random = data.len() as u64 | 1;
    let mut rest = data;
    let mut pieces = std::iter::from_fn(|| {
        random = random.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) | 1;
        let most = [3, 40, 3_000, 40_000][(random >> 8) as usize % 4];
        let (piece, left) = rest.split_at((1 + (random >> 16) as usize % most).min(rest.len()));
        rest = left;
        (!piece.is_empty()).then_some(piece)
    });
    assert_eq!(whole, listen(&mut pieces));
}

/// Small and large messages, of which the data is the order: they come out as they went in, however
/// they are cut.
fn speak(data: &[u8]) {
    let name = GuidPrefix([1; 12]);
    let hello = Hello {
        name,
        channel: Channel::User,
        port: 0,
    };
    let (mut sent, mut bytes, mut cuts) = (Vec::new(), hello.encode().to_vec(), Vec::new());
    let mut size = 20_000;
    for &[kind, a, b, cut] in data.as_chunks::<4>().0 {
        let some = usize::from(a) << 8 | usize::from(b);
        size = match kind % 8 {
            0 => some % 300,
            1 => some,
            2 => 3 * some,
            3 => size + 32,
            // Mostly like the one before, as a writer's samples are.
            _ => size,
        };
        if bytes.len() + size > 1 << 19 {
            break;
        }
        let message = vec![kind ^ a; 1 + size];
        bytes.extend(opaque_head(name, message.len() as u32));
        bytes.extend(&message);
        sent.push(message);
        cuts.push((1 + usize::from(cut)) << (kind >> 4));
    }
    let mut ear = IsolatedReceiver::new(None, false, b"").unwrap();
    let (mut heard, mut rest) = (Vec::new(), &bytes[..]);
    for cut in cuts.into_iter().chain([usize::MAX]) {
        let (piece, left) = rest.split_at(cut.min(rest.len()));
        heard.extend(ear.hear(piece));
        rest = left;
    }
    assert_eq!((ear.fault(), ear.held()), (None, 0));
    assert!(heard == sent, "other messages than were sent");
}

/// A head is understood from its own bytes alone, and what is wrong stays wrong, however much
/// follows.
fn early(bytes: &[u8]) -> Result<Option<StreamHead>, StreamError> {
    let whole = StreamHead::parse(bytes);
    let mut before = Ok(None);
    for length in 0..=bytes.len().min(HEAD) {
        let parsed = StreamHead::parse(&bytes[..length]);
        assert!(before == Ok(None) || parsed == before);
        assert!(length == HEAD || !matches!(parsed, Ok(Some(_))));
        before = parsed;
    }
    assert_eq!(before, whole);
    whole
}

/// What was understood means the same when it is written and read again.
fn again(message: &[u8]) {
    if let Some(hello) = Hello::parse(message) {
        assert_eq!(Hello::parse(&hello.encode()), Some(hello));
    }
    let carried = Carried::parse(message);
    let added = message.len() - carried.length();
    match carried {
        Carried::Message(header, rest) => {
            assert_eq!(added, LENGTH);
            let head = head(header.try_into().unwrap(), carried.length() as u32);
            let message = [&head[..], rest].concat();
            // One that seems to be of our own kind would be taken for it.
            if Carried::parse(&message) == carried {
                assert_eq!(message.len(), carried.length() + LENGTH);
            }
        }
        Carried::Opaque(_) => assert_eq!(added, OPAQUE_HEAD),
    }
    // However little of it is there, it is the same beginning.
    let beginning = &message[..message.len().min(OPAQUE_HEAD)];
    let same = matches!(
        (Carried::parse(beginning), carried),
        (Carried::Message(..), Carried::Message(..)) | (Carried::Opaque(_), Carried::Opaque(_))
    );
    assert!(same);
}

/// Any bytes at all can be carried.
fn put_in_and_take_out(data: &[u8]) {
    let length = data.len() as u32;
    let opaque = [&opaque_head(GuidPrefix([1; 12]), length)[..], data].concat();
    assert_eq!(Carried::parse(&opaque), Carried::Opaque(data));
    let Some((header, rest)) = data.split_first_chunk::<{ Header::SIZE }>() else {
        return;
    };
    let message = [&head(header, length)[..], rest].concat();
    if header.starts_with(b"RTPS") && header[4] == 2 {
        let parsed = StreamHead::parse(&message);
        assert_eq!(
            parsed.map(|head| head.map(|head| head.length)),
            Ok(Some(length + LENGTH as u32))
        );
    }
}
