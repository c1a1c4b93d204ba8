//! Submessages to bytes: little endian, each padded to a multiple of 4 (RTPS 2.5 9.4.5).
//!
//! The fixed part is put together on the stack, word by word, and appended in one piece: no
//! allocation when the buffer has room.
use crate::submessage::{flag, id};
use crate::{
    AckNack, Checksum, Data, DataFrag, Endianness, Gap, GroupInfo, Header, HeaderExtension,
    Heartbeat, HeartbeatFrag, Locator, NackFrag, Payload, SequenceNumber, Submessage, Timestamp,
};
use bytes::BufMut;

/// All fixed parts of submessages consist of words.
type Word = [u8; 4];

/// The order in which Dunlin writes what is its own.
const LITTLE: Endianness = Endianness::Little;

impl Endianness {
    /// The header of a submessage; `length` is what follows it.
    #[inline(always)]
    fn head(self, kind: u8, flags: u8, length: usize) -> Word {
        let little = match self {
            Self::Little => flag::LITTLE_ENDIAN,
            Self::Big => 0,
        };
        // 0 says "to the end of the message": all that can be said about more than 64 KiB.
        let [first, second] = self.u16(u16::try_from(length).unwrap_or(0));
        [kind, flags | little, first, second]
    }

    #[inline(always)]
    fn pair(self, first: u16, second: u16) -> Word {
        let ([a, b], [c, d]) = (self.u16(first), self.u16(second));
        [a, b, c, d]
    }

    /// The high word comes first in either order.
    #[inline(always)]
    fn sequence(self, number: SequenceNumber) -> [Word; 2] {
        [self.u32((number.0 >> 32) as u32), self.u32(number.0 as u32)]
    }
}

#[inline(always)]
fn put<const N: usize>(words: [Word; N], out: &mut impl BufMut) {
    out.put_slice(words.as_flattened());
}

/// The number of bits of a set and the words that hold them.
#[inline(always)]
fn put_bitmap((bits, bitmap): (u32, &[u32; 8]), out: &mut impl BufMut) {
    let words = bitmap.map(u32::to_le_bytes);
    let used = bits.div_ceil(32) as usize;
    out.put_slice(&bits.to_le_bytes());
    out.put_slice(words.get(..used).unwrap_or(&words).as_flattened());
}

/// Bytes of a set on the wire, without its base.
const fn bitmap_len((bits, _): (u32, &[u32; 8])) -> usize {
    4usize.saturating_add((bits.div_ceil(32) as usize).saturating_mul(4))
}

const fn padding(length: usize) -> usize {
    length.wrapping_neg() & 3
}

impl<'a> Submessage<'a> {
    /// Appends the whole submessage, payload and padding included.
    #[inline]
    pub fn encode(&self, out: &mut impl BufMut) {
        let padding = self.encode_head(out);
        out.put_slice(self.payload());
        out.put_slice([0; 3].get(..padding).unwrap_or(&[]));
    }

    /// Appends all but the payload, for sending it from where it is, and returns how many zero
    /// bytes (0 to 3) must follow the payload. A submessage above 64 KiB says that it goes on to
    /// the end of the message: it must be the last.
    #[inline]
    pub fn encode_head(&self, out: &mut impl BufMut) -> usize {
        self.encode_head_before(0, out)
    }

    /// As `encode_head` for a payload that goes on for `more` bytes beyond those that the
    /// submessage knows.
    #[inline]
    pub fn encode_head_before(&self, more: usize, out: &mut impl BufMut) -> usize {
        match self {
            Self::Data(data) => data.encode_head(more, false, out),
            Self::DataFrag(fragments) => fragments.encode_head(more, false, out),
            Self::Heartbeat(heartbeat) => heartbeat.encode(out),
            Self::AckNack(answer) => answer.encode(out),
            Self::InfoTimestamp(time) => info_timestamp(*time, out),
            Self::InfoDestination(prefix) => {
                put([LITTLE.head(id::INFO_DST, 0, 12)], out);
                out.put_slice(&prefix.0);
                0
            }
            other => other.encode_rare(out),
        }
    }

