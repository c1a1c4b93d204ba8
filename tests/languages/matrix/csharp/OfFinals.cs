using System;
using System.Linq;
using Dunlin;
using Finals;

/// <summary>
/// Values of the types of one module, and how they are printed. Those of the other modules are made of this file.
/// </summary>
internal static class OfFinals
{
    private static Place Place(Draw draw)
    {
        int x = draw.I32();
        return new Place { X = x, Y = draw.I16() };
    }

    private static Seq<short> Row(Draw draw) => draw.List(4, draw.I16);

    private static Choice Choice(Draw draw)
    {
        var choice = new Choice();
        int label = new[] { 1, 2, 3, -4, 9 }[draw.Below(5)];
        switch (label)
        {
            case 1:
                choice.Number = draw.I64();
                break;
            case 2:
            case 3:
                choice.SetText(draw.Word(), label);
                break;
            case -4:
                choice.Place = Place(draw);
                break;
            default:
                choice.Discriminator = label;
                choice.Rest = Row(draw);
                break;
        }
        return choice;
    }

    private static string Text(Place? place) => place == null ? "-" : $"{{{place.X},{place.Y}}}";

    private static string Text(Site site) => $"{{{site.X},{site.Y}}}";

    private static string Text(Seq<short> row) => Print.List(row, element => Print.Of(element));

    private static string Text(Choice choice)
    {
        string value = choice.Discriminator switch
        {
            1 => Print.Of(choice.Number),
            2 => Print.Of(choice.Text),
            3 => Print.Of(choice.Text),
            -4 => Text(choice.Place),
            _ => Text(choice.Rest),
        };
        return $"({choice.Discriminator}:{value})";
    }

    public sealed class OfFlat : IKind<Flat>
    {
        public bool IsKeyed => false;

        public Flat Make(string from, uint order)
        {
            var draw = new Draw(order);
            return new Flat
            {
                From = from,
                Order = order,
                Flag = draw.Flag(),
                Raw = draw.U8(),
                Letter = draw.Letter(),
                I8 = draw.I8(),
                U8 = draw.U8(),
                I16 = draw.I16(),
                U16 = draw.U16(),
                I32 = draw.I32(),
                U32 = draw.U32(),
                I64 = draw.I64(),
                U64 = draw.U64(),
                F32 = draw.F32(),
                F64 = draw.F64(),
                Sign = (char)(0x30a2 + draw.Below(80)),
                Text = draw.Word(),
                Wide = draw.Wide(),
                Mood = draw.Mood(),
                Marks = (Common.Marks)(draw.U16() & 0x8009),
            };
        }

        public string Text(Flat v) => string.Join(
            " ", v.From, $"{v.Order:00}", Print.Of(v.Flag), Print.Of((long)v.Raw), Print.Of(v.Letter), Print.Of((long)v.I8),
            Print.Of((long)v.U8), Print.Of((long)v.I16), Print.Of((long)v.U16), Print.Of((long)v.I32),
            Print.Of((long)v.U32), Print.Of(v.I64), Print.Of(v.U64), Print.Of(v.F32), Print.Of(v.F64), Print.Of(v.Sign),
            Print.Of(v.Text), Print.Wide(v.Wide), Print.Of((long)v.Mood), Print.Of((long)v.Marks));

        public string Key(Flat v) => "";
    }

    public sealed class OfMany : IKind<Many>
    {
        public bool IsKeyed => false;

        public Many Make(string from, uint order)
        {
            var draw = new Draw(order);
            var many = new Many
            {
                From = from,
                Order = order,
                Flags = draw.List(9, draw.Flag),
                Raws = draw.List(9, draw.U8),
                Letters = draw.List(9, draw.Letter),
                I8s = draw.List(9, draw.I8),
                U8s = draw.List(9, draw.U8),
                I16s = draw.List(9, draw.I16),
                U16s = draw.List(9, draw.U16),
                I32s = draw.List(9, draw.I32),
                U32s = draw.List(9, draw.U32),
                I64s = draw.List(9, draw.I64),
                U64s = draw.List(9, draw.U64),
                F32s = draw.List(9, draw.F32),
                F64s = draw.List(9, draw.F64),
                Texts = draw.List(9, draw.Word),
                Moods = draw.List(9, draw.Mood),
            };
            for (int i = 0; i < 6; i++)
            {
                many.Grid[i / 3, i % 3] = draw.I16();
            }
            many.Triple = Draw.Array(3, draw.F64);
            many.Pair = Draw.Array(2, draw.Word);
            many.Bits = Draw.Array(5, draw.Flag);
            many.Block = Draw.Array(7, draw.U8);
            many.Corners = Draw.Array(2, () => Place(draw));
            return many;
        }

