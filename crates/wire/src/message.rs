//! Received messages: a header and submessages, read in place (RTPS 2.5 8.3.4, 9.4).
use crate::cursor::Cursor;
use crate::parameter::ParameterIter;
use crate::submessage::{flag, id};
use crate::{
    AckNack, Checksum, Data, DataFrag, Endianness, EntityId, Error, FragmentNumberSet, Gap,
    GroupInfo, Header, HeaderExtension, Heartbeat, HeartbeatFrag, Locator, MAX_LOCATORS, NackFrag,
    ParameterId, Parameters, Payload, ProtocolVersion, SequenceNumber, SequenceNumberSet,
    Submessage, Timestamp, VendorId,
};
use alloc::vec::Vec;

/// One received message.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// Who sends.
    pub header: Header,
    /// What they say, in order.
    pub submessages: Submessages<'a>,
}

impl<'a> Message<'a> {
    /// Reads the header; the submessages are read as they are asked for.
    ///
    /// Fails if the bytes are no RTPS 2.x message (RTPS 2.5 8.3.6.3).
    #[inline]
    pub fn parse(datagram: &'a [u8]) -> Result<Self, Error> {
        let mut rest = Cursor::new(datagram, Endianness::Little, "RTPS header");
        let header = Header::parse(&mut rest)?;
        let rest = rest.of("submessage");
        Ok(Self {
            header,
            submessages: Submessages { rest },
        })
    }
}

impl<'a> IntoIterator for Message<'a> {
    type Item = Result<Submessage<'a>, Error>;
    type IntoIter = Submessages<'a>;

    fn into_iter(self) -> Submessages<'a> {
        self.submessages
    }
}

/// The submessages of a message; ends after the first that is invalid (RTPS 2.5 8.3.4.1).
#[derive(Clone, Debug)]
pub struct Submessages<'a> {
    rest: Cursor<'a>,
}

impl<'a> Iterator for Submessages<'a> {
    type Item = Result<Submessage<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let item = self.read();
        if item.is_err() {
            self.rest = Cursor::new(&[], Endianness::Little, "message");
        }
        Some(item)
    }
}

impl<'a> Submessages<'a> {
    /// There are no more.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes the next sample if it is what nearly all are: a DATA of a user's writer in little
    /// endian with a sample and perhaps an inline QoS, and before it at most an INFO_TS, of which
    /// the timestamp is returned. Otherwise nothing is taken; `next` reads whatever it is, and
    /// these as well.
    #[inline]
    pub fn next_user_sample(&mut self) -> Option<(Option<Timestamp>, Data<'a>)> {
        const INFO_TS: [u8; 4] = [id::INFO_TS, flag::LITTLE_ENDIAN, 8, 0];
        let mut rest = self.rest.rest();
        let mut timestamp = None;
        if let Some((head, after)) = rest.split_first_chunk::<12>()
            && let [INFO_TS, seconds, fraction] = head.as_chunks::<4>().0
        {
            let [seconds, fraction] = [seconds, fraction].map(|word| u32::from_le_bytes(*word));
            timestamp = Some(Timestamp::from_wire(seconds, fraction));
            if timestamp == Some(Timestamp::INVALID) {
                return None;
            }
            rest = after;
        }
        let ([id::DATA, flags, first, second], after) = rest.split_first_chunk::<4>()? else {
            return None;
        };
        let (body, after) = match u16::from_le_bytes([*first, *second]) {
            0 => after.split_at(after.len()),
            length => after.split_at_checked(usize::from(length))?,
        };
        let data = plain_data(*flags, body).filter(|data| !data.writer.is_builtin())?;
        self.rest = self.rest.skip_to(after);
        Some((timestamp, data))
    }

    /// As `next_user_sample`, if the sample is from this writer and goes to this reader.
    #[inline]
    pub fn next_sample_between(
        &mut self,
        writer: EntityId,
        reader: EntityId,
    ) -> Option<(Option<Timestamp>, Data<'a>)> {
        let mut ahead = self.clone();
        let (timestamp, data) = ahead.next_user_sample()?;
        if data.writer != writer || data.reader != reader {
            return None;
        }
        *self = ahead;
        Some((timestamp, data))
    }