    /// As `encode_head_before`; the submessage says that it goes on to the end of the message,
    /// however long it is, so that its length is what the receiver finds there. It must be the
    /// last.
    #[inline]
    pub fn encode_head_to_end(&self, more: usize, out: &mut impl BufMut) -> usize {
        match self {
            Self::Data(data) => data.encode_head(more, true, out),
            Self::DataFrag(fragments) => fragments.encode_head(more, true, out),
            other => other.encode_head_before(more, out),
        }
    }

    /// The bytes at the end that `encode_head` leaves out.
    #[inline]
    pub fn payload(&self) -> &'a [u8] {
        match self {
            Self::Data(data) => data.payload.bytes(),
            Self::DataFrag(fragments) => fragments.payload,
            _ => &[],
        }
    }

    /// How many bytes `encode` appends: a multiple of 4.
    #[inline]
    pub fn encoded_len(&self) -> usize {
        let rest = match self {
            Self::Data(data) => data.length(),
            Self::DataFrag(fragments) => fragments.length(),
            Self::Heartbeat(heartbeat) => heartbeat.length(),
            Self::HeartbeatFrag(_) => 24,
            Self::AckNack(answer) => answer.length(),
            Self::NackFrag(answer) => answer.length(),
            Self::Gap(gap) => gap.length(),
            Self::InfoTimestamp(None) | Self::Pad | Self::Unknown(_) => 0,
            Self::InfoTimestamp(Some(_)) => 8,
            Self::InfoDestination(_) => 12,
            Self::InfoSource { .. } => 20,
            Self::InfoReply { unicast, multicast } => reply_length(unicast, multicast),
            Self::HeaderExtension(extension) => extension.length(),
        };
        let rest = rest.saturating_add(4);
        rest.saturating_add(padding(rest))
    }

    #[inline(never)]
    fn encode_rare(&self, out: &mut impl BufMut) -> usize {
        match self {
            Self::HeartbeatFrag(heartbeat) => heartbeat.encode(out),
            Self::NackFrag(answer) => answer.encode(out),
            Self::Gap(gap) => gap.encode(out),
            Self::InfoSource {
                version,
                vendor,
                prefix,
            } => {
                let ([v0, v1], unused) = (vendor.0, [0; 4]);
                let origin = [version.major, version.minor, v0, v1];
                put([LITTLE.head(id::INFO_SRC, 0, 20), unused, origin], out);
                out.put_slice(&prefix.0);
            }
            Self::InfoReply { unicast, multicast } => info_reply(unicast, multicast, out),
            Self::HeaderExtension(extension) => extension.encode(out),
            // What is unknown has no content that could be repeated.
            _ => put([LITTLE.head(id::PAD, 0, 0)], out),
        }
        0
    }
}

#[inline(always)]
fn flag_if(bit: u8, set: bool) -> u8 {
    if set { bit } else { 0 }
}

impl<'a> Payload<'a> {
    /// The bytes, whatever they are.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Self::None => &[],
            Self::Data(bytes) | Self::Key(bytes) => bytes,
        }
    }
}

