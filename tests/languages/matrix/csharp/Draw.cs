using System;
using Common;
using Dunlin;

/// <summary>Numbers and texts that follow from the number of a sample. All languages draw the same.</summary>
internal sealed class Draw
{
    private static readonly string[] Words = { "", "a", "heron", "Gänsesäger", "カモメ", "🦆 duck" };
    private static readonly string[] Wides = { "", "a", "äö", "🦆" };

    private readonly uint order;
    private ulong state;

    public Draw(uint order)
    {
        this.order = order;
        state = unchecked(0x9e3779b97f4a7c15UL * (order + 1UL));
    }

    /// <summary>A number of so many bits. The first four samples have the edges.</summary>
    public ulong Bits(int count)
    {
        switch (order)
        {
            case 0: return 0;
            case 1: return ulong.MaxValue >> (64 - count);
            case 2: return 1UL << (count - 1);
            case 3: return (1UL << (count - 1)) - 1;
            default: break;
        }
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return unchecked(state * 0x2545f4914f6cdd1dUL) >> (64 - count);
    }

    public int Below(int end) => (int)(Bits(8) % (ulong)end);

    public bool Flag() => Bits(1) == 1;

    public char Letter() => (char)('a' + Below(26));

    public byte U8() => (byte)Bits(8);

    public sbyte I8() => unchecked((sbyte)Bits(8));

    public ushort U16() => (ushort)Bits(16);

    public short I16() => unchecked((short)Bits(16));

    public uint U32() => (uint)Bits(32);

    public int I32() => unchecked((int)Bits(32));

    public ulong U64() => Bits(64);

    public long I64() => unchecked((long)Bits(64));

    public float F32()
    {
        float number = I16() / 16f;
        return order == 1 ? BitConverter.Int32BitsToSingle(int.MinValue) : order == 3 ? float.PositiveInfinity : number;
    }

    public double F64()
    {
        double number = I32() / 256d;
        return order == 1 ? BitConverter.Int64BitsToDouble(long.MinValue) : order == 3 ? double.PositiveInfinity : number;
    }

    public string Word() => Words[Below(6)];

    public string Wide() => Wides[Below(4)];

    public Mood Mood() => new[] { Common.Mood.CALM, Common.Mood.WARY, Common.Mood.LOUD }[Below(3)];

    /// <summary>Up to so many elements.</summary>
    public Seq<T> List<T>(int most, Func<T> element)
    {
        int count = Below(most + 1);
        var all = new Seq<T>();
        for (int i = 0; i < count; i++)
        {
            all.Add(element());
        }
        return all;
    }

    /// <summary>So many elements.</summary>
    public static T[] Array<T>(int count, Func<T> element)
    {
        var all = new T[count];
        for (int i = 0; i < count; i++)
        {
            all[i] = element();
        }
        return all;
    }
}