    #[inline]
    fn read(&mut self) -> Result<Submessage<'a>, Error> {
        let [kind, flags, first, second] = self.rest.array()?;
        let (endianness, length) = match flags & flag::LITTLE_ENDIAN {
            0 => (Endianness::Big, u16::from_be_bytes([first, second])),
            _ => (Endianness::Little, u16::from_le_bytes([first, second])),
        };
        self.rest = self.rest.in_order(endianness);
        let length = match length {
            0 if kind != id::PAD && kind != id::INFO_TS => self.rest.rest().len(),
            length => usize::from(length),
        };
        parse(kind, flags, self.rest.split(length)?)
    }
}

#[inline]
fn parse<'a>(kind: u8, flags: u8, body: Cursor<'a>) -> Result<Submessage<'a>, Error> {
    Ok(match kind {
        id::DATA => Submessage::Data(data(flags, body.of("DATA"))?),
        id::DATA_FRAG => Submessage::DataFrag(data_frag(flags, body.of("DATA_FRAG"))?),
        id::HEARTBEAT => Submessage::Heartbeat(heartbeat(flags, body.of("HEARTBEAT"))?),
        id::ACKNACK => Submessage::AckNack(ack_nack(flags, body.of("ACKNACK"))?),
        id::INFO_TS => Submessage::InfoTimestamp(info_timestamp(flags, body.of("INFO_TS"))?),
        id::INFO_DST => Submessage::InfoDestination(body.of("INFO_DST").prefix()?),
        _ => return parse_rare(kind, flags, body),
    })
}

#[inline(never)]
fn parse_rare<'a>(kind: u8, flags: u8, body: Cursor<'a>) -> Result<Submessage<'a>, Error> {
    Ok(match kind {
        id::GAP => Submessage::Gap(gap(body.of("GAP"))?),
        id::INFO_SRC => info_source(body.of("INFO_SRC"))?,
        id::INFO_REPLY => info_reply(flags, body.of("INFO_REPLY"), locators)?,
        id::INFO_REPLY_IP4 => info_reply(flags, body.of("INFO_REPLY_IP4"), locator_v4)?,
        id::HEARTBEAT_FRAG => Submessage::HeartbeatFrag(heartbeat_frag(body.of("HEARTBEAT_FRAG"))?),
        id::NACK_FRAG => Submessage::NackFrag(nack_frag(body.of("NACK_FRAG"))?),
        id::HEADER_EXTENSION => {
            Submessage::HeaderExtension(header_extension(flags, body.of("HEADER_EXTENSION"))?)
        }
        id::PAD => Submessage::Pad,
        unknown => Submessage::Unknown(unknown),
    })
}

/// RTPS 2.5 8.3.8.2, 9.4.5.4.
#[inline]
fn data<'a>(flags: u8, body: Cursor<'a>) -> Result<Data<'a>, Error> {
    match plain_data(flags, body.rest()) {
        Some(data) => Ok(data),
        None => data_in_full(flags, body),
    }
}

/// What nearly all DATA are: a sample in little endian, and nothing before it but the fixed part
/// and perhaps an inline QoS, which mostly is the hash of its key alone.
#[inline]
fn plain_data(flags: u8, body: &[u8]) -> Option<Data<'_>> {
    const SHAPE: u8 = flag::LITTLE_ENDIAN | flag::INLINE_QOS | flag::DATA_DATA | flag::DATA_KEY;
    const UNKEYED: u8 = flag::LITTLE_ENDIAN | flag::DATA_DATA;
    const QUALIFIED: u8 = UNKEYED | flag::INLINE_QOS;
    let (fixed, after) = body.split_first_chunk::<20>()?;
    let [[_, _, to_qos @ ..], reader, writer, high, low] = fixed.as_chunks::<4>().0 else {
        return None;
    };
    let number = i64::from(i32::from_le_bytes(*high)) << 32 | i64::from(u32::from_le_bytes(*low));
    if *to_qos != [16, 0] || number <= 0 {
        return None;
    }
    let (inline_qos, payload) = match flags & SHAPE {
        UNKEYED => (Parameters::NONE, after),
        QUALIFIED => match key_hash_alone(after) {
            Some(found) => found,
            None => list(after)?,
        },
        _ => return None,
    };
    Some(Data {
        reader: EntityId(*reader),
        writer: EntityId(*writer),
        sequence: SequenceNumber(number),
        inline_qos,
        payload: Payload::Data(payload),
    })
}

