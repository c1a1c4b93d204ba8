using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Dunlin.Cdr
{
    public unsafe ref partial struct CdrReader
    {
        [ThreadStatic]
        private static char[]? scratch;

        /// <summary>The next member of a mutable type in XCDR2.</summary>
        public bool NextLabelled(out CdrMember member, string where)
        {
            member = default;
            Align(4);
            member.IsLast = at == end;
            if (member.IsLast)
            {
                return true;
            }
            if (!TakeU32(out uint header, where))
            {
                return false;
            }
            int code = (int)(header >> 28 & 7);
            long length = 1L << code;
            if (code >= 4)
            {
                if (!TakeU32(out uint count, where))
                {
                    return false;
                }
                length = count;
                if (code > 4)
                {
                    // The content begins with it.
                    at -= 4;
                    length = length * (code == 5 ? 1 : 1L << (code - 4)) + 4;
                }
            }
            member.Id = header & CdrLimits.IdMask;
            member.MustUnderstand = header >> 31 != 0;
            return Narrow(length, out member.Outer, where);
        }

        /// <summary>The next XCDR1 parameter.</summary>
        public bool NextParameter(out CdrMember member, string where)
        {
            member = default;
            for (;;)
            {
                Align(4);
                if (!TakeU16(out ushort pid, where) || !TakeU16(out ushort length, where))
                {
                    return false;
                }
                uint id = pid & CdrLimits.PidMask, content = length;
                member.MustUnderstand = (pid & CdrLimits.PidUnderstand) != 0;
                member.IsLast = id == CdrLimits.PidSentinel;
                if (member.IsLast)
                {
                    return true;
                }
                if (id == CdrLimits.PidIgnore)
                {
                    if (!Pass(length, where))
                    {
                        return false;
                    }
                    continue;
                }
                if (id == CdrLimits.PidExtended)
                {
                    if (length < 8)
                    {
                        return Fail(CdrError.Header, where, length, 8);
                    }
                    if (!TakeU32(out id, where) || !TakeU32(out content, where))
                    {
                        return false;
                    }
                    member.MustUnderstand = (id & 0x40000000u) != 0;
                    id &= CdrLimits.IdMask;
                    if (!Pass(length - 8, where))
                    {
                        return false;
                    }
                }
                member.Id = id;
                if (!Narrow(content, out member.Outer, where))
                {
                    return false;
                }
                origin = at;
                return true;
            }
        }

        private bool Pass(long length, string where)
        {
            if (Left < length)
            {
                return Truncated(where, length);
            }
            at += length;
            return true;
        }

        /// <summary>An optional member of a type without member headers, in XCDR1.</summary>
        public bool Optional(out CdrMember member, uint id, string where)
        {
            if (!NextParameter(out member, where))
            {
                return false;
            }
            if (member.IsLast || member.Id != id)
            {
                return Fail(CdrError.Header, where, member.IsLast ? CdrLimits.PidSentinel : member.Id, id);
            }
            return true;
        }

        /// <summary>Whether an optional member is there, in XCDR2.</summary>
        public bool Flag(out bool isThere, string where)
        {
            isThere = false;
            if (at == end)
            {
                return Truncated(where, 1);
            }
            if (*at > 1)
            {
                return Fail(CdrError.Boolean, where, *at, 1);
            }
            isThere = *at++ != 0;
            return true;
        }

        /// <summary>The type does not have the member.</summary>
        public bool Unknown(in CdrMember member, string where)
        {
            return !member.MustUnderstand || Fail(CdrError.MustUnderstand, where, member.Id, 0);
        }

        /// <summary>
        /// A string: the one that was there if it is the same. One that is too long is cut, or does not
        /// fit and counts as empty.
        /// </summary>
        public bool Text(
            string? old, long bound, bool isTrimmed, ref bool isMisfit, string where, out string text)
        {
            text = "";
            if (!TakeU32(out uint count, where))
            {
                return false;
            }
            if (count > Left)
            {
                return Truncated(where, count);
            }
            byte* from = at;
            at += count;
            if (count == 0 || count > CdrLimits.MaxSize || from[count - 1] != 0)
            {
                return Fail(CdrError.Text, where, count, 0);
            }
            int length = (int)count - 1;
            if (IsSame(from, length, old) && (bound == 0 || length <= bound))
            {
                text = old!;
                return true;
            }
            if (new ReadOnlySpan<byte>(from, length).IndexOf((byte)0) >= 0)
            {
                return Fail(CdrError.Text, where, count, 0);
            }
            int valid = ValidUtf8(from, length);
            if (valid < length)
            {
                return Fail(CdrError.Utf8, where, from[valid], valid);
            }
            if (bound > 0 && length > bound)
            {
                if (isTrimmed)
                {
                    length = Trimmed(from, (int)bound);
                }
                else
                {
                    Misfit(ref isMisfit, CdrError.Bound, where, length, bound);
                    length = 0;
                }
            }
            if (!Charge(length + 1, 1, where))
            {
                return false;
            }
            text = Decoded(from, length, old);
            return true;
        }

        // Of ASCII alone: others are compared when they are decoded.
        private static bool IsSame(byte* bytes, int length, string? old)
        {
            if (old == null || old.Length != length)
            {
                return false;
            }
            for (int i = 0; i < length; i++)
            {
                if (bytes[i] != old[i] || (uint)(bytes[i] - 1) >= 0x7f)
                {
                    return false;
                }
            }
            return true;
        }

        private static string Decoded(byte* bytes, int length, string? old)
        {
            if (length == 0)
            {
                return "";
            }
            char[] room = scratch ?? (scratch = new char[256]);
            if (room.Length < length)
            {
                room = scratch = new char[Math.Max(length, 2 * room.Length)];
            }
            fixed (char* to = room)
            {
                int count = Encoding.UTF8.GetChars(bytes, length, to, room.Length);
                return Kept(new ReadOnlySpan<char>(to, count), old);
            }
        }

        private static string Kept(ReadOnlySpan<char> text, string? old)
        {
            return old != null && text.SequenceEqual(old.AsSpan()) ? old : text.ToString();
        }

        // The first byte of a text that is not UTF-8 (RFC 3629); its length if all of it is.
        private static int ValidUtf8(byte* bytes, int length)
        {
            int at = 0;
            while (at < length)
            {
                int first = bytes[at];
                if (first < 0x80)
                {
                    at++;
                    while (length - at >= 8 && (*(ulong*)(bytes + at) & 0x8080808080808080u) == 0)
                    {
                        at += 8;
                    }
                    continue;
                }
                int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
                if (first < 0xc2 || first > 0xf4 || length - at <= more || !GoesOn(bytes + at, first, more))
                {
                    return at;
                }
                at += more + 1;
            }
            return length;
        }

        private static bool GoesOn(byte* at, int first, int more)
        {
            int second = at[1];
            int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
            int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
            return second >= least && second <= most && (more < 2 || (at[2] & 0xc0) == 0x80)
                && (more < 3 || (at[3] & 0xc0) == 0x80);
        }

        // The largest beginning of a text that has at most so many bytes.
        private static int Trimmed(byte* text, int bound)
        {
            int length = bound;
            while (length > 0 && bound - length < 4 && (text[length] & 0xc0) == 0x80)
            {
                length--;
            }
            return bound - length < 4 ? length : bound;
        }

        /// <summary>A wide string, as <see cref="Text"/>.</summary>
        public bool Wide(
            string? old, long bound, bool isTrimmed, ref bool isMisfit, string where, out string text)
        {
            text = "";
            if (!TakeU32(out uint bytes, where))
            {
                return false;
            }
            if (bytes > Left)
            {
                return Truncated(where, bytes);
            }
            if ((bytes & 1) != 0)
            {
                return Fail(CdrError.Text, where, bytes, 0);
            }
            run = at;
            at += bytes;
            int count = (int)(bytes / 2);
            if (!IsUtf16(count, where))
            {
                return false;
            }
            if (bound > 0 && count > bound)
            {
                if (isTrimmed)
                {
                    // The first half of a pair does not stand alone.
                    count = char.IsHighSurrogate(Char16(2 * (bound - 1))) ? (int)bound - 1 : (int)bound;
                }
                else
                {
                    Misfit(ref isMisfit, CdrError.Bound, where, count, bound);
                    count = 0;
                }
            }
            if (!Charge(count, 2, where))
            {
                return false;
            }
            char[] room = scratch ?? (scratch = new char[256]);
            if (room.Length < count)
            {
                room = scratch = new char[Math.Max(count, 2 * room.Length)];
            }
            Copy(0, new Span<char>(room, 0, count));
            text = count == 0 ? "" : Kept(new ReadOnlySpan<char>(room, 0, count), old);
            return true;
        }

        private bool IsUtf16(int count, string where)
        {
            bool isOpen = false;
            char unit = '\0';
            int i = 0;
            for (; i < count; i++)
            {
                unit = Char16(2 * (long)i);
                if (isOpen != char.IsLowSurrogate(unit))
                {
                    break;
                }
                isOpen = char.IsHighSurrogate(unit);
            }
            return (i == count && !isOpen) || Fail(CdrError.Utf16, where, unit, i);
        }

        /// <summary>Reads the header of a payload, and what it says of the extensibility of the type.</summary>
        internal bool Open(byte* payload, long length, Extensibility extensibility, string where)
        {
            if (payload == null || length < 4)
            {
                return Fail(CdrError.Truncated, where, 4, length);
            }
            int kind = payload[1] & ~1;
            if (payload[0] != 0 || kind > 0x0a || kind == 0x04)
            {
                return Fail(CdrError.Representation, where, payload[0] << 8 | payload[1], 0);
            }
            int padding = payload[3] & 3;
            if (length - 4 < padding)
            {
                return Fail(CdrError.Truncated, where, padding, length - 4);
            }
            at = origin = region = run = payload + 4;
            end = last = payload + length - padding;
            goesOn = kind < 0x06 && extensibility == Extensibility.Appendable;
            maxAlign = kind < 0x06 ? 8 : 4;
            swap = (payload[1] & 1) != 0 != BitConverter.IsLittleEndian;
            budget = Math.Max(length * CdrLimits.Expansion, CdrLimits.LeastBudget);
            bool isMutable = kind == 0x02 || kind == 0x0a;
            if (isMutable != (extensibility == Extensibility.Mutable))
            {
                return Fail(CdrError.Representation, where, payload[1], (long)extensibility);
            }
            // Products do not agree what a type is that does not say how it grows.
            IsUndelimited = kind == 0x06 && extensibility == Extensibility.Appendable;
            return kind != 0x08 || extensibility != Extensibility.Final || Begin(out _, where);
        }

        /// <summary>
        /// Whether the value was read, all of it fits, and nothing but padding is behind it. A key may have more.
        /// </summary>
        internal bool Close(bool isRead, bool isKey, string where)
        {
            if (!isRead || IsMisfit)
            {
                return false;
            }
            Fault.Clear();
            return last - at <= 3 || goesOn || isKey || Fail(CdrError.Trailing, where, last - at, 3);
        }
    }
}