impl Data<'_> {
    /// As [`Submessage::encoded_len`].
    #[inline]
    pub fn encoded_len(&self) -> usize {
        let length = self.length().saturating_add(4);
        length.saturating_add(padding(length))
    }

    /// Appends what a datagram with one sample consists of: the header, INFO_TS and the whole
    /// submessage, as one by one would do.
    #[inline]
    pub fn encode_alone(&self, header: &Header, time: Timestamp, out: &mut impl BufMut) {
        let padding = self.open(header, time, (0, false), out);
        self.finish(padding, out);
    }

    /// The same but for the payload, of which `more` bytes are not in it; returns the padding
    /// behind them. The sample may say that it goes on to the end of the datagram, and not how long
    /// it is.
    #[inline]
    pub fn encode_head_alone(
        &self,
        header: &Header,
        time: Timestamp,
        (more, to_end): (usize, bool),
        out: &mut impl BufMut,
    ) -> usize {
        let padding = self.open(header, time, (more, to_end), out);
        if !self.inline_qos.is_empty() {
            out.put_slice(self.inline_qos.bytes());
        }
        padding
    }

    /// A datagram up to the end of the fixed part; returns the padding behind the payload.
    #[inline(always)]
    fn open(
        &self,
        header: &Header,
        time: Timestamp,
        (more, to_end): (usize, bool),
        out: &mut impl BufMut,
    ) -> usize {
        let [magic, product, a, b, c] = header.words();
        let (timed, padding) = self.timed(time, (more, to_end));
        let [
            info,
            seconds,
            fraction,
            head,
            flags,
            reader,
            writer,
            high,
            low,
        ] = timed;
        let opening = [
            magic, product, a, b, c, info, seconds, fraction, head, flags, reader, writer, high,
            low,
        ];
        put(opening, out);
        padding
    }

    /// INFO_TS, and the fixed part; the padding behind the payload.
    #[inline(always)]
    fn timed(&self, time: Timestamp, (more, to_end): (usize, bool)) -> ([Word; 9], usize) {
        let [seconds, fraction] = time.bytes(LITTLE);
        let info = LITTLE.head(id::INFO_TS, 0, 8);
        let ([head, flags, reader, writer, high, low], padding) = self.head(more, to_end);
        let words = [
            info, seconds, fraction, head, flags, reader, writer, high, low,
        ];
        (words, padding)
    }

    /// Appends the whole submessage.
    #[inline]
    pub fn encode(&self, out: &mut impl BufMut) {
        let (head, padding) = self.head(0, false);
        put(head, out);
        self.finish(padding, out);
    }

    /// Appends INFO_TS and the whole submessage.
    #[inline]
    pub fn encode_timed(&self, time: Timestamp, out: &mut impl BufMut) {
        let (timed, padding) = self.timed(time, (0, false));
        put(timed, out);
        self.finish(padding, out);
    }

    /// All behind the fixed part.
    #[inline(always)]
    fn finish(&self, padding: usize, out: &mut impl BufMut) {
        if !self.inline_qos.is_empty() {
            out.put_slice(self.inline_qos.bytes());
        }
        out.put_slice(self.payload.bytes());
        if padding > 0 {
            out.put_slice([0; 3].get(..padding).unwrap_or(&[]));
        }
    }

    #[inline]
    fn length(&self) -> usize {
        let inline_qos = self.inline_qos.bytes().len();
        self.payload
            .bytes()
            .len()
            .saturating_add(inline_qos)
            .saturating_add(20)
    }

    #[inline]
    fn encode_head(&self, more: usize, to_end: bool, out: &mut impl BufMut) -> usize {
        let (head, padding) = self.head(more, to_end);
        put(head, out);
        if !self.inline_qos.is_empty() {
            out.put_slice(self.inline_qos.bytes());
        }
        padding
    }

    /// The fixed part, and the padding behind the payload. In the byte order of the inline QoS, so
    /// that a received one can be passed on.
    #[inline(always)]
    fn head(&self, more: usize, to_end: bool) -> ([Word; 6], usize) {
        let flags = match self.payload {
            Payload::None => 0,
            Payload::Data(_) => flag::DATA_DATA,
            Payload::Key(_) => flag::DATA_KEY,
        } | flag_if(flag::INLINE_QOS, !self.inline_qos.is_empty());
        let length = self.length().saturating_add(more);
        let padding = padding(length);
        let said = if to_end {
            0
        } else {
            length.saturating_add(padding)
        };
        let order = self.inline_qos.endianness();
        let head = order.head(id::DATA, flags, said);
        let [high, low] = order.sequence(self.sequence);
        let words = [
            head,
            order.pair(0, 16),
            self.reader.0,
            self.writer.0,
            high,
            low,
        ];
        (words, padding)
    }
}

