using System;
using System.Collections;
using System.Collections.Generic;
using Dunlin.Cdr;

namespace Dunlin
{
    /// <summary>Which samples a read or a take is about; as it begins, about all.</summary>
    public struct Select
    {
        /// <summary>At most so many; 0 for all.</summary>
        public int MaxSamples { get; set; }

        /// <summary>Whether they were read before; 0 for any.</summary>
        public SampleStates SampleStates { get; set; }

        /// <summary>Whether their instances are new; 0 for any.</summary>
        public ViewStates ViewStates { get; set; }

        /// <summary>Whether their instances live; 0 for any.</summary>
        public InstanceStates InstanceStates { get; set; }

        /// <summary>Only those of this instance; <see cref="InstanceHandle.Nil"/> for all.</summary>
        public InstanceHandle Instance { get; set; }

        /// <summary>
        /// Only those of the instance that follows <see cref="Instance"/>, the first one behind
        /// <see cref="InstanceHandle.Nil"/>.
        /// </summary>
        public bool IsNextInstance { get; set; }

        /// <summary>A condition of the reader, whose states and query count instead.</summary>
        public ReadCondition? Condition { get; set; }

        internal NativeSelect ToNative()
        {
            return new NativeSelect
            {
                Size = Native56,
                SampleStates = (uint)SampleStates,
                ViewStates = (uint)ViewStates,
                InstanceStates = (uint)InstanceStates,
                Which = IsNextInstance ? 2 : Instance.IsNil ? 0 : 1,
                Instance = Instance,
                Condition = Condition == null ? 0 : Condition.Handle,
            };
        }

        internal const uint Native56 = 56;
    }

    /// <summary>A value, and what DDS says about it.</summary>
    public readonly struct Sample<T> where T : class
    {
        private readonly SampleInfo info;

        internal Sample(T data, in SampleInfo info)
        {
            Data = data;
            this.info = info;
        }

        /// <summary>The value; without <see cref="SampleInfo.ValidData"/> nothing but its key.</summary>
        public T Data { get; }

        /// <summary>What DDS says about it.</summary>
        public SampleInfo Info => info;
    }

    /// <summary>
    /// Samples of a reader. They are given back by <see cref="Dispose"/>, and their values are used again
    /// then: what is to be kept is cloned.
    /// </summary>
    public sealed unsafe partial class Samples<T> : IDisposable, IReadOnlyList<Sample<T>> where T : class
    {
        private readonly DataReader<T> reader;
        private NativeSample[] samples = new NativeSample[16];
        private T[] values = new T[16];
        private int count;
        private bool isOut;

        internal Samples(DataReader<T> reader)
        {
            this.reader = reader;
        }

        /// <summary>Gives back what was forgotten.</summary>
        ~Samples() => GiveBack();

        /// <summary>How many there are.</summary>
        public int Count => count;

        /// <summary>A sample.</summary>
        public Sample<T> this[int index]
        {
            get
            {
                if ((uint)index >= (uint)count)
                {
                    throw new ArgumentOutOfRangeException(
                        nameof(index), "there is no sample " + index + ", there are " + count);
                }
                return new Sample<T>(values[index], samples[index].Info);
            }
        }

        /// <summary>The payload of a sample, with its encapsulation header, until <see cref="Dispose"/>.</summary>
        public ReadOnlySpan<byte> Payload(int index)
        {
            if ((uint)index >= (uint)count)
            {
                throw new ArgumentOutOfRangeException(nameof(index));
            }
            return new ReadOnlySpan<byte>(samples[index].Data, checked((int)samples[index].Length));
        }

        /// <summary>Gives the samples back.</summary>
        public void Dispose()
        {
            if (isOut)
            {
                isOut = false;
                GiveBack();
                reader.Return(this);
            }
        }

        private void GiveBack()
        {
            int given = count;
            count = 0;
            if (given > 0)
            {
                fixed (NativeSample* data = samples)
                {
                    Native.dunlin_give_back(reader.Handle, data, (ulong)given);
                }
            }
        }

        internal void Fill(TypeSupport<T> support, bool isTaken, in Select select)
        {
            isOut = true;
            NativeSelect native = select.ToNative();
            int max = select.MaxSamples <= 0 ? int.MaxValue : select.MaxSamples;
            CdrFault fault = default;
            int got;
            do
            {
                got = More(support, isTaken, &native, max - count, ref fault);
                // Of what is read and not taken another call gives the same.
            }
            while (got > 0 && isTaken && count < max && native.Which != 2);
            if (count == 0 && fault.Error != CdrError.None)
            {
                throw new DdsException(ReturnCode.Error, fault.ToString());
            }
        }

        private int More(TypeSupport<T> support, bool isTaken, NativeSelect* select, int max, ref CdrFault fault)
        {
            if (count == samples.Length || (!isTaken && max > samples.Length))
            {
                Grow(isTaken ? 2 * samples.Length : Math.Min(max, 4096));
            }
            ulong got;
            int first = count;
            fixed (NativeSample* data = samples)
            {
                ulong room = (ulong)Math.Min(samples.Length - first, max);
                int code = isTaken
                    ? Native.dunlin_take(reader.Handle, select, data + first, room, &got)
                    : Native.dunlin_read(reader.Handle, select, data + first, room, &got);
                if (code == (int)ReturnCode.NoData)
                {
                    return 0;
                }
                Check.Ok(code);
                for (ulong i = 0; i < got; i++)
                {
                    Keep(support, data, data + first + (int)i, ref fault);
                }
            }
            return (int)got;
        }

        // A payload that is none of the type is left out.
        private void Keep(TypeSupport<T> support, NativeSample* all, NativeSample* sample, ref CdrFault fault)
        {
            T value = values[count] ?? (values[count] = support.Create());
            if (reader.Decode(sample, value, out CdrFault wrong))
            {
                all[count++] = *sample;
                return;
            }
            fault = wrong;
            Native.dunlin_give_back(reader.Handle, sample, 1);
        }

        private void Grow(int length)
        {
            Array.Resize(ref samples, length);
            Array.Resize(ref values, length);
        }

        /// <summary>Goes through the samples and allocates nothing.</summary>
        public Enumerator GetEnumerator() => new Enumerator(this);

        IEnumerator<Sample<T>> IEnumerable<Sample<T>>.GetEnumerator()
        {
            for (int i = 0; i < count; i++)
            {
                yield return this[i];
            }
        }

        IEnumerator IEnumerable.GetEnumerator() => ((IEnumerable<Sample<T>>)this).GetEnumerator();

        /// <summary>Goes through samples.</summary>
        public struct Enumerator
        {
            private readonly Samples<T> all;
            private int at;

            internal Enumerator(Samples<T> all)
            {
                this.all = all;
                at = -1;
            }

            /// <summary>The sample that it is at.</summary>
            public Sample<T> Current => all[at];

            /// <summary>Whether there is another one.</summary>
            public bool MoveNext() => ++at < all.Count;
        }
    }
}
