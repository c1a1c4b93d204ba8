using System;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>Many octets are written and taken by reference.</summary>
    public class OctetTests
    {
        private static byte[] Pattern(int count, int seed)
        {
            byte[] made = new byte[count];
            for (int i = 0; i < count; i++)
            {
                made[i] = unchecked((byte)(i * 7 + seed));
            }
            return made;
        }

        private static Film Made(int frames, int sound)
        {
            Film film = new Film { Number = 7, Title = "Trottellumme", Last = -3 };
            film.Frames.Assign(Pattern(frames, 1));
            film.Sound.Assign(Pattern(sound, 2));
            return film;
        }

        private static void Play(Action<Pair<Film>> scene)
        {
            foreach (Representation representation in new[] { Representation.Xcdr1, Representation.Xcdr2 })
            {
                using Pair<Film> pair = new Pair<Film>(null, representation);
                scene(pair);
            }
        }

        private static void Take(Pair<Film> pair, ref Film into)
        {
            pair.WaitForData();
            Assert.True(pair.Reader.TakeNext(ref into, out SampleInfo info) && info.ValidData);
        }

        [Fact]
        public void ManyOctetsAreTakenWhereTheyLie() => Play(pair =>
        {
            Film sent = Made(63_000, 5), taken = new Film();
            pair.Writer.Write(sent);
            Take(pair, ref taken);
            Assert.True(taken.Frames.IsShared && !taken.Sound.IsShared);
            Assert.True(taken.Equals(sent));
            Assert.Equal(sent.GetHashCode(), taken.GetHashCode());
            Assert.Equal(sent.Frames[62_999], taken.Frames.View[62_999]);
            // A copy keeps them, whatever becomes of the first object.
            Film kept = taken.Clone();
            Assert.True(kept.Frames.IsShared);
            pair.Writer.Write(Made(9_000, 0));
            Take(pair, ref taken);
            Assert.True(taken.Equals(Made(9_000, 0)) && kept.Equals(sent));
            // What changes has octets of its own.
            Film other = kept.Clone();
            other.Frames[1] = 99;
            Assert.True(!other.Frames.IsShared && kept.Frames.IsShared && kept.Equals(sent));
            Assert.True(other.Frames[1] == 99 && other.Frames[62_999] == sent.Frames[62_999]);
            kept.Frames.Add(5);
            Assert.True(!kept.Frames.IsShared && kept.Frames.Count == 63_001 && kept.Frames[0] == sent.Frames[0]);
            // The object that has an array again takes fewer octets.
            pair.Writer.Write(Made(10, 20));
            Take(pair, ref taken);
            Assert.True(taken.Equals(Made(10, 20)));
        });

        [Fact]
        public void FewOctetsDoNotKeepALargeSample() => Play(pair =>
        {
            Film taken = new Film();
            pair.Writer.Write(Made(40_000, 5_000));
            Take(pair, ref taken);
            Assert.True(taken.Frames.IsShared && !taken.Sound.IsShared && taken.Equals(Made(40_000, 5_000)));
        });

        [Fact]
        public void WhatIsTakenIsWrittenByReference() => Play(pair =>
        {
            Film taken = new Film(), again = new Film();
            pair.Writer.Write(Made(40_000, 20_000));
            Take(pair, ref taken);
            for (int i = 0; i < 3; i++)
            {
                taken.Number = i;
                pair.Writer.Write(taken);
            }
            taken.Frames.Clear();
            for (int i = 0; i < 3; i++)
            {
                Film expected = Made(40_000, 20_000);
                expected.Number = i;
                Take(pair, ref again);
                Assert.True(again.Equals(expected));
            }
        });

        [Fact]
        public void SharedOctetsAreNotChangedAfterAWrite() => Play(pair =>
        {
            Film sent = Made(20_001, 6_003), taken = new Film();
            sent.Frames.Share();
            sent.Sound.Share();
            Assert.True(sent.Frames.IsShared && sent.Sound.IsShared && sent.Equals(Made(20_001, 6_003)));
            pair.Writer.Write(sent);
            sent.Sound.Add(5);
            Assert.False(sent.Sound.IsShared);
            pair.Writer.Write(sent);
            Take(pair, ref taken);
            Assert.True(taken.Equals(Made(20_001, 6_003)));
            Take(pair, ref taken);
            Assert.True(taken.Equals(sent));
            Seq<byte> few = new Seq<byte>(Pattern(4_095, 0).AsSpan());
            few.Share();
            Assert.False(few.IsShared);
        });

        [Fact]
        public void OctetsArePlacedWhereReadersSeeThem() => Play(pair =>
        {
            Film sent = Made(0, 8), taken = new Film();
            pair.Writer.Place(sent.Frames, 50_000, octets => Pattern(50_000, 1).CopyTo(octets));
            pair.Writer.Write(sent);
            Take(pair, ref taken);
            Assert.True(taken.Equals(Made(50_000, 8)));
            Assert.Throws<InvalidOperationException>(
                () => pair.Writer.Place(sent.Sound, 5_000, octets => throw new InvalidOperationException()));
            Assert.Equal(8, sent.Sound.Count);
        });

        [Fact]
        public void ABoundIsHeeded() => Play(pair =>
        {
            Film sent = Made(0, 70_001);
            sent.Sound.Share();
            Assert.Throws<BadParameterException>(() => pair.Writer.Write(sent));
        });
    }
}
