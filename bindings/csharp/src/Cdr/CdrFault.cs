using System.ComponentModel;
using System.Globalization;

namespace Dunlin.Cdr
{
    /// <summary>Why a value cannot be written, or a payload not be read.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public enum CdrError
    {
        /// <summary>Nothing is wrong.</summary>
        None,
        /// <summary>The data ends early.</summary>
        Truncated,
        /// <summary>The representation is none of the type.</summary>
        Representation,
        /// <summary>A byte is no boolean.</summary>
        Boolean,
        /// <summary>A number is no enumerator.</summary>
        Enumerator,
        /// <summary>Bits are no flags.</summary>
        Bits,
        /// <summary>A string does not end as it should.</summary>
        Text,
        /// <summary>A string or sequence is over its bound.</summary>
        Bound,
        /// <summary>A member is unknown that must be understood.</summary>
        MustUnderstand,
        /// <summary>The header of a member is malformed.</summary>
        Header,
        /// <summary>Values are too deep in each other.</summary>
        Depth,
        /// <summary>What has to be there is missing.</summary>
        Missing,
        /// <summary>The payload is too long.</summary>
        TooLong,
        /// <summary>The value takes more memory than its payload warrants.</summary>
        Proportion,
        /// <summary>A string is not UTF-8.</summary>
        Utf8,
        /// <summary>A string is not UTF-16.</summary>
        Utf16,
        /// <summary>A string has a NUL in it.</summary>
        Nul,
        /// <summary>A character is none of 8 bits.</summary>
        Character,
        /// <summary>A number is out of its range.</summary>
        Range,
        /// <summary>There is more behind a value than padding.</summary>
        Trailing,
    }

    /// <summary>The first thing that was wrong.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public struct CdrFault
    {
        /// <summary>What.</summary>
        public CdrError Error { get; private set; }

        /// <summary>The type and the member, as in IDL.</summary>
        public string? Where { get; private set; }

        private long found;
        private long allowed;
        // The number and its range.
        private string? outside;

        /// <summary>Notes what is wrong, unless something was wrong before.</summary>
        public void Note(CdrError error, string where, long isFound, long isAllowed)
        {
            if (Error == CdrError.None)
            {
                Error = error;
                Where = where;
                found = isFound;
                allowed = isAllowed;
            }
        }

        /// <summary>Notes that a number is out of its range.</summary>
        public bool Outside(string where, long number, string range) =>
            Outside(where, number.ToString(CultureInfo.InvariantCulture), range);

        /// <summary>Notes that a number is out of its range.</summary>
        public bool Outside(string where, ulong number, string range) =>
            Outside(where, number.ToString(CultureInfo.InvariantCulture), range);

        /// <summary>Notes that a number is out of its range.</summary>
        public bool Outside(string where, double number, string range) =>
            Outside(where, number.ToString(CultureInfo.InvariantCulture), range);

        private bool Outside(string where, string number, string range)
        {
            Note(CdrError.Range, where, 0, 0);
            outside = number + " is outside of the range " + range;
            return false;
        }

        internal void Clear() => Error = CdrError.None;

        /// <summary>A sentence.</summary>
        public override string ToString()
        {
            return Where + ": " + Sentence();
        }

        private string Sentence()
        {
            switch (Error)
            {
                case CdrError.Truncated: return "the data ends early: " + found + " bytes wanted, " + allowed + " left";
                case CdrError.Representation: return "representation " + found + " is none of this type";
                case CdrError.Boolean: return found + " is not a boolean";
                case CdrError.Enumerator: return found + " is not an enumerator of the type";
                case CdrError.Bits:
                    return "the bits 0x" + found.ToString("x") + " are not all flags of the type: 0x"
                        + allowed.ToString("x");
                case CdrError.Text: return "a string of " + found + " bytes does not end as it should";
                case CdrError.Bound: return "its length is " + found + ", at most " + allowed + " is allowed";
                case CdrError.MustUnderstand: return "member " + found + " must be understood and is unknown";
                case CdrError.Header: return "a member header is malformed: " + found + " where " + allowed + " should be";
                case CdrError.Depth: return "it is nested " + found + " deep, at most " + allowed + " is allowed";
                case CdrError.Missing: return "what has to be there is null or missing";
                case CdrError.TooLong: return "its size is " + found + ", at most " + allowed + " is allowed";
                case CdrError.Proportion:
                    return "the value is out of proportion: " + found + " elements for a payload that allows " + allowed;
                case CdrError.Utf8: return "a string is not UTF-8: byte " + found + " at " + allowed;
                case CdrError.Utf16:
                    return "a string is not UTF-16: the surrogate " + found + " at " + allowed + " is alone";
                case CdrError.Nul: return "a string has a NUL at " + allowed + ", which ends strings on the network";
                case CdrError.Character: return "the character " + found + " has more than 8 bits";
                case CdrError.Range: return outside!;
                case CdrError.Trailing:
                    return found + " bytes are left behind the value, at most " + allowed + " are padding";
                default: return "nothing is wrong";
            }
        }
    }

    /// <summary>An encoding, and how much of a value is encoded.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public enum CdrForm
    {
        /// <summary>XCDR version 1.</summary>
        Xcdr1,
        /// <summary>XCDR version 2.</summary>
        Xcdr2,
        /// <summary>The key in XCDR version 1.</summary>
        Xcdr1Key,
        /// <summary>The key in XCDR version 2.</summary>
        Xcdr2Key,
        /// <summary>What a key hash is made of.</summary>
        KeyHash,
    }

    /// <summary>How a type may grow.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public enum Extensibility
    {
        /// <summary>Not at all.</summary>
        Final,
        /// <summary>At its end.</summary>
        Appendable,
        /// <summary>Everywhere.</summary>
        Mutable,
    }

    internal static class CdrLimits
    {
        internal const int Depth = 64;
        internal const uint EmptyElements = 65536;
        internal const long Expansion = 16;
        internal const long LeastBudget = 16 << 20;
        internal const uint PidMask = 0x3fff;
        internal const uint PidUnderstand = 0x4000;
        internal const uint PidLastShort = 0x3f00;
        internal const uint PidExtended = 0x3f01;
        internal const uint PidSentinel = 0x3f02;
        internal const uint PidIgnore = 0x3f03;
        internal const uint IdMask = 0x0fffffff;
        internal const long MaxSize = int.MaxValue - 64;
    }
}
