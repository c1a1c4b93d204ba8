using System;
using System.Buffers.Binary;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Dunlin.Cdr
{
    /// <summary>What is around a part that has a length.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe struct CdrScope
    {
        internal byte* End;
        internal byte* Origin;
        internal byte* Region;
    }

    /// <summary>A member of a mutable type, or an optional one in XCDR1.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public struct CdrMember
    {
        /// <summary>What is around it.</summary>
        public CdrScope Outer;
        /// <summary>Its id.</summary>
        public uint Id;
        /// <summary>There is none any more.</summary>
        public bool IsLast;
        internal bool MustUnderstand;
    }

    /// <summary>Reads either byte order, and trusts nothing that it reads.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe ref partial struct CdrReader
    {
        private byte* at;
        // Of the innermost part that has a length.
        private byte* end;
        // Where alignment counts from.
        private byte* origin;
        // Where the innermost part that has a length begins.
        private byte* region;
        // Of the payload, without padding.
        private byte* last;
        // More than padding may be behind the value: members of a later version, in XCDR1.
        private bool goesOn;
        private byte* run;
        private int maxAlign;
        private int depth;
        private long budget;
        private bool swap;
        /// <summary>The outermost type has no DHEADER, whatever it is.</summary>
        public bool IsUndelimited;
        /// <summary>A part of the value does not fit its type, but where it ends is known.</summary>
        public bool IsMisfit;
        internal CdrFault Fault;
        // The reader and the sample whose payload this is, or none.
        private ulong reader;
        private NativeSample* sample;

        internal bool IsXcdr1 => maxAlign == 8;

        /// <summary>Nothing is left of the innermost part that has a length.</summary>
        public bool IsAtEnd => at == end;

        /// <summary>Nothing of it was read.</summary>
        public bool IsAtBegin => at == region;

        /// <summary>Where the reader is.</summary>
        public long Position
        {
            get => (long)at;
            set => at = (byte*)value;
        }

        private long Left => end - at;

        /// <summary>Notes what is wrong.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        public bool Fail(CdrError error, string where, long found, long allowed)
        {
            Fault.Note(error, where, found, allowed);
            return false;
        }

        /// <summary>Takes note of what was found wrong with the value in memory.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        public bool Refuse(CdrFault fault)
        {
            if (Fault.Error == CdrError.None)
            {
                Fault = fault;
            }
            return false;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private bool Truncated(string where, long wanted) => Fail(CdrError.Truncated, where, wanted, Left);

        /// <summary>A part does not fit its type.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        public void Misfit(ref bool isMisfit, CdrError error, string where, long found, long allowed)
        {
            isMisfit = true;
            Fault.Note(error, where, found, allowed);
        }

        /// <summary>A default took the place of what did not fit.</summary>
        public void Mended()
        {
            if (!IsMisfit)
            {
                Fault.Clear();
            }
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void Align(int to)
        {
            long padding = -(at - origin) & (to - 1);
            long left = Left;
            at += padding < left ? padding : left;
        }

        /// <summary>
        /// The numbers of a run, of which one that is aligned is <paramref name="phase"/> bytes behind a
        /// multiple of its alignment. False if they are to be read one by one.
        /// </summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool Run(int first, int align, int phase, long size)
        {
            long place = at - origin;
            long padding = -place & (first - 1);
            if (((place + padding) & (align - 1)) == phase && padding + size <= end - at)
            {
                run = at + padding;
                at = run + size;
                return true;
            }
            return false;
        }

        /// <summary>Numbers where they stand.</summary>
        public bool Numbers(int size, long count, string where)
        {
            run = at;
            if (count == 0)
            {
                return true;
            }
            Align(size < maxAlign ? size : maxAlign);
            if (Left / size < count)
            {
                return Truncated(where, size * count);
            }
            run = at;
            at += size * count;
            return true;
        }

        /// <summary>Whether a byte is a boolean.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool IsBoolean(long place, string where) =>
            run[place] <= 1 || Fail(CdrError.Boolean, where, run[place], 1);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool Boolean(long place) => run[place] != 0;

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public byte U8(long place) => run[place];

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public sbyte I8(long place) => (sbyte)run[place];

        /// <summary>A character of 8 bits.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public char Char8(long place) => (char)run[place];

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ushort U16(long place)
        {
            ushort bits = *(ushort*)(run + place);
            return swap ? BinaryPrimitives.ReverseEndianness(bits) : bits;
        }

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public short I16(long place) => (short)U16(place);

        /// <summary>A character of 16 bits.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public char Char16(long place) => (char)U16(place);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public uint U32(long place)
        {
            uint bits = *(uint*)(run + place);
            return swap ? BinaryPrimitives.ReverseEndianness(bits) : bits;
        }

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public int I32(long place) => (int)U32(place);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ulong U64(long place)
        {
            ulong bits = *(ulong*)(run + place);
            return swap ? BinaryPrimitives.ReverseEndianness(bits) : bits;
        }

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public long I64(long place) => (long)U64(place);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public float F32(long place)
        {
            uint bits = U32(place);
            return *(float*)&bits;
        }

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public double F64(long place)
        {
            ulong bits = U64(place);
            return *(double*)&bits;
        }

        /// <summary>A number.</summary>
        public Float128 F128(long place)
        {
            ulong first = U64(place), second = U64(place + 8);
            bool isLowFirst = swap != BitConverter.IsLittleEndian;
            return isLowFirst ? new Float128(second, first) : new Float128(first, second);
        }

        /// <summary>Numbers side by side, as many as were asked for.</summary>
        public void Copy<T>(long place, Span<T> to) where T : unmanaged
        {
            new ReadOnlySpan<byte>(run + place, to.Length * sizeof(T)).CopyTo(MemoryMarshal.AsBytes(to));
            if (swap && to.Length > 0)
            {
                fixed (T* all = to)
                {
                    CdrOrder.Reverse((byte*)all, sizeof(T), to.Length);
                }
            }
        }

        /// <summary>The octets of a sequence, behind its length: copied, or where they are if they are many.</summary>
        public bool Octets(Seq<byte> to, int count, string where)
        {
            if (!Numbers(1, count, where))
            {
                return false;
            }
            // Who keeps few octets does not keep a large payload.
            if (count >= Counted.Least && sample != null && (ulong)count >= sample->Length / 2 && Refer(to, count))
            {
                return true;
            }
            to.Resize(0);
            to.Resize(count);
            new ReadOnlySpan<byte>(run, count).CopyTo(to.Span);
            return true;
        }

        private bool Refer(Seq<byte> to, int count)
        {
            ulong octets, length;
            byte* data;
            if (Native.dunlin_octets_of_sample(reader, sample, (ulong)(run - sample->Data), (ulong)count, &octets) != 0)
            {
                return false;
            }
            if (Native.dunlin_octets_data(octets, &data, &length) != 0)
            {
                Native.dunlin_octets_free(octets);
                return false;
            }
            to.Refer(octets, data, count);
            return true;
        }

        /// <summary>The payload is that of a sample, so that many octets need not be copied.</summary>
        internal void Of(ulong from, NativeSample* lent)
        {
            reader = from;
            sample = lent;
        }

        /// <summary>Booleans side by side.</summary>
        public bool Booleans(long place, Span<bool> to, string where)
        {
            for (int i = 0; i < to.Length; i++)
            {
                if (!IsBoolean(place + i, where))
                {
                    return false;
                }
                to[i] = Boolean(place + i);
            }
            return true;
        }

        /// <summary>Characters of 8 bits side by side.</summary>
        public void Chars8(long place, Span<char> to)
        {
            for (int i = 0; i < to.Length; i++)
            {
                to[i] = Char8(place + i);
            }
        }

        private bool TakeU32(out uint number, string where)
        {
            number = 0;
            Align(4);
            if (Left < 4)
            {
                return Truncated(where, 4);
            }
            run = at;
            number = U32(0);
            at += 4;
            return true;
        }

        private bool TakeU16(out ushort number, string where)
        {
            number = 0;
            if (Left < 2)
            {
                return Truncated(where, 2);
            }
            run = at;
            number = U16(0);
            at += 2;
            return true;
        }

        /// <summary>Something is about to be allocated, and may not be more than the payload warrants.</summary>
        public bool Charge(long count, int size, string where)
        {
            if (count > budget / size)
            {
                return Fail(CdrError.Proportion, where, count, budget / size);
            }
            budget -= count * size;
            return true;
        }

        /// <summary>How many elements follow, each of which takes at least so many bytes.</summary>
        public bool Count(out int count, long least, string where)
        {
            count = 0;
            if (!TakeU32(out uint said, where))
            {
                return false;
            }
            long possible = least == 0 ? CdrLimits.EmptyElements : Left / least;
            if (said > possible)
            {
                return Truncated(where, said * least);
            }
            count = (int)said;
            return true;
        }

        /// <summary>Goes into a part.</summary>
        public bool Enter(string where)
        {
            return depth++ < CdrLimits.Depth || Fail(CdrError.Depth, where, depth, CdrLimits.Depth);
        }

        /// <summary>Leaves it.</summary>
        public void Leave() => depth--;

        private bool Narrow(long length, out CdrScope outer, string where)
        {
            outer.End = end;
            outer.Origin = origin;
            outer.Region = region;
            if (length > Left)
            {
                return Truncated(where, length);
            }
            end = at + length;
            region = at;
            return true;
        }

        /// <summary>A DHEADER: hides what comes behind the part.</summary>
        public bool Begin(out CdrScope outer, string where)
        {
            outer = default;
            return TakeU32(out uint length, where) && Narrow(length, out outer, where);
        }

        /// <summary>Passes over what is left of a part.</summary>
        public void End(in CdrScope outer)
        {
            at = end;
            end = outer.End;
            origin = outer.Origin;
            region = outer.Region;
        }

        /// <summary>Passes over what is left of it.</summary>
        public void SkipToEnd() => at = end;
    }
}
