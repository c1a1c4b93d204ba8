// Octets that are counted by the library, and do not change.
using System;

namespace Dunlin
{
    /// <summary>A reference to counted octets, which ends with the object that has it.</summary>
    internal sealed unsafe class Counted
    {
        /// <summary>Fewer octets are copied: that is faster.</summary>
        internal const int Least = 4096;

        ~Counted() => Free();

        internal ulong Handle { get; private set; }

        internal byte* Address { get; private set; }

        /// <summary>Another reference instead of the one before, which is given up.</summary>
        internal void Set(ulong octets, byte* address)
        {
            Free();
            Handle = octets;
            Address = address;
        }

        internal void Free()
        {
            if (Handle != 0)
            {
                Native.dunlin_octets_free(Handle);
                Handle = 0;
            }
        }
    }

    /// <summary>Fills octets in.</summary>
    public delegate void OctetsFill(Span<byte> octets);

    /// <summary>What sequences of octets have beside what all sequences have.</summary>
    public static unsafe class OctetSequences
    {
        /// <summary>
        /// Copies the octets to where writers refer to them: from now on writing a value with them does not copy them.
        /// That is so until they are changed. Fewer than 4096 stay where they are.
        /// </summary>
        public static void Share(this Seq<byte> octets)
        {
            if (!octets.IsShared && octets.Count >= Counted.Least)
            {
                Make(0, octets, octets.Count, new Copier(octets).Fill);
            }
        }

        internal static void Make(ulong writer, Seq<byte> member, int length, OctetsFill? fill)
        {
            byte* data;
            ulong octets;
            Check.Ok(Native.dunlin_octets_new(writer, (ulong)length, &data, &octets));
            bool isMade = false;
            try
            {
                fill?.Invoke(new Span<byte>(data, length));
                Check.Ok(Native.dunlin_octets_seal(octets));
                isMade = true;
            }
            finally
            {
                if (!isMade)
                {
                    Native.dunlin_octets_free(octets);
                }
            }
            member.Refer(octets, data, length);
        }

        private sealed class Copier
        {
            private readonly Seq<byte> from;

            internal Copier(Seq<byte> from) => this.from = from;

            internal void Fill(Span<byte> to) => from.View.CopyTo(to);
        }
    }
}
