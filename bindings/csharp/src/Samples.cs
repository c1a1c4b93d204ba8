using System;
using System.Collections;
using System.Collections.Generic;

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
    /// Samples of a reader. They are given back by <see cref="SampleBatch{T}.Dispose"/>, and their values are used
    /// again then: what is to be kept is cloned.
    /// </summary>
    public sealed unsafe partial class Samples<T> : SampleBatch<T>, IReadOnlyList<Sample<T>> where T : class
    {
        private T[] values = new T[16];

        internal Samples(DataReader<T> reader) : base(reader)
        {
        }

        /// <summary>A sample.</summary>
        public Sample<T> this[int index]
        {
            get
            {
                ref NativeSample sample = ref At(index);
                return new Sample<T>(values[index], sample.Info);
            }
        }

        /// <summary>
        /// The payload of a sample, with its encapsulation header, until <see cref="SampleBatch{T}.Dispose"/>.
        /// </summary>
        public ReadOnlySpan<byte> Payload(int index)
        {
            ref NativeSample sample = ref At(index);
            return new ReadOnlySpan<byte>(sample.Data, checked((int)sample.Length));
        }

        private protected override void Return() => reader.Return(this);

        private protected override void Fill(bool isTaken, NativeSelect* select, int most)
        {
            select->Flags = NativeSelect.Decodes;
            int max = most <= 0 ? int.MaxValue : most;
            int got;
            do
            {
                got = More(isTaken, select, max - count);
                // Of what is read and not taken another call gives the same.
            }
            while (got > 0 && isTaken && count < max && (select->Which != 2 || count == 0));
        }

        private int More(bool isTaken, NativeSelect* select, int max)
        {
            if (count == samples.Length || (!isTaken && max > samples.Length))
            {
                Grow(isTaken ? 2 * samples.Length : Math.Min(max, 4096));
            }
            int first = count;
            int got = Get(isTaken, select, Math.Min(samples.Length - first, max));
            TypeSupport<T> support = Support;
            fixed (NativeSample* data = samples)
            {
                int at = first;
                try
                {
                    for (; at < first + got; at++)
                    {
                        T value = values[count] ?? (values[count] = support.Create());
                        if (reader.Decode(data + at, value))
                        {
                            data[count++] = data[at];
                        }
                    }
                }
                finally
                {
                    // Only what a codec throws leaves some.
                    if (at < first + got)
                    {
                        Native.dunlin_give_back(handle, data + at, (ulong)(first + got - at));
                    }
                }
            }
            return got;
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