impl DataFrag<'_> {
    #[inline]
    fn length(&self) -> usize {
        let inline_qos = self.inline_qos.bytes().len();
        self.payload
            .len()
            .saturating_add(inline_qos)
            .saturating_add(32)
    }

    #[inline]
    fn encode_head(&self, more: usize, to_end: bool, out: &mut impl BufMut) -> usize {
        let flags = flag_if(flag::FRAG_KEY, self.key)
            | flag_if(flag::INLINE_QOS, !self.inline_qos.is_empty());
        let length = self.length().saturating_add(more);
        let padding = padding(length);
        let said = if to_end {
            0
        } else {
            length.saturating_add(padding)
        };
        let order = self.inline_qos.endianness();
        let head = order.head(id::DATA_FRAG, flags, said);
        let [high, low] = order.sequence(self.sequence);
        let words = [
            head,
            order.pair(0, 28),
            self.reader.0,
            self.writer.0,
            high,
            low,
            order.u32(self.first.0),
            order.pair(self.count, self.fragment_size),
            order.u32(self.sample_size),
        ];
        put(words, out);
        if !self.inline_qos.is_empty() {
            out.put_slice(self.inline_qos.bytes());
        }
        padding
    }
}

impl Heartbeat {
    #[inline]
    fn encode(&self, out: &mut impl BufMut) -> usize {
        let flags =
            flag_if(flag::FINAL, self.is_final) | flag_if(flag::LIVELINESS, self.liveliness);
        let flags = flags | flag_if(flag::GROUP, self.group.is_some());
        let head = LITTLE.head(id::HEARTBEAT, flags, self.length());
        let [first_high, first_low] = LITTLE.sequence(self.first);
        let [last_high, last_low] = LITTLE.sequence(self.last);
        let words = [
            head,
            self.reader.0,
            self.writer.0,
            first_high,
            first_low,
            last_high,
            last_low,
            LITTLE.u32(self.count),
        ];
        put(words, out);
        if let Some(group) = &self.group {
            group.encode(out);
        }
        0
    }

    #[inline]
    fn length(&self) -> usize {
        match self.group {
            None => 28,
            Some(_) => 28 + GroupInfo::SIZE,
        }
    }
}

impl GroupInfo {
    const SIZE: usize = 3 * 8 + 2 * 4;

    #[inline(never)]
    fn encode(&self, out: &mut impl BufMut) {
        for number in [self.current, self.first, self.last] {
            put(LITTLE.sequence(number), out);
        }
        put([self.writers, self.secure_writers], out);
    }
}

impl AckNack {
    #[inline]
    fn length(&self) -> usize {
        bitmap_len(self.state.bitmap()).saturating_add(20)
    }

    #[inline]
    fn encode(&self, out: &mut impl BufMut) -> usize {
        let flags = flag_if(flag::FINAL, self.is_final);
        let head = LITTLE.head(id::ACKNACK, flags, self.length());
        let [high, low] = LITTLE.sequence(self.state.base());
        put([head, self.reader.0, self.writer.0, high, low], out);
        put_bitmap(self.state.bitmap(), out);
        put([LITTLE.u32(self.count)], out);
        0
    }
}

impl HeartbeatFrag {
    fn encode(&self, out: &mut impl BufMut) {
        let head = LITTLE.head(id::HEARTBEAT_FRAG, 0, 24);
        let [high, low] = LITTLE.sequence(self.sequence);
        put([head, self.reader.0, self.writer.0, high, low], out);
        put([LITTLE.u32(self.last.0), LITTLE.u32(self.count)], out);
    }
}

impl NackFrag {
    fn length(&self) -> usize {
        bitmap_len(self.state.bitmap()).saturating_add(24)
    }

    fn encode(&self, out: &mut impl BufMut) {
        let head = LITTLE.head(id::NACK_FRAG, 0, self.length());
        let [high, low] = LITTLE.sequence(self.sequence);
        let base = LITTLE.u32(self.state.base().0);
        put([head, self.reader.0, self.writer.0, high, low, base], out);
        put_bitmap(self.state.bitmap(), out);
        put([LITTLE.u32(self.count)], out);
    }
}

impl Gap {
    fn length(&self) -> usize {
        bitmap_len(self.list.bitmap()).saturating_add(24)
    }

