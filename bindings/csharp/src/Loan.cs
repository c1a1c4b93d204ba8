using System;

namespace Dunlin
{
    /// <summary>A struct whose memory is the encoding of a value: <c>dunlin idl gen -l csharp</c> makes it.</summary>
    public interface IPlain<T> where T : class { }

    /// <summary>
    /// Memory for one value that readers of this host see where it is. It ends by <see cref="Write"/>, or by
    /// <see cref="Dispose"/>, which discards it. References to it must not be used afterwards.
    /// </summary>
    public sealed unsafe class Loan<P> : IDisposable where P : unmanaged
    {
        private readonly Entity writer;
        private readonly Action<object> giveBack;
        private NativeLoan native;
        private bool isOpen;
        private bool isOut;

        internal Loan(Entity writer, Action<object> giveBack)
        {
            this.writer = writer;
            this.giveBack = giveBack;
        }

        internal void Open(int xcdr)
        {
            long size = 4 + ((sizeof(P) + 3) & -4L);
            NativeLoan made;
            const uint Shared = 1;
            Check.Ok(Native.dunlin_loan_new(writer.Handle, (ulong)size, Shared, &made));
            byte* payload = made.Data;
            int padding = -sizeof(P) & 3;
            payload[0] = 0;
            payload[1] = (byte)((xcdr == 0 ? 0 : 6) | (BitConverter.IsLittleEndian ? 1 : 0));
            payload[2] = 0;
            payload[3] = (byte)padding;
            new Span<byte>(payload + 4 + sizeof(P), padding).Clear();
            native = made;
            isOpen = isOut = true;
        }

        /// <summary>Whether other processes will see this memory, rather than a copy.</summary>
        public bool IsShared => native.Shared != 0;

        /// <summary>The value. It begins with whatever was there before.</summary>
        public ref P Value
        {
            get
            {
                if (!isOpen)
                {
                    throw new PreconditionNotMetException("the loan of " + typeof(P).Name + " was written or discarded");
                }
                return ref *(P*)(native.Data + 4);
            }
        }

        /// <summary>Writes the value, and ends the loan, whatever comes of it.</summary>
        public void Write()
        {
            _ = Value;
            isOpen = false;
            fixed (NativeLoan* loan = &native)
            {
                Check.Ok(Native.dunlin_loan_write(writer.Handle, loan, null));
            }
        }

        /// <summary>Discards the loan, if it was not written.</summary>
        public void Dispose()
        {
            if (isOpen)
            {
                isOpen = false;
                fixed (NativeLoan* loan = &native)
                {
                    Native.dunlin_loan_discard(writer.Handle, loan);
                }
            }
            if (isOut)
            {
                isOut = false;
                giveBack(this);
            }
        }
    }

    public sealed unsafe partial class DataWriter<T>
    {
        private object? spareLoan;

        /// <summary>
        /// Memory for a value of a plain type, which is its own encoding: writing it copies nothing. The
        /// argument is the struct that is made of the type, <c>FooPlain</c> of <c>Foo</c>.
        /// </summary>
        /// <exception cref="UnsupportedException">In the writer's representation the type has to be encoded.</exception>
        public Loan<P> Loan<P>() where P : unmanaged, IPlain<T>
        {
            if (!support.IsPlain((Qos.Representation)xcdr))
            {
                throw new UnsupportedException(
                    "values of " + support.TypeName + " have to be encoded in " + (Qos.Representation)xcdr
                    + ", which the writer has: write them, or give the writer the other representation");
            }
            Loan<P> loan = System.Threading.Interlocked.Exchange(ref spareLoan, null) as Loan<P>
                ?? new Loan<P>(this, one => spareLoan = one);
            loan.Open(xcdr);
            return loan;
        }
    }

    public sealed unsafe partial class Samples<T>
    {
        /// <summary>
        /// A sample of a plain type where its payload is, until <see cref="SampleBatch{T}.Dispose"/>. The argument is the
        /// struct that is made of the type.
        /// </summary>
        /// <exception cref="UnsupportedException">It was written in another representation or byte order.</exception>
        public ref readonly P View<P>(int index) where P : unmanaged, IPlain<T>
        {
            ReadOnlySpan<byte> payload = Payload(index);
            bool isNative = payload.Length >= 4 && (payload[1] & 1) != 0 == BitConverter.IsLittleEndian;
            int kind = payload.Length < 4 ? -1 : payload[0] << 8 | payload[1] & ~1;
            bool isPlain = (kind == 0 && Support.IsPlain(Qos.Representation.Xcdr1))
                || (kind == 6 && Support.IsPlain(Qos.Representation.Xcdr2));
            if (!samples[index].Info.ValidData || !isNative || !isPlain || payload.Length < 4 + sizeof(P))
            {
                throw new UnsupportedException(
                    "sample " + index + " of " + Support.TypeName + " is not as it is in memory: use its Data");
            }
            return ref *(P*)(samples[index].Data + 4);
        }
    }
}
