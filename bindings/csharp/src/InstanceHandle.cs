using System;
using System.Runtime.InteropServices;

namespace Dunlin
{
    /// <summary>16 bytes that name an instance, or an entity of any participant.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly struct InstanceHandle : IEquatable<InstanceHandle>
    {
        private readonly ulong first;
        private readonly ulong second;

        /// <summary>Of 16 bytes.</summary>
        public InstanceHandle(ReadOnlySpan<byte> bytes)
        {
            if (bytes.Length != 16)
            {
                throw new ArgumentException("an instance handle has 16 bytes, not " + bytes.Length, nameof(bytes));
            }
            first = MemoryMarshal.Read<ulong>(bytes);
            second = MemoryMarshal.Read<ulong>(bytes.Slice(8));
        }

        /// <summary>No instance.</summary>
        public static InstanceHandle Nil => default;

        /// <summary>Whether it is <see cref="Nil"/>.</summary>
        public bool IsNil => first == 0 && second == 0;

        /// <summary>The 16 bytes.</summary>
        public byte[] ToByteArray()
        {
            byte[] bytes = new byte[16];
            ulong half = first;
            MemoryMarshal.Write(bytes.AsSpan(), ref half);
            half = second;
            MemoryMarshal.Write(bytes.AsSpan(8), ref half);
            return bytes;
        }

        /// <inheritdoc/>
        public bool Equals(InstanceHandle other)
        {
            return first == other.first && second == other.second;
        }

        /// <inheritdoc/>
        public override bool Equals(object? other)
        {
            return other is InstanceHandle handle && Equals(handle);
        }

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            return HashCode.Combine(first, second);
        }

        /// <summary>In hexadecimal.</summary>
        public override string ToString()
        {
            return BitConverter.ToString(ToByteArray()).Replace("-", "").ToLowerInvariant();
        }

        /// <summary>Whether two are the same.</summary>
        public static bool operator ==(InstanceHandle one, InstanceHandle other) => one.Equals(other);

        /// <summary>Whether two differ.</summary>
        public static bool operator !=(InstanceHandle one, InstanceHandle other) => !one.Equals(other);
    }
}
