using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Text;

namespace Dunlin.Cdr
{
    /// <summary>Finds where a value ends, and whether it may be written.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ref struct CdrSize
    {
        /// <summary>Where the value ends so far, counted from where alignment counts.</summary>
        public long At;
        private int depth;
        internal CdrFault Fault;
        // Some octets may be written by reference.
        internal bool HasCounted;

        /// <summary>Notes what is wrong.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        public bool Fail(CdrError error, string where, long found, long allowed)
        {
            Fault.Note(error, where, found, allowed);
            return false;
        }

        /// <summary>Something is null that has to be there.</summary>
        public bool Missing(string where) => Fail(CdrError.Missing, where, 0, 0);

        /// <summary>Bytes behind padding.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Advance(int align, long by)
        {
            At = ((At + (align - 1)) & -(long)align) + by;
        }

        /// <summary>Goes into a part.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool Enter(string where)
        {
            return depth++ < CdrLimits.Depth || Fail(CdrError.Depth, where, depth, CdrLimits.Depth);
        }

        /// <summary>Leaves it.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Leave() => depth--;

        /// <summary>The length of a sequence.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool Length(int length, long bound, string where)
        {
            Advance(4, 4);
            return bound == 0 || length <= bound || Fail(CdrError.Bound, where, length, bound);
        }

        /// <summary>Octets behind their length, which are counted elsewhere.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Octets(Seq<byte> octets) => HasCounted |= octets.IsShared;

        /// <summary>A string.</summary>
        public bool Text(string text, long bound, string where)
        {
            if (text == null)
            {
                return Missing(where);
            }
            long bytes = Encoding.UTF8.GetByteCount(text);
            int nul = text.IndexOf('\0');
            if (nul >= 0)
            {
                return Fail(CdrError.Nul, where, 0, nul);
            }
            if (bytes != text.Length && !IsUtf16(text, where))
            {
                return false;
            }
            Advance(4, 4 + bytes + 1);
            return bound == 0 || bytes <= bound || Fail(CdrError.Bound, where, bytes, bound);
        }

        /// <summary>A wide string.</summary>
        public bool Wide(string text, long bound, string where)
        {
            if (text == null)
            {
                return Missing(where);
            }
            Advance(4, 4 + 2 * (long)text.Length);
            return IsUtf16(text, where)
                && (bound == 0 || text.Length <= bound || Fail(CdrError.Bound, where, text.Length, bound));
        }

        private bool IsUtf16(string text, string where)
        {
            for (int i = 0; i < text.Length; i++)
            {
                char one = text[i];
                if (!char.IsSurrogate(one))
                {
                    continue;
                }
                bool isPair = char.IsHighSurrogate(one) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1]);
                if (!isPair)
                {
                    return Fail(CdrError.Utf16, where, one, i);
                }
                i++;
            }
            return true;
        }

        /// <summary>Begins the content of an XCDR1 parameter.</summary>
        public long BeginParameter()
        {
            long begin = At;
            At = 0;
            return begin;
        }

        /// <summary>Ends it.</summary>
        public void EndParameter(long begin, uint id)
        {
            long content = At;
            bool isShort = id <= CdrLimits.PidLastShort && content <= ushort.MaxValue;
            At = ((begin + 3) & -4L) + (isShort ? 4 : 12) + content;
        }
    }
}
