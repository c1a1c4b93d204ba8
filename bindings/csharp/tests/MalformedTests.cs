using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Dunlin.Cdr;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>Says that it is a Small, and has no end.</summary>
    [TypeSupport(typeof(CutSupport))]
    public sealed class Cut
    {
        public Half Value { get; } = new Half();
    }

    public sealed class CutSupport : TypeSupport<Cut>
    {
        private static TypeSupport<Half> Half => TypeSupport<Half>.Instance;
        private static TypeSupport<Small> Small => TypeSupport<Small>.Instance;

        public override string TypeName => Small.TypeName;
        public override bool IsKeyed => true;
        public override Extensibility Extensibility => Small.Extensibility;
        public override ReadOnlySpan<byte> TypeObjects => Small.TypeObjects;
        public override Cut Create() => new Cut();
        public override void Reset(Cut value) => Half.Reset(value.Value);
        public override bool Size(ref CdrSize z, Cut value, CdrForm form) => Half.Size(ref z, value.Value, form);
        public override bool Write(ref CdrWriter w, Cut value, CdrForm form) => Half.Write(ref w, value.Value, form);
        public override bool Read(ref CdrReader r, Cut value, CdrForm form) => Half.Read(ref r, value.Value, form);
    }

    /// <summary>
    /// Payloads that are none of the reader's type are left out and counted, and what is beside them is taken.
    /// Where DUNLIN_CHECK_PAYLOADS is 1 there are none.
    /// </summary>
    public class MalformedTests
    {
        private static readonly bool IsChecked = Environment.GetEnvironmentVariable("DUNLIN_CHECK_PAYLOADS") == "1";

        /// <summary>A reader, and writers of what is of its type and of what is not.</summary>
        private sealed class Three : IDisposable
        {
            private readonly Pair<Small> pair;
            private readonly DomainParticipant other = new DomainParticipant(0);
            private readonly DataWriter<Cut> cut;
            internal readonly DataReader<Small> Reader;

            internal Three(Action<DataReader<Small>>? dataAvailable = null)
            {
                pair = new Pair<Small>(dataAvailable);
                Reader = pair.Reader;
                cut = other.CreateDataWriter(
                    other.CreateTopic<Cut>("Things"),
                    DataWriterQos.Default.WithKeepAll().WithRepresentation(Representation.Xcdr2));
                cut.WaitForMatched(1, Pair<Small>.Soon);
                Reader.WaitForMatched(2, Pair<Small>.Soon);
            }

            /// <summary>Samples of one instance, whose order stays; of negative ones the end is missing.</summary>
            internal void Write(params int[] places)
            {
                Cut none = new Cut();
                foreach (int x in places)
                {
                    if (x < 0)
                    {
                        none.Value.X = x;
                        cut.Write(none);
                        cut.WaitForAcknowledgments(Pair<Small>.Soon);
                    }
                    else
                    {
                        pair.Writer.Write(new Small { X = x });
                        pair.Writer.WaitForAcknowledgments(Pair<Small>.Soon);
                    }
                }
            }

            internal string Taken()
            {
                using Samples<Small> samples = Reader.Take();
                return string.Join(" ", samples.Select(sample => sample.Data.X));
            }

            internal void Lost(int total) => Assert.Equal(total, Reader.SampleLostStatus.TotalCount);

            public void Dispose()
            {
                other.Dispose();
                pair.Dispose();
            }
        }

        [Fact]
        public void MalformedSamplesAreLeftOutOneByOne()
        {
            if (IsChecked)
            {
                return;
            }
            using Three three = new Three();
            Small small = new Small();
            Assert.True(three.Reader.LastUndecodable == null);
            three.Write(-1, 1, -2, 2, -3);
            Assert.True(three.Reader.ReadNext(ref small, out SampleInfo info) && small.X == 1 && info.ValidData);
            Assert.True(three.Reader.ReadNext(ref small, out info) && small.X == 2);
            Assert.False(three.Reader.ReadNext(ref small, out info));
            Assert.Equal(3L, three.Reader.UndecodableCount);
            Assert.Contains("the data ends early", three.Reader.LastUndecodable!);
            three.Lost(3);
            three.Write(-4, 4, -5);
            Assert.True(three.Reader.TakeNext(ref small, out info) && small.X == 4);
            Assert.False(three.Reader.TakeNext(ref small, out info));
            three.Lost(5);
            // All were given back.
            Assert.Equal("1 2", three.Taken());
        }

        [Fact]
        public void MalformedSamplesAreLeftOutOfBatches()
        {
            if (IsChecked)
            {
                return;
            }
            using Three three = new Three();
            three.Write(1, -1, 2, -2, 3);
            Assert.Equal("1 2 3", three.Taken());
            three.Lost(2);
            // More than a batch has, before one that is of the type.
            three.Write(Enumerable.Repeat(-1, 70).ToArray());
            three.Write(4);
            Assert.Equal("4", three.Taken());
            Assert.Equal(72L, three.Reader.UndecodableCount);
            three.Lost(72);
            three.Write(-1);
            Assert.Equal("", three.Taken());
            three.Write(-1, 5, -1);
            List<int> seen = new List<int>();
            Assert.Equal(1, three.Reader.TakeEach((Small value, in SampleInfo info) => seen.Add((int)value.X)));
            Assert.Equal(5, seen.Single());
            three.Lost(75);
            using (Samples<Small> none = three.Reader.Take(new Select { MaxSamples = 1 }))
            {
                Assert.Equal(0, none.Count);
            }
        }

        /// <summary>The library looks at what nobody decodes.</summary>
        [Fact]
        public void MalformedSamplesAreNotReadInPlace()
        {
            if (IsChecked)
            {
                return;
            }
            using Three three = new Three();
            three.Write(1, -1, 2);
            using SamplesInPlace<Small> samples = three.Reader.TakeInPlace();
            Assert.Equal(2, samples.Count);
            Assert.True(samples.Value<double>(0, 8) == 1 && samples.Value<double>(1, 8) == 2);
            three.Lost(1);
            three.Write(-1, -1, 3);
            using SamplesInPlace<Small> last = three.Reader.TakeInPlace(new Select { MaxSamples = 1 });
            Assert.Equal(1, last.Count);
            three.Lost(3);
            Assert.Equal(0L, three.Reader.UndecodableCount);
        }

        [Fact]
        public void MalformedSamplesDoNotEndHandlers()
        {
            if (IsChecked)
            {
                return;
            }
            ConcurrentQueue<int> told = new ConcurrentQueue<int>();
            int lost = 0;
            Small small = new Small();
            using Three three = new Three(reader =>
            {
                while (reader.TakeNext(ref small, out SampleInfo info))
                {
                    told.Enqueue((int)small.X);
                }
            });
            three.Reader.SampleLost += (reader, status) =>
            {
                Volatile.Write(ref lost, status.TotalCount);
                // What a handler takes does not meet what is being taken.
                reader.Take(new Select { SampleStates = SampleStates.Read }).Dispose();
            };
            three.Write(-1, 1, -2, -3, 2);
            Assert.True(SpinWait.SpinUntil(() => told.Count == 2 && Volatile.Read(ref lost) == 3, Pair<Small>.Soon));
            Assert.Equal("1 2", string.Join(" ", told));
        }
    }
}