/// An inline QoS that is the hash of a key and nothing else, and what follows it.
#[inline]
fn key_hash_alone(bytes: &[u8]) -> Option<(Parameters<'_>, &[u8])> {
    const SENTINEL: [u8; 4] = [1, 0, 0, 0];
    let (list, after) = bytes.split_first_chunk::<24>()?;
    let [[0x70, 0, 16, 0], .., SENTINEL] = list.as_chunks::<4>().0 else {
        return None;
    };
    Some((Parameters::little_endian(list), after))
}

/// An inline QoS in little endian, whatever it says, and what follows it. Samples that are
/// forwarded name their original writer in it.
#[inline(never)]
fn list(bytes: &[u8]) -> Option<(Parameters<'_>, &[u8])> {
    let mut rest = bytes;
    loop {
        let ([first, second, low, high], after) = rest.split_first_chunk::<4>()?;
        if u16::from_le_bytes([*first, *second]) == ParameterId::SENTINEL.0 {
            let length = bytes.len().checked_sub(after.len())?;
            let (list, after) = bytes.split_at_checked(length)?;
            return Some((Parameters::little_endian(list), after));
        }
        let length = u16::from_le_bytes([*low, *high]);
        rest = after
            .get(usize::from(length)..)
            .filter(|_| length % 4 == 0)?;
    }
}

#[inline(never)]
fn data_in_full<'a>(flags: u8, mut body: Cursor<'a>) -> Result<Data<'a>, Error> {
    let mut after = skip_extra_flags(&mut body)?;
    let reader = body.entity()?;
    let writer = body.entity()?;
    let sequence = positive(&mut body)?;
    let inline_qos = inline_qos(flags, &mut after)?;
    let payload = match (flags & flag::DATA_DATA != 0, flags & flag::DATA_KEY != 0) {
        (false, false) => Payload::None,
        (true, false) => Payload::Data(after.rest()),
        (false, true) => Payload::Key(after.rest()),
        (true, true) => return Err(body.invalid_as("flags of DATA")),
    };
    Ok(Data {
        reader,
        writer,
        sequence,
        inline_qos,
        payload,
    })
}

/// RTPS 2.5 8.3.8.3, 9.4.5.5.
#[inline]
fn data_frag<'a>(flags: u8, mut body: Cursor<'a>) -> Result<DataFrag<'a>, Error> {
    let mut after = skip_extra_flags(&mut body)?;
    let mut fragments = DataFrag {
        reader: body.entity()?,
        writer: body.entity()?,
        sequence: positive(&mut body)?,
        first: crate::FragmentNumber(body.u32()?),
        count: body.u16()?,
        fragment_size: body.u16()?,
        sample_size: body.u32()?,
        inline_qos: inline_qos(flags, &mut after)?,
        key: flags & flag::FRAG_KEY != 0,
        payload: &[],
    };
    let Some(range) = fragments.range() else {
        return Err(body.invalid_as("fragment numbers"));
    };
    // What follows the last fragment is padding.
    fragments.payload = after.bytes(range.len())?;
    Ok(fragments)
}

/// The cursor behind `octetsToInlineQos`, whatever a later version puts before it.
#[inline]
fn skip_extra_flags<'a>(body: &mut Cursor<'a>) -> Result<Cursor<'a>, Error> {
    let _extra_flags = body.u16()?;
    let length = usize::from(body.u16()?);
    let mut after = *body;
    *body = after.split(length)?;
    Ok(after)
}