    fn encode(&self, out: &mut impl BufMut) {
        let head = LITTLE.head(id::GAP, 0, self.length());
        let [high, low] = LITTLE.sequence(self.start);
        put([head, self.reader.0, self.writer.0, high, low], out);
        put(LITTLE.sequence(self.list.base()), out);
        put_bitmap(self.list.bitmap(), out);
    }
}

#[inline]
fn info_timestamp(time: Option<Timestamp>, out: &mut impl BufMut) -> usize {
    match time {
        Some(time) => {
            let [seconds, fraction] = time.bytes(LITTLE);
            put([LITTLE.head(id::INFO_TS, 0, 8), seconds, fraction], out);
        }
        None => put([LITTLE.head(id::INFO_TS, flag::INVALIDATE, 0)], out),
    }
    0
}

fn reply_length(unicast: &[Locator], multicast: &[Locator]) -> usize {
    let list = |locators: &[Locator]| locators.len().saturating_mul(24).saturating_add(4);
    match multicast.is_empty() {
        true => list(unicast),
        false => list(unicast).saturating_add(list(multicast)),
    }
}

fn info_reply(unicast: &[Locator], multicast: &[Locator], out: &mut impl BufMut) {
    let flags = flag_if(flag::MULTICAST, !multicast.is_empty());
    let length = reply_length(unicast, multicast);
    put([LITTLE.head(id::INFO_REPLY, flags, length)], out);
    put_locators(unicast, out);
    if !multicast.is_empty() {
        put_locators(multicast, out);
    }
}

fn put_locators(locators: &[Locator], out: &mut impl BufMut) {
    out.put_u32_le(u32::try_from(locators.len()).unwrap_or(u32::MAX));
    for locator in locators {
        put_locator(locator, out);
    }
}

pub(crate) fn put_locator(locator: &Locator, out: &mut impl BufMut) {
    out.put_i32_le(locator.kind);
    out.put_u32_le(locator.port);
    out.put_slice(&locator.address);
}

impl HeaderExtension<'_> {
    fn length(&self) -> usize {
        let fixed = [
            self.message_length.map_or(0, |_| 4),
            self.timestamp.map_or(0, |_| 8),
            self.u_extension.map_or(0, |_| 4),
            self.w_extension.map_or(0, |_| 8),
            self.checksum.map_or(0, |c| c.bytes().len()),
        ];
        let fixed: usize = fixed.iter().sum();
        fixed.saturating_add(self.parameters.bytes().len())
    }

    fn encode(&self, out: &mut impl BufMut) {
        let flags = flag_if(flag::LENGTH, self.message_length.is_some())
            | flag_if(flag::TIMESTAMP, self.timestamp.is_some())
            | flag_if(flag::U_EXTENSION, self.u_extension.is_some())
            | flag_if(flag::W_EXTENSION, self.w_extension.is_some())
            | flag_if(flag::PARAMETERS, !self.parameters.is_empty())
            | self.checksum.map_or(0, |c| c.flags());
        let order = self.parameters.endianness();
        put(
            [order.head(id::HEADER_EXTENSION, flags, self.length())],
            out,
        );
        if let Some(length) = self.message_length {
            out.put_slice(&order.u32(length));
        }
        if let Some(time) = self.timestamp {
            out.put_slice(time.bytes(order).as_flattened());
        }
        out.put_slice(self.u_extension.as_ref().map_or(&[], |u| u.as_slice()));
        out.put_slice(self.w_extension.as_ref().map_or(&[], |w| w.as_slice()));
        out.put_slice(self.checksum.as_ref().map_or(&[], |c| c.bytes()));
        out.put_slice(self.parameters.bytes());
    }
}

impl Checksum {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Crc32c(sum) => sum,
            Self::Crc64(sum) => sum,
            Self::Md5(sum) => sum,
        }
    }

    fn flags(self) -> u8 {
        match self {
            Self::Crc32c(_) => flag::CHECKSUM_32,
            Self::Crc64(_) => flag::CHECKSUM_64,
            Self::Md5(_) => flag::CHECKSUM,
        }
    }
}
