using System;
using Dunlin.Cdr;

namespace Dunlin.Tests
{
    /// <summary>A type by hand: @final struct Ping { uint32 number; string text; }, without TypeObject.</summary>
    [TypeSupport(typeof(PingSupport))]
    public sealed class Ping
    {
        public uint Number { get; set; }
        public string Text { get; set; } = "";
    }

    public sealed class PingSupport : TypeSupport<Ping>
    {
        public override string TypeName => "Ping";
        public override bool IsKeyed => false;
        public override Extensibility Extensibility => Extensibility.Final;
        public override ReadOnlySpan<byte> TypeObjects => default;
        public override Ping Create() => new Ping();
        public override void Reset(Ping value)
        {
            value.Number = 0;
            value.Text = "";
        }
        public override bool Size(ref CdrSize z, Ping value, CdrForm form)
        {
            z.Advance(4, 4);
            return z.Text(value.Text, 0, "Ping.text");
        }
        public override bool Write(ref CdrWriter w, Ping value, CdrForm form)
        {
            w.Run(4, 4);
            w.U32(0, value.Number);
            w.Text(value.Text);
            return true;
        }
        public override bool Read(ref CdrReader r, Ping value, CdrForm form)
        {
            if (!r.Numbers(4, 1, "Ping.number"))
            {
                return false;
            }
            value.Number = r.U32(0);
            if (!r.Text(value.Text, 0, false, ref r.IsMisfit, "Ping.text", out string text))
            {
                return false;
            }
            value.Text = text;
            return true;
        }
    }

    public class CodecTests
    {
        [Xunit.Fact]
        public void TextsThatAreEqualAreKept()
        {
            foreach (string text in new[] { "same", "grün", "\ud83d\udc26", "" })
            {
                TypeSupport<Ping> support = TypeSupport<Ping>.Instance;
                byte[] payload = support.ToPayload(new Ping { Number = 7, Text = text }, Qos.Representation.Xcdr2);
                Ping read = new Ping();
                support.FromPayload(payload, read);
                string first = read.Text;
                support.FromPayload(payload, read);
                Xunit.Assert.Equal(text, read.Text);
                Xunit.Assert.Equal(7u, read.Number);
                Xunit.Assert.Same(first, read.Text);
            }
        }

        [Xunit.Fact]
        public void TextsThatTheNetworkDoesNotHaveAreRefused()
        {
            TypeSupport<Ping> support = TypeSupport<Ping>.Instance;
            foreach (string text in new[] { "a\0b", "half \ud83d", "\udc26 half" })
            {
                BadParameterException error = Xunit.Assert.Throws<BadParameterException>(
                    () => support.ToPayload(new Ping { Text = text }, Qos.Representation.Xcdr1));
                Xunit.Assert.Contains("Ping.text", error.Message);
            }
        }

        [Xunit.Fact]
        public void ShorterPayloadsAreRefused()
        {
            TypeSupport<Ping> support = TypeSupport<Ping>.Instance;
            byte[] payload = support.ToPayload(new Ping { Number = 7, Text = "long" }, Qos.Representation.Xcdr2);
            for (int length = 0; length < payload.Length - (payload[3] & 3); length++)
            {
                byte[] cut = payload.AsSpan(0, length).ToArray();
                if (cut.Length > 3)
                {
                    cut[3] = 0;
                }
                Xunit.Assert.Throws<DdsException>(() => support.FromPayload(cut, new Ping()));
            }
        }

        [Xunit.Fact]
        public void TypesWithoutTypeObjectAreNoTopics()
        {
            using DomainParticipant participant = new DomainParticipant(0);
            BadParameterException error = Xunit.Assert.Throws<BadParameterException>(
                () => participant.CreateTopic<Ping>("Pings"));
            Xunit.Assert.Contains("Ping is no type of a topic", error.Message);
        }

        [Xunit.Fact]
        public void QosTellsWhatItIs()
        {
            Qos.DataReaderQos qos = Qos.DataReaderQos.Default.WithReliable().WithKeepLast(7)
                .WithDeadline(TimeSpan.FromSeconds(2)).WithUserData(new byte[] { 1, 2 })
                .WithProperties(new Qos.Property("a", "b", true)).WithEntityName("reader");
            Xunit.Assert.Equal(Qos.Reliability.Reliable, qos.Reliability);
            Xunit.Assert.Equal(7, qos.Depth);
            Xunit.Assert.Equal(TimeSpan.FromSeconds(2), qos.Deadline);
            Xunit.Assert.Equal(Duration.Infinite, Qos.DataReaderQos.Default.Deadline);
            Xunit.Assert.Equal(2, qos.UserData.Count);
            Xunit.Assert.True(qos.Properties[0].Propagate);
        }
    }
}
