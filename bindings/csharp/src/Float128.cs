using System;
using System.Runtime.InteropServices;

namespace Dunlin
{
    /// <summary><c>long double</c> of IDL: the bits of IEEE 754 binary128.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly struct Float128 : IEquatable<Float128>
    {
        /// <summary>Of its bits.</summary>
        public Float128(ulong high, ulong low)
        {
            High = high;
            Low = low;
        }

        /// <summary>The half with sign and exponent.</summary>
        public ulong High { get; }

        /// <summary>The other half.</summary>
        public ulong Low { get; }

        /// <inheritdoc/>
        public bool Equals(Float128 other) => High == other.High && Low == other.Low;

        /// <inheritdoc/>
        public override bool Equals(object? other) => other is Float128 number && Equals(number);

        /// <inheritdoc/>
        public override int GetHashCode() => HashCode.Combine(High, Low);

        /// <summary>The bits in hexadecimal.</summary>
        public override string ToString() => "0x" + High.ToString("x16") + Low.ToString("x16");

        /// <summary>Whether the bits are the same.</summary>
        public static bool operator ==(Float128 one, Float128 other) => one.Equals(other);

        /// <summary>Whether the bits differ.</summary>
        public static bool operator !=(Float128 one, Float128 other) => !one.Equals(other);
    }
}
