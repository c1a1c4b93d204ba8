using System;
using System.Buffers.Binary;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Dunlin.Cdr
{
    /// <summary>Where a part begins whose length is written when it is known.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public readonly struct CdrPart
    {
        internal readonly long Begin;
        internal readonly long Origin;

        internal CdrPart(long begin, long origin)
        {
            Begin = begin;
            Origin = origin;
        }
    }

    /// <summary>
    /// Writes into memory of the size that was found before. A value that another thread has made
    /// longer meanwhile ends the call, and nothing is written behind the memory.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe ref struct CdrWriter
    {
        private byte* at;
        private byte* end;
        private byte* origin;
        private byte* run;
        private bool swap;
        internal CdrFault Fault;
        // Where pieces are noted, if the payload is written in pieces.
        private NativePiece* pieces;
        private int pieceCount;
        private byte* pieced;

        internal CdrWriter(byte* begin, long size, bool isBigEndian)
        {
            at = origin = run = begin;
            end = begin + size;
            swap = isBigEndian == BitConverter.IsLittleEndian;
            Fault = default;
            pieces = null;
            pieceCount = 0;
            pieced = null;
        }

        internal byte* At => at;

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

        private static void Changed()
        {
            throw new InvalidOperationException("a value was changed by another thread while it was written");
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private byte* Room(long size)
        {
            byte* place = at;
            if ((ulong)size > (ulong)(end - place))
            {
                Changed();
            }
            at = place + size;
            return place;
        }

        /// <summary>Padding.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Align(int to)
        {
            long padding = -(at - origin) & (to - 1);
            if (padding > 0)
            {
                byte* place = Room(padding);
                while (padding > 0)
                {
                    place[--padding] = 0;
                }
            }
        }

        /// <summary>Begins numbers at fixed distances.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Run(int align, long size)
        {
            if (align > 1)
            {
                Align(align);
            }
            run = Room(size);
        }

        /// <summary>Padding within them.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Gap(long from, long to)
        {
            for (long i = from; i < to; i++)
            {
                run[i] = 0;
            }
        }

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Boolean(long place, bool value) => run[place] = value ? (byte)1 : (byte)0;

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void U8(long place, byte value) => run[place] = value;

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void I8(long place, sbyte value) => run[place] = (byte)value;

        /// <summary>A character of 8 bits.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool Char8(long place, char value, string where)
        {
            run[place] = (byte)value;
            return value <= 0xff || Fail(CdrError.Character, where, value, 0xff);
        }

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void U16(long place, ushort value) =>
            *(ushort*)(run + place) = swap ? BinaryPrimitives.ReverseEndianness(value) : value;

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void I16(long place, short value) => U16(place, (ushort)value);

        /// <summary>A character of 16 bits.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Char16(long place, char value) => U16(place, value);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void U32(long place, uint value) =>
            *(uint*)(run + place) = swap ? BinaryPrimitives.ReverseEndianness(value) : value;

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void I32(long place, int value) => U32(place, (uint)value);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void U64(long place, ulong value) =>
            *(ulong*)(run + place) = swap ? BinaryPrimitives.ReverseEndianness(value) : value;

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void I64(long place, long value) => U64(place, (ulong)value);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void F32(long place, float value) => U32(place, *(uint*)&value);

        /// <summary>A number.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void F64(long place, double value) => U64(place, *(ulong*)&value);

        /// <summary>A number.</summary>
        public void F128(long place, Float128 value)
        {
            bool isLowFirst = swap != BitConverter.IsLittleEndian;
            U64(place, isLowFirst ? value.Low : value.High);
            U64(place + 8, isLowFirst ? value.High : value.Low);
        }

        /// <summary>Numbers side by side.</summary>
        public void Numbers<T>(long place, ReadOnlySpan<T> values, int wanted) where T : unmanaged
        {
            if (values.Length != wanted)
            {
                Changed();
            }
            MemoryMarshal.AsBytes(values).CopyTo(new Span<byte>(run + place, values.Length * sizeof(T)));
            if (swap)
            {
                CdrOrder.Reverse(run + place, sizeof(T), values.Length);
            }
        }

        /// <summary>Booleans side by side.</summary>
        public void Booleans(long place, ReadOnlySpan<bool> values, int wanted)
        {
            if (values.Length != wanted)
            {
                Changed();
            }
            for (int i = 0; i < values.Length; i++)
            {
                run[place + i] = values[i] ? (byte)1 : (byte)0;
            }
        }

        /// <summary>Characters of 8 bits side by side.</summary>
        public bool Chars8(long place, ReadOnlySpan<char> values, int wanted, string where)
        {
            if (values.Length != wanted)
            {
                Changed();
            }
            bool isRight = true;
            for (int i = 0; i < values.Length; i++)
            {
                isRight = Char8(place + i, values[i], where) && isRight;
            }
            return isRight;
        }

        /// <summary>Elements of a sequence, behind its length, that are numbers: one run.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Row(int align, int size, int count)
        {
            if (count > 0)
            {
                Run(align, (long)size * count);
            }
        }

        /// <summary>The octets of a sequence, behind its length.</summary>
        public void Octets(Seq<byte> octets)
        {
            // Asked for once: another thread may change them meanwhile, as it must not.
            ReadOnlySpan<byte> from = octets.View;
            int count = from.Length;
            Length((uint)count);
            Row(1, 1, count);
            if (pieces != null && count >= Counted.Least && pieceCount + 3 <= MostPieces
                && octets.Piece(out byte* data, out ulong counted))
            {
                // So lengths and alignment behind them are as ever.
                Piece(pieced, run - pieced, 0);
                Piece(data, count, counted);
                pieced = run + count;
                return;
            }
            from.CopyTo(new Span<byte>(run, count));
            GC.KeepAlive(octets);
        }

        /// <summary>A payload has at most so many pieces.</summary>
        internal const int MostPieces = 64;

        /// <summary>From now on counted octets are left out, and pieces are noted; those of the header are first.</summary>
        internal void Apart(NativePiece* to, byte* payload)
        {
            pieces = to;
            pieced = payload;
        }

        /// <summary>How many pieces there are.</summary>
        internal int EndPieces()
        {
            if (pieceCount > 0 && at > pieced)
            {
                Piece(pieced, at - pieced, 0);
            }
            return pieceCount;
        }

        private void Piece(byte* data, long length, ulong octets)
        {
            pieces[pieceCount++] = new NativePiece { Data = data, Length = (ulong)length, Octets = octets };
        }

        /// <summary>A length or the header of a member.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Length(uint length)
        {
            Run(4, 4);
            U32(0, length);
        }

        /// <summary>Whether an optional member is there.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Flag(bool isThere) => *Room(1) = isThere ? (byte)1 : (byte)0;

        /// <summary>A string.</summary>
        public void Text(string text)
        {
            Align(4);
            byte* length = Room(4);
            int written = 0;
            if (text.Length > 0)
            {
                fixed (char* from = text)
                {
                    int left = (int)Math.Min(end - at, int.MaxValue);
                    written = Encoding.UTF8.GetByteCount(from, text.Length);
                    if (written >= left)
                    {
                        Changed();
                    }
                    Encoding.UTF8.GetBytes(from, text.Length, at, left);
                }
            }
            Room(written);
            *Room(1) = 0;
            run = length;
            U32(0, (uint)written + 1);
        }

        /// <summary>A wide string.</summary>
        public void Wide(string text)
        {
            Length((uint)text.Length * 2);
            run = Room(2 * (long)text.Length);
            Numbers(0, text.AsSpan(), text.Length);
        }

        /// <summary>Begins what a DHEADER is the length of.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public CdrPart Begin()
        {
            Align(4);
            Room(4);
            return new CdrPart((long)at, 0);
        }

        /// <summary>Ends it.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void End(CdrPart part)
        {
            run = (byte*)part.Begin - 4;
            U32(0, (uint)((long)at - part.Begin));
        }

        /// <summary>Begins an XCDR1 parameter.</summary>
        public CdrPart BeginParameter(uint id)
        {
            Align(4);
            CdrPart part = new CdrPart((long)at, (long)origin);
            Room(id <= CdrLimits.PidLastShort ? 4 : 12);
            origin = at;
            return part;
        }

        /// <summary>Ends it.</summary>
        public void EndParameter(CdrPart part, uint id, bool mustUnderstand)
        {
            long length = at - origin;
            run = (byte*)part.Begin;
            if (id <= CdrLimits.PidLastShort && length <= ushort.MaxValue)
            {
                U16(0, (ushort)((mustUnderstand ? CdrLimits.PidUnderstand : 0) | id));
                U16(2, (ushort)length);
            }
            else
            {
                if (id <= CdrLimits.PidLastShort)
                {
                    // Alignment counts from behind the header, so that nothing but the place changes.
                    Room(8);
                    Buffer.MemoryCopy(run + 4, run + 12, length, length);
                }
                U16(0, (ushort)(CdrLimits.PidUnderstand | CdrLimits.PidExtended));
                U16(2, 8);
                U32(4, (mustUnderstand ? 0x40000000u : 0) | id);
                U32(8, (uint)length);
            }
            origin = (byte*)part.Origin;
        }

        /// <summary>Ends a list of parameters.</summary>
        public void Sentinel()
        {
            Run(4, 4);
            U16(0, (ushort)(CdrLimits.PidUnderstand | CdrLimits.PidSentinel));
            U16(2, 0);
        }
    }

    internal static unsafe class CdrOrder
    {
        internal static void Reverse(byte* at, int size, long count)
        {
            if (size == 2)
            {
                ushort* all = (ushort*)at;
                for (long i = 0; i < count; i++)
                {
                    all[i] = BinaryPrimitives.ReverseEndianness(all[i]);
                }
            }
            else if (size == 4)
            {
                uint* all = (uint*)at;
                for (long i = 0; i < count; i++)
                {
                    all[i] = BinaryPrimitives.ReverseEndianness(all[i]);
                }
            }
            else if (size == 8)
            {
                ulong* all = (ulong*)at;
                for (long i = 0; i < count; i++)
                {
                    all[i] = BinaryPrimitives.ReverseEndianness(all[i]);
                }
            }
        }
    }
}
