using System;
using System.Reflection;
using Dunlin.Cdr;

namespace Dunlin
{
    /// <summary>Says which class encodes a type; <c>dunlin idl gen -l csharp</c> puts it there.</summary>
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class TypeSupportAttribute : Attribute
    {
        /// <summary>Of the class, which has a constructor without parameters.</summary>
        public TypeSupportAttribute(Type support)
        {
            Support = support;
        }

        /// <summary>The class.</summary>
        public Type Support { get; }
    }

    /// <summary>How values of a type are encoded, and what is known of the type.</summary>
    public abstract unsafe class TypeSupport<T> where T : class
    {
        private static TypeSupport<T>? found;

        /// <summary>The support of a type, which its attribute names.</summary>
        public static TypeSupport<T> Instance => found ?? (found = Find());

        private static TypeSupport<T> Find()
        {
            TypeSupportAttribute? said = typeof(T).GetCustomAttribute<TypeSupportAttribute>(false);
            if (said == null)
            {
                throw new BadParameterException(
                    typeof(T).FullName + " is no type of a topic: make it of IDL by dunlin idl gen -l csharp");
            }
            return (TypeSupport<T>)Activator.CreateInstance(said.Support)!;
        }

        /// <summary>The name on the network.</summary>
        public abstract string TypeName { get; }

        /// <summary>Whether the type has key members.</summary>
        public abstract bool IsKeyed { get; }

        /// <summary>How the type may grow.</summary>
        public abstract Extensibility Extensibility { get; }

        /// <summary>Complete TypeObjects (DDS-XTypes 1.3), this type first: XCDR2, little endian.</summary>
        public abstract ReadOnlySpan<byte> TypeObjects { get; }

        /// <summary>Whether the key hash is the key.</summary>
        public virtual bool IsKeyInHash => false;

        /// <summary>Whether the memory of a plain struct is the payload behind its header.</summary>
        public virtual bool IsPlain(Qos.Representation representation) => false;

        /// <summary>A value with defaults.</summary>
        public abstract T Create();

        /// <summary>Gives all members their defaults.</summary>
        public abstract void Reset(T value);

        /// <summary>Finds where a value ends.</summary>
        public abstract bool Size(ref CdrSize z, T value, CdrForm form);

        /// <summary>Writes a value.</summary>
        public abstract bool Write(ref CdrWriter w, T value, CdrForm form);

        /// <summary>Reads a value.</summary>
        public abstract bool Read(ref CdrReader r, T value, CdrForm form);

        /// <summary>A value as a payload with its encapsulation header.</summary>
        /// <exception cref="BadParameterException">The value is none of the type; it says which member.</exception>
        public byte[] ToPayload(T value, Qos.Representation representation)
        {
            return Encoded(value, (int)representation, false);
        }

        /// <summary>The key of a value as a payload with its encapsulation header.</summary>
        public byte[] ToKeyPayload(T value, Qos.Representation representation)
        {
            return Encoded(value, (int)representation, true);
        }

        private byte[] Encoded(T value, int xcdr, bool isKey)
        {
            if (!PayloadSize(value, xcdr, isKey, out long size, out CdrFault fault))
            {
                throw new BadParameterException(fault.ToString());
            }
            byte[] payload = new byte[size];
            fixed (byte* data = payload)
            {
                if (!WritePayload(value, xcdr, isKey, data, size, out fault))
                {
                    throw new BadParameterException(fault.ToString());
                }
            }
            return payload;
        }

        /// <summary>Reads a payload into a value, whose memory is used again.</summary>
        /// <exception cref="DdsException">It is none of the type.</exception>
        public void FromPayload(ReadOnlySpan<byte> payload, T into)
        {
            Decode(payload, into, false);
        }

        /// <summary>Reads the payload of a key into a value. Its other members are left as they are.</summary>
        public void FromKeyPayload(ReadOnlySpan<byte> payload, T into)
        {
            Decode(payload, into, true);
        }

        private void Decode(ReadOnlySpan<byte> payload, T into, bool isKey)
        {
            fixed (byte* data = payload)
            {
                if (!ReadPayload(data, payload.Length, into, isKey, out CdrFault fault))
                {
                    throw new DdsException(ReturnCode.Error, fault.ToString());
                }
            }
        }

