using System;
using System.Runtime.InteropServices;
using System.Threading;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>A writer and a reader that reach each other by shared memory, as those of two processes do.</summary>
    internal sealed class SharedPair<T> : IDisposable where T : class
    {
        private readonly DomainParticipant one = Make(), other = Make();
        internal readonly DataWriter<T> Writer;
        internal readonly DataReader<T> Reader;

        internal SharedPair()
        {
            Reader = other.CreateDataReader(
                other.CreateTopic<T>("Things"), DataReaderQos.Default.WithReliable().WithKeepAll());
            Writer = one.CreateDataWriter(
                one.CreateTopic<T>("Things"),
                DataWriterQos.Default.WithKeepAll().WithRepresentation(Representation.Xcdr1));
            Writer.WaitForMatched(1, Pair<T>.Soon);
            Reader.WaitForMatched(1, Pair<T>.Soon);
        }

        private static DomainParticipant Make() =>
            new DomainParticipant(0, null, new DomainParticipantConfig { Local = false });

        /// <summary>What is there, once there is something.</summary>
        internal SamplesInPlace<T> Take()
        {
            long end = Environment.TickCount + (long)Pair<T>.Soon.TotalMilliseconds;
            for (;;)
            {
                SamplesInPlace<T> samples = Reader.TakeInPlace();
                if (samples.Count > 0)
                {
                    return samples;
                }
                samples.Dispose();
                Assert.True(Environment.TickCount < end);
                Thread.Yield();
            }
        }

        public void Dispose()
        {
            one.Dispose();
            other.Dispose();
        }
    }

    /// <summary>Samples are read where their writer has them.</summary>
    public class InPlaceTests
    {
        internal static readonly long Id = Offset(nameof(FramePlain.Id)), Pixels = Offset(nameof(FramePlain.Pixels));

        private static long Offset(string member) => 4 + (long)Marshal.OffsetOf<FramePlain>(member);

        [Fact]
        public void SamplesStayWhereTheirWriterHasThem()
        {
            using SharedPair<Frame> pair = new SharedPair<Frame>();
            using (Loan<FramePlain> loan = pair.Writer.Loan<FramePlain>())
            {
                Assert.True(loan.IsShared);
                loan.Value.Id = 7;
                loan.Value.Pixels.Span.Fill(9);
                loan.Value.Pixels.Span[63_999] = 11;
                loan.Write();
            }
            SamplesInPlace<Frame> samples = pair.Take();
            Assert.Equal(1, samples.Count);
            Assert.True(samples.IsInPlace(0) && samples.IsIntact(0) && samples.Info(0).ValidData);
            Assert.True(samples.IsPlain<FramePlain>(0));
            Assert.Equal(7ul, samples.Value<ulong>(0, Id));
            Assert.Equal((byte)9, samples.Value<byte>(0, Pixels));
            Span<byte> last = stackalloc byte[2];
            samples.Copy(0, Pixels + 63_998, last);
            Assert.True(last[0] == 9 && last[1] == 11);
            byte[] all = new byte[64_000];
            samples.Copy(0, Pixels, all);
            Assert.True(all[0] == 9 && all[63_999] == 11);
            Assert.Throws<BadParameterException>(() => samples.Copy(0, samples.Length(0) - 7, new byte[8]));
            Assert.Throws<BadParameterException>(() => samples.Value<int>(0, -1));
            Assert.Throws<ArgumentOutOfRangeException>(() => samples.Value<int>(1, 0));
            samples.Dispose();
            samples.Dispose();
            Assert.Equal(0, samples.Count);
            Assert.Throws<ArgumentOutOfRangeException>(() => samples.Value<int>(0, 0));
        }

        [Fact]
        public void WhatIsNoStructInMemoryIsToldApart()
        {
            using Pair<Plain> pair = new Pair<Plain>();
            pair.Writer.Write(new Plain { Id = 3 });
            pair.WaitForData();
            using (SamplesInPlace<Plain> samples = pair.Reader.ReadInPlace(new Select { MaxSamples = 1 }))
            {
                // In XCDR2 an array of structures begins with its length.
                Assert.False(samples.IsPlain<PlainPlain>(0) || samples.IsInPlace(0));
                Assert.Equal(3ul, samples.Value<ulong>(0, 4));
            }
            pair.Reader.Take().Dispose();
            using SamplesInPlace<Plain> none = pair.Reader.TakeInPlace();
            Assert.Equal(0, none.Count);
        }
    }
}
