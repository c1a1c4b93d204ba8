using System;
using System.Threading;

namespace Dunlin
{
    /// <summary>
    /// Samples that stay where they are: those of writers of this host in the memory of their writer. Parts of
    /// them are read, and nothing else of them is copied. They are given back by
    /// <see cref="SampleBatch{T}.Dispose"/>; until then the memory is not its writer's.
    /// </summary>
    public sealed unsafe class SamplesInPlace<T> : SampleBatch<T> where T : class
    {
        /// <summary>Octets before a value.</summary>
        private const int Header = 4;
        private const int Usual = 16;
        private const int Most = 8192;

        internal SamplesInPlace(DataReader<T> reader) : base(reader)
        {
        }

        /// <summary>What DDS says about a sample.</summary>
        public ref readonly SampleInfo Info(int index) => ref At(index).Info;

        /// <summary>The octets of a payload, the 4 of its encapsulation header among them.</summary>
        public long Length(int index) => (long)At(index).Length;

        /// <summary>Whether a sample lies in memory of its writer; if not, it was copied on its way.</summary>
        public bool IsInPlace(int index) => (At(index).Flags & NativeSample.InPlace) != 0;

        /// <summary>
        /// Whether the writer has left a sample alone so far; if not, what was read may be of another sample.
        /// </summary>
        public bool IsIntact(int index)
        {
            byte valid;
            fixed (NativeSample* sample = &At(index))
            {
                Check.Ok(Native.dunlin_sample_is_valid(handle, sample, &valid));
            }
            return valid != 0;
        }

        /// <summary>
        /// Copies a part of a payload, as many octets as there is room for. The encapsulation header is at 0, and
        /// the value behind it at 4.
        /// </summary>
        /// <exception cref="BadParameterException">The payload does not have that part.</exception>
        /// <exception cref="DdsException">The writer has used the memory again.</exception>
        public void Copy(int index, long offset, Span<byte> into)
        {
            fixed (NativeSample* sample = &At(index))
            fixed (byte* data = into)
            {
                Part(sample, offset, data, into.Length);
            }
        }

        /// <summary>
        /// A number or a structure of numbers in a payload, in the byte order of this machine. Of a plain type,
        /// <c>Foo</c>, the offset of a member is <c>4 + Marshal.OffsetOf&lt;FooPlain&gt;("Member")</c>.
        /// </summary>
        /// <exception cref="BadParameterException">The payload does not have that part.</exception>
        /// <exception cref="DdsException">The writer has used the memory again.</exception>
        public V Value<V>(int index, long offset) where V : unmanaged
        {
            V value;
            fixed (NativeSample* sample = &At(index))
            {
                Part(sample, offset, (byte*)&value, sizeof(V));
            }
            return value;
        }

        private void Part(NativeSample* sample, long offset, byte* into, int length)
        {
            if (offset < 0 || length > (long)sample->Length - offset)
            {
                throw new BadParameterException(
                    "a part of " + length + " octets at " + offset + " is not within the payload, which has "
                    + sample->Length);
            }
            if (length > 0)
            {
                Check.Ok(Native.dunlin_sample_copy(handle, sample, (ulong)offset, into, (ulong)length));
            }
        }

        /// <summary>
        /// Whether a sample is as the struct of its plain type is in memory, behind the encapsulation header:
        /// then <see cref="Value"/> reads its members.
        /// </summary>
        public bool IsPlain<P>(int index) where P : unmanaged, IPlain<T>
        {
            if (!Info(index).ValidData || Length(index) < Header + sizeof(P))
            {
                return false;
            }
            uint header = Value<uint>(index, 0);
            byte* at = (byte*)&header;
            bool isNative = at[0] == 0 && (at[1] & 1) != 0 == BitConverter.IsLittleEndian;
            int kind = at[1] & ~1;
            return isNative && ((kind == 0 && Support.IsPlain(Qos.Representation.Xcdr1))
                || (kind == 6 && Support.IsPlain(Qos.Representation.Xcdr2)));
        }

        private protected override void Return() => reader.Return(this);

        private protected override void Fill(bool isTaken, NativeSelect* select, int most)
        {
            select->Flags = NativeSelect.InPlace;
            int room = most <= 0 ? Usual : Math.Min(most, Most);
            if (room > samples.Length)
            {
                samples = new NativeSample[room];
            }
            count = Get(isTaken, select, room);
        }
    }

    public sealed unsafe partial class DataReader<T>
    {
        private SamplesInPlace<T>? spareInPlace;

        /// <summary>
        /// Takes samples that stay where their writers have them, if that is in memory of this host: at most 16,
        /// unless the select says how many.
        /// </summary>
        public SamplesInPlace<T> TakeInPlace(Select select = default) => BatchInPlace(select, true);

        /// <summary>The same, and the samples stay in the reader.</summary>
        public SamplesInPlace<T> ReadInPlace(Select select = default) => BatchInPlace(select, false);

        private SamplesInPlace<T> BatchInPlace(in Select select, bool isTaken)
        {
            SamplesInPlace<T> samples = Interlocked.Exchange(ref spareInPlace, null) ?? new SamplesInPlace<T>(this);
            samples.Fill(isTaken, select);
            return samples;
        }

        internal void Return(SamplesInPlace<T> samples) => spareInPlace = samples;
    }
}