        /// <summary>The instance of a value; <see cref="InstanceHandle.Nil"/> if the type has no key.</summary>
        public InstanceHandle InstanceOf(T value)
        {
            if (!IsKeyed)
            {
                return InstanceHandle.Nil;
            }
            CdrSize z = default;
            if (!Size(ref z, value, CdrForm.KeyHash))
            {
                throw new BadParameterException(z.Fault.ToString());
            }
            byte[] key = new byte[Math.Max(z.At, 16)];
            fixed (byte* data = key)
            {
                CdrWriter w = new CdrWriter(data, key.Length, true);
                if (!Write(ref w, value, CdrForm.KeyHash))
                {
                    throw new BadParameterException(w.Fault.ToString());
                }
            }
            if (IsKeyInHash)
            {
                return new InstanceHandle(key.AsSpan(0, 16));
            }
            // The standard says so (RTPS 2.5 9.6.4.8); nothing is kept secret by it.
            using System.Security.Cryptography.MD5 hash = System.Security.Cryptography.MD5.Create();
            return new InstanceHandle(hash.ComputeHash(key, 0, (int)z.At));
        }

        internal bool PayloadSize(T value, int xcdr, bool isKey, out long size, out CdrFault fault) =>
            PayloadSize(value, xcdr, isKey, out size, out _, out fault);

        internal bool PayloadSize(
            T value, int xcdr, bool isKey, out long size, out bool hasCounted, out CdrFault fault)
        {
            CdrSize z = default;
            bool isMeasured = Size(ref z, value, Form(xcdr, isKey));
            if (isMeasured && z.At > CdrLimits.MaxSize)
            {
                isMeasured = z.Fail(CdrError.TooLong, TypeName, z.At, CdrLimits.MaxSize);
            }
            size = 4 + ((z.At + 3) & -4L);
            fault = z.Fault;
            hasCounted = z.HasCounted;
            return isMeasured;
        }

        internal bool WritePayload(T value, int xcdr, bool isKey, byte* payload, long size, out CdrFault fault) =>
            WritePayload(value, xcdr, isKey, payload, size, null, out _, out fault);

        /// <summary>With room for pieces, counted octets are left out; no pieces: the payload is whole.</summary>
        internal bool WritePayload(
            T value, int xcdr, bool isKey, byte* payload, long size, NativePiece* pieces, out int pieceCount,
            out CdrFault fault)
        {
            int kind = xcdr == 0
                ? (Extensibility == Extensibility.Mutable ? 2 : 0)
                : 6 + 2 * (int)Extensibility;
            payload[0] = 0;
            payload[1] = (byte)(kind | (BitConverter.IsLittleEndian ? 1 : 0));
            payload[2] = 0;
            CdrWriter w = new CdrWriter(payload + 4, size - 4, !BitConverter.IsLittleEndian);
            w.Apart(pieces, payload);
            bool isWritten = Write(ref w, value, Form(xcdr, isKey));
            payload[3] = (byte)(-(w.At - payload) & 3);
            w.Align(4);
            pieceCount = w.EndPieces();
            fault = w.Fault;
            return isWritten;
        }

        internal bool ReadPayload(byte* payload, long length, T into, bool isKey, out CdrFault fault) =>
            ReadPayload(payload, length, into, isKey, 0, null, out fault);

        /// <summary>Of the payload of a sample many octets are not copied.</summary>
        internal bool ReadPayload(
            byte* payload, long length, T into, bool isKey, ulong reader, NativeSample* sample, out CdrFault fault)
        {
            CdrReader r = default;
            r.Of(reader, sample);
            bool isRead = r.Open(payload, length, Extensibility, TypeName)
                && r.Close(Read(ref r, into, Form(r.IsXcdr1 ? 0 : 2, isKey)), isKey, TypeName);
            fault = r.Fault;
            return isRead;
        }

        private static CdrForm Form(int xcdr, bool isKey)
        {
            CdrForm form = xcdr == 0 ? CdrForm.Xcdr1 : CdrForm.Xcdr2;
            return isKey ? form + 2 : form;
        }
    }
}