        public string Text(Many v) => string.Join(
            " ", v.From, $"{v.Order:00}", Print.List(v.Flags, Print.Of), Print.List(v.Raws, e => Print.Of((long)e)),
            Print.List(v.Letters, Print.Of), Print.List(v.I8s, e => Print.Of((long)e)),
            Print.List(v.U8s, e => Print.Of((long)e)), Print.List(v.I16s, e => Print.Of((long)e)),
            Print.List(v.U16s, e => Print.Of((long)e)), Print.List(v.I32s, e => Print.Of((long)e)),
            Print.List(v.U32s, e => Print.Of((long)e)), Print.List(v.I64s, Print.Of), Print.List(v.U64s, Print.Of),
            Print.List(v.F32s, Print.Of), Print.List(v.F64s, Print.Of), Print.List(v.Texts, Print.Of),
            Print.List(v.Moods, e => Print.Of((long)e)),
            Print.List(new[] { 0, 1 }, i => Print.List(new[] { 0, 1, 2 }, j => Print.Of((long)v.Grid[i, j]))),
            Print.List(v.Triple, Print.Of), Print.List(v.Pair, Print.Of), Print.List(v.Bits, Print.Of),
            Print.List(v.Block, e => Print.Of((long)e)), Print.List(v.Corners, e => OfFinals.Text(e)));

        public string Key(Many v) => "";
    }

    public sealed class OfDeep : IKind<Deep>
    {
        public bool IsKeyed => true;

        public Deep Make(string from, uint order)
        {
            var draw = new Draw(order);
            int number = (int)(order % Side.Instances);
            var deep = new Deep
            {
                From = from,
                Number = (uint)number,
                Place = new Site { X = -number, Y = (short)(3 * number) },
                Order = order,
                Maybe = draw.Flag() ? draw.I32() : (int?)null,
                Word = draw.Flag() ? draw.Word() : null,
                Nest = draw.Flag() ? Place(draw) : null,
                Choice = Choice(draw),
                Path = draw.List(5, () => Place(draw)),
                Rows = draw.List(4, () => Row(draw)),
                Choices = draw.List(3, () => Choice(draw)),
            };
            int count = draw.Below(5);
            for (int i = 0; i < count; i++)
            {
                deep.Counts["k" + i] = draw.I32();
            }
            count = draw.Below(5);
            for (int i = 0; i < count; i++)
            {
                deep.Places[i * 7 - 3] = Place(draw);
            }
            count = order % 16 == 15 ? 70_000 : (int)(draw.Bits(16) % 40);
            deep.Picture.Resize(count);
            for (int i = 0; i < count; i++)
            {
                deep.Picture[i] = unchecked((byte)(i * 7 ^ (int)order));
            }
            deep.Last = draw.I64();
            return deep;
        }

        public string Text(Deep v) => string.Join(
            " ", v.From, $"{v.Order:00}", Print.Of((long)v.Number), OfFinals.Text(v.Place),
            v.Maybe == null ? "-" : Print.Of((long)v.Maybe.Value), Print.Of(v.Word), OfFinals.Text(v.Nest),
            OfFinals.Text(v.Choice), Print.List(v.Path, e => OfFinals.Text(e)), Print.List(v.Rows, e => OfFinals.Text(e)),
            Print.List(v.Choices, e => OfFinals.Text(e)), Print.Map(v.Counts, Print.Of, e => Print.Of((long)e)),
            Print.Map(v.Places, e => Print.Of((long)e), e => OfFinals.Text(e)), Print.Octets(v.Picture), Print.Of(v.Last));

        public string Key(Deep v) => $"{v.From} end {v.Number} {OfFinals.Text(v.Place)}";
    }
}