/// Cuts the inline QoS off, sentinel included.
#[inline]
fn inline_qos<'a>(flags: u8, after: &mut Cursor<'a>) -> Result<Parameters<'a>, Error> {
    if flags & flag::INLINE_QOS == 0 {
        return Ok(Parameters::NONE);
    }
    let mut list = ParameterIter::over(*after);
    for parameter in list.by_ref() {
        parameter?;
    }
    let rest = list.rest().rest().len();
    let length = after.rest().len().saturating_sub(rest);
    Ok(Parameters::new(after.bytes(length)?, after.endianness()))
}

/// RTPS 2.5 8.3.8.6, 9.4.5.7.
#[inline]
fn heartbeat(flags: u8, mut body: Cursor<'_>) -> Result<Heartbeat, Error> {
    let reader = body.entity()?;
    let writer = body.entity()?;
    let first = positive(&mut body)?;
    let last = body.sequence()?;
    if last.0 < first.0.saturating_sub(1) {
        return Err(body.invalid_as("range of HEARTBEAT"));
    }
    Ok(Heartbeat {
        reader,
        writer,
        first,
        last,
        count: body.u32()?,
        is_final: flags & flag::FINAL != 0,
        liveliness: flags & flag::LIVELINESS != 0,
        group: match flags & flag::GROUP {
            0 => None,
            _ => Some(group_info(&mut body)?),
        },
    })
}

#[inline(never)]
fn group_info(body: &mut Cursor<'_>) -> Result<GroupInfo, Error> {
    Ok(GroupInfo {
        current: body.sequence()?,
        first: body.sequence()?,
        last: body.sequence()?,
        writers: body.array()?,
        secure_writers: body.array()?,
    })
}

/// RTPS 2.5 8.3.8.7, 9.4.5.8.
fn heartbeat_frag(mut body: Cursor<'_>) -> Result<HeartbeatFrag, Error> {
    let heartbeat = HeartbeatFrag {
        reader: body.entity()?,
        writer: body.entity()?,
        sequence: positive(&mut body)?,
        last: crate::FragmentNumber(body.u32()?),
        count: body.u32()?,
    };
    match heartbeat.last.0 {
        0 => Err(body.invalid_as("fragment number")),
        _ => Ok(heartbeat),
    }
}

/// RTPS 2.5 8.3.8.1, 9.4.5.3.
#[inline]
fn ack_nack(flags: u8, mut body: Cursor<'_>) -> Result<AckNack, Error> {
    Ok(AckNack {
        reader: body.entity()?,
        writer: body.entity()?,
        state: acknowledged(&mut body)?,
        count: body.u32()?,
        is_final: flags & flag::FINAL != 0,
    })
}

/// A sequence number set; the base 0 of an empty one, as some send before they know anything,
/// counts as 1.
#[inline]
fn acknowledged(body: &mut Cursor<'_>) -> Result<SequenceNumberSet, Error> {
    let base = body.sequence()?;
    let (bits, bitmap) = bitmap(body)?;
    let base = match base.0 {
        0 if bits == 0 => SequenceNumber::FIRST,
        _ => base,
    };
    SequenceNumberSet::from_bitmap(base, bits, bitmap).ok_or(body.invalid_as("sequence number set"))
}

/// RTPS 2.5 8.3.8.10, 9.4.5.14.
fn nack_frag(mut body: Cursor<'_>) -> Result<NackFrag, Error> {
    Ok(NackFrag {
        reader: body.entity()?,
        writer: body.entity()?,
        sequence: positive(&mut body)?,
        state: {
            let base = crate::FragmentNumber(body.u32()?);
            let (bits, bitmap) = bitmap(&mut body)?;
            FragmentNumberSet::from_bitmap(base, bits, bitmap)
                .ok_or(body.invalid_as("fragment number set"))?
        },
        count: body.u32()?,
    })
}

/// RTPS 2.5 8.3.8.4, 9.4.5.6; group information (flag G) is not used.
#[inline]
fn gap(mut body: Cursor<'_>) -> Result<Gap, Error> {
    Ok(Gap {
        reader: body.entity()?,
        writer: body.entity()?,
        start: positive(&mut body)?,
        list: {
            let base = body.sequence()?;
            let (bits, bitmap) = bitmap(&mut body)?;
            SequenceNumberSet::from_bitmap(base, bits, bitmap)
                .ok_or(body.invalid_as("sequence number set"))?
        },
    })
}

/// A sequence number that names a change.
#[inline]
fn positive(body: &mut Cursor<'_>) -> Result<SequenceNumber, Error> {
    match body.sequence()? {
        number if number.0 > 0 => Ok(number),
        _ => Err(body.invalid_as("sequence number")),
    }
}

/// Number of bits and the words that hold them (RTPS 2.5 9.4.2.6).
#[inline]
fn bitmap(body: &mut Cursor<'_>) -> Result<(u32, [u32; 8]), Error> {
    let bits = body.u32()?;
    if bits > 256 {
        return Err(body.invalid_as("number of bits"));
    }
    let mut words = [0; 8];
    for word in words.iter_mut().take(bits.div_ceil(32) as usize) {
        *word = body.u32()?;
    }
    Ok((bits, words))
}

/// RTPS 2.5 8.3.8.9, 9.4.5.11: flag I, or the invalid time, takes the timestamp back.
#[inline]
fn info_timestamp(flags: u8, mut body: Cursor<'_>) -> Result<Option<Timestamp>, Error> {
    if flags & flag::INVALIDATE != 0 {
        return Ok(None);
    }
    Ok(Some(body.timestamp()?).filter(|t| *t != Timestamp::INVALID))
}

/// RTPS 2.5 9.4.5.10.
fn info_source<'a>(mut body: Cursor<'a>) -> Result<Submessage<'a>, Error> {
    let _unused = body.u32()?;
    let [major, minor] = body.array()?;
    Ok(Submessage::InfoSource {
        version: ProtocolVersion { major, minor },
        vendor: VendorId(body.array()?),
        prefix: body.prefix()?,
    })
}

/// RTPS 2.5 9.4.5.9, 9.4.5.12: unicast locators, and multicast ones with flag M.
fn info_reply<'a>(
    flags: u8,
    mut body: Cursor<'a>,
    list: fn(&mut Cursor<'_>) -> Result<Vec<Locator>, Error>,
) -> Result<Submessage<'a>, Error> {
    Ok(Submessage::InfoReply {
        unicast: list(&mut body)?,
        multicast: match flags & flag::MULTICAST {
            0 => Vec::new(),
            _ => list(&mut body)?,
        },
    })
}

/// The first few of a counted list; all must be there.
fn locators(body: &mut Cursor<'_>) -> Result<Vec<Locator>, Error> {
    let mut kept = Vec::new();
    for _ in 0..body.u32()? {
        let locator = body.locator()?;
        if kept.len() < MAX_LOCATORS {
            kept.push(locator);
        }
    }
    Ok(kept)
}

/// One IPv4 address and port, written as numbers.
fn locator_v4(body: &mut Cursor<'_>) -> Result<Vec<Locator>, Error> {
    let address = body.u32()?.into();
    let port = body.u32()?;
    let locator = Locator::udp_v4(address, 0);
    Ok(alloc::vec![Locator { port, ..locator }])
}

/// RTPS 2.5 9.4.5.2.
fn header_extension<'a>(flags: u8, mut body: Cursor<'a>) -> Result<HeaderExtension<'a>, Error> {
    let has = |bit: u8| flags & bit != 0;
    Ok(HeaderExtension {
        message_length: has(flag::LENGTH).then(|| body.u32()).transpose()?,
        timestamp: has(flag::TIMESTAMP).then(|| body.timestamp()).transpose()?,
        u_extension: has(flag::U_EXTENSION).then(|| body.array()).transpose()?,
        w_extension: has(flag::W_EXTENSION).then(|| body.array()).transpose()?,
        checksum: match flags & flag::CHECKSUM {
            0 => None,
            flag::CHECKSUM_32 => Some(Checksum::Crc32c(body.array()?)),
            flag::CHECKSUM_64 => Some(Checksum::Crc64(body.array()?)),
            _ => Some(Checksum::Md5(body.array()?)),
        },
        parameters: match has(flag::PARAMETERS) {
            true => inline_qos(flag::INLINE_QOS, &mut body)?,
            false => Parameters::NONE,
        },
    })
}
