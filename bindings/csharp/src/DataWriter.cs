using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Dunlin.Cdr;
using Dunlin.Discovery;
using Dunlin.Qos;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>What may be said of a sample beside its value.</summary>
    public struct WriteOptions
    {
        /// <summary>When it was written; null is now.</summary>
        public DateTime? Timestamp { get; set; }

        /// <summary>Its instance, which is compared with the key of the value.</summary>
        public InstanceHandle Instance { get; set; }
    }

    /// <summary>Writes values of a topic.</summary>
    public sealed unsafe partial class DataWriter<T> : Entity where T : class
    {
        /// <summary>Payloads up to this size are written in a buffer of the thread, others in a loan.</summary>
        private const int Near = 4096;

        private readonly TypeSupport<T> support;
        private readonly int xcdr;

        internal DataWriter(Entity parent, Topic<T> topic, DataWriterQos? qos)
        {
            Topic = topic;
            support = TypeSupport<T>.Instance;
            using Arena arena = new Arena();
            NativeWriterQos native = qos == null ? default : qos.Settings.Writer(arena);
            NativeWriterQos* given = qos == null ? null : &native;
            Make((listener, handle) => Native.dunlin_writer_new(
                parent.Handle, topic.Handle, given, listener, handle));
            int representation;
            Check.Ok(Native.dunlin_writer_representation(Handle, &representation));
            xcdr = representation;
        }

        /// <summary>Its topic.</summary>
        public Topic<T> Topic { get; }

        private protected override DomainParticipant? Owner => Topic.Participant;

        /// <summary>The publisher that it belongs to.</summary>
        public Publisher Publisher => (Publisher)Topic.Participant.Entities.Group(
            this, handle => new Publisher(Topic.Participant, handle));

        /// <summary>Writes a value.</summary>
        /// <exception cref="BadParameterException">The value is none of its type; nothing is sent.</exception>
        /// <exception cref="DdsTimeoutException">A reliable KEEP_ALL history had no room for it.</exception>
        public void Write(T value) => Write(value, (NativeWriteOptions*)null);

        /// <summary>Writes a value with a timestamp or for an instance. Gives its sequence number.</summary>
        public long Write(T value, WriteOptions options)
        {
            InstanceHandle instance = options.Instance;
            NativeWriteOptions native = OptionsOf(options, &instance);
            Write(value, &native);
            return native.Sequence;
        }

        private static NativeWriteOptions OptionsOf(in WriteOptions options, InstanceHandle* instance)
        {
            return new NativeWriteOptions
            {
                Size = (uint)sizeof(NativeWriteOptions),
                Timestamp = options.Timestamp.HasValue ? Duration.Timestamp(options.Timestamp.Value) : long.MinValue,
                Instance = instance->IsNil ? null : (byte*)instance,
            };
        }

        private void Write(T value, NativeWriteOptions* options)
        {
            if (value is null)
            {
                throw new BadParameterException("writer of topic \"" + Topic.Name + "\": the value is null");
            }
            if (!support.PayloadSize(value, xcdr, false, out long size, out bool hasCounted, out CdrFault fault))
            {
                throw new BadParameterException(fault.ToString());
            }
            if (size > Near && hasCounted)
            {
                WriteApart(value, size, options);
                return;
            }
            if (size > Near)
            {
                WriteLarge(value, size, options);
                return;
            }
            Buffers buffers = Buffers.OfThread();
            try
            {
                fixed (byte* payload = buffers.Take())
                {
                    if (!support.WritePayload(value, xcdr, false, payload, size, out fault))
                    {
                        throw new BadParameterException(fault.ToString());
                    }
                    Check.Ok(Native.dunlin_write(Handle, payload, (ulong)size, options));
                }
            }
            finally
            {
                buffers.GiveBack();
            }
        }

        private void WriteLarge(T value, long size, NativeWriteOptions* options)
        {
            NativeLoan loan;
            Check.Ok(Native.dunlin_loan_new(Handle, (ulong)size, 0, &loan));
            bool isWritten = false;
            try
            {
                isWritten = support.WritePayload(value, xcdr, false, loan.Data, size, out CdrFault fault);
                if (!isWritten)
                {
                    throw new BadParameterException(fault.ToString());
                }
            }
            finally
            {
                if (!isWritten)
                {
                    Native.dunlin_loan_discard(Handle, &loan);
                }
            }
            Check.Ok(Native.dunlin_loan_write(Handle, &loan, options));
        }

        // Counted octets are not written to memory that has room for them, too: so nobody touches most of it.
        private void WriteApart(T value, long size, NativeWriteOptions* options)
        {
            NativePiece* pieces = stackalloc NativePiece[CdrWriter.MostPieces];
            byte* payload = (byte*)Marshal.AllocHGlobal((IntPtr)size);
            try
            {
                if (!support.WritePayload(value, xcdr, false, payload, size, pieces, out int count, out CdrFault fault))
                {
                    throw new BadParameterException(fault.ToString());
                }
                Check.Ok(count > 0
                    ? Native.dunlin_write_pieces(Handle, pieces, (ulong)count, options)
                    : Native.dunlin_write(Handle, payload, (ulong)size, options));
            }
            finally
            {
                Marshal.FreeHGlobal((IntPtr)payload);
            }
            // It may be all that refers to octets that are written.
            GC.KeepAlive(value);
        }

        /// <summary>
        /// Gives a member octets that lie where readers of this host see them, if there is such memory, and that are
        /// written by reference. Only <paramref name="fill"/> may change them; without it they are what happens to be
        /// there.
        /// </summary>
        public void Place(Seq<byte> member, int length, OctetsFill? fill = null) =>
            OctetSequences.Make(Handle, member, length, fill);

        /// <summary>Disposes the instance of a value, of which only the key counts.</summary>
        public void DisposeInstance(T value, WriteOptions options = default) => End(value, options, true);

        /// <summary>Unregisters the instance of a value, of which only the key counts.</summary>
        public void UnregisterInstance(T value, WriteOptions options = default) => End(value, options, false);

        private void End(T value, in WriteOptions options, bool isDisposed)
        {
            InstanceHandle instance = options.Instance;
            NativeWriteOptions native = OptionsOf(options, &instance);
            byte[] key = KeyOf(value);
            fixed (byte* data = key)
            {
                Check.Ok(isDisposed
                    ? Native.dunlin_dispose(Handle, data, (ulong)key.Length, &native)
                    : Native.dunlin_unregister(Handle, data, (ulong)key.Length, &native));
            }
        }

        /// <summary>Disposes an instance that the writer knows.</summary>
        public void DisposeInstance(InstanceHandle instance)
        {
            NativeWriteOptions native = OptionsOf(default, &instance);
            Check.Ok(Native.dunlin_dispose(Handle, null, 0, &native));
        }

        /// <summary>Unregisters an instance that the writer knows.</summary>
        public void UnregisterInstance(InstanceHandle instance)
        {
            NativeWriteOptions native = OptionsOf(default, &instance);
            Check.Ok(Native.dunlin_unregister(Handle, null, 0, &native));
        }

        /// <summary>Says that the writer will write the instance of a value.</summary>
        public InstanceHandle RegisterInstance(T value)
        {
            byte[] key = KeyOf(value);
            InstanceHandle instance;
            fixed (byte* data = key)
            {
                Check.Ok(Native.dunlin_register(Handle, data, (ulong)key.Length, &instance));
            }
            return instance;
        }

        /// <summary>The instance of a value; <see cref="InstanceHandle.Nil"/> if the writer does not have it.</summary>
        public InstanceHandle LookupInstance(T value)
        {
            InstanceHandle instance = support.InstanceOf(value);
            int code = Native.dunlin_writer_lookup(Handle, &instance);
            return code == (int)ReturnCode.NoData ? InstanceHandle.Nil : Known(code, instance);
        }

        private static InstanceHandle Known(int code, InstanceHandle instance)
        {
            Check.Ok(code);
            return instance;
        }

        /// <summary>The key of an instance into a value, whose other members get their defaults.</summary>
        /// <returns>False: the writer does not have the instance.</returns>
        public bool GetKeyValue(InstanceHandle instance, T into)
        {
            NativeBlock key;
            int code = Native.dunlin_writer_key(Handle, &instance, &key);
            return code != (int)ReturnCode.NoData && Keys.Read(support, code, &key, into);
        }

        private byte[] KeyOf(T value)
        {
            if (!support.IsKeyed)
            {
                throw new IllegalOperationException(support.TypeName + " has no key, so " + Topic.Name + " has no instances");
            }
            return support.ToKeyPayload(value, (Representation)xcdr);
        }

        /// <summary>Waits until so many readers match.</summary>
        /// <exception cref="DdsTimeoutException">They do not by then.</exception>
        public void WaitForMatched(int readers, TimeSpan timeout) =>
            Check.Ok(Native.dunlin_writer_wait_for_matched(Handle, (ulong)readers, Duration.Of(timeout)));

        /// <summary>Waits until every matched reliable reader has acknowledged all samples.</summary>
        /// <exception cref="DdsTimeoutException">They have not by then.</exception>
        public void WaitForAcknowledgments(TimeSpan timeout) =>
            Check.Ok(Native.dunlin_writer_wait_for_acknowledgments(Handle, Duration.Of(timeout)));

        /// <summary>The readers that match.</summary>
        public IReadOnlyList<InstanceHandle> MatchedSubscriptions =>
            Matches.Of((all, room, count) => Native.dunlin_writer_matched(Handle, all, room, count));

        /// <summary>What a reader that matches says of itself; null if it does not match any more.</summary>
        public BuiltinData? MatchedSubscriptionData(InstanceHandle reader)
        {
            InstanceHandle* at = &reader;
            return BuiltinData.Of(
                (data, block) => Native.dunlin_writer_matched_data(Handle, at, data, block));
        }

        /// <summary>Why readers of the same or a similar topic do not match, a line each.</summary>
        public string Explain()
        {
            NativeBlock block;
            Check.Ok(Native.dunlin_writer_explain(Handle, &block));
            return Arena.Take(&block);
        }

        /// <summary>How many changes the slowest reader has not acknowledged, and how many the writer keeps.</summary>
        public (long Unacknowledged, long Kept) Backlog
        {
            get
            {
                ulong unacknowledged, kept;
                Check.Ok(Native.dunlin_writer_backlog(Handle, &unacknowledged, &kept));
                return ((long)unacknowledged, (long)kept);
            }
        }

        /// <summary>Sends samples that batching holds back.</summary>
        public void Flush() => Check.Ok(Native.dunlin_flush(Handle));

        /// <summary>Says that the writer lives, if its LIVELINESS is manual.</summary>
        public void AssertLiveliness() => Check.Ok(Native.dunlin_assert_liveliness(Handle));

        /// <summary>The QoS.</summary>
        public DataWriterQos Qos
        {
            get => DataWriterQos.Of(QosAccess.Writer(Native.dunlin_qos_get, Handle));
            set => QosAccess.SetWriter(Native.dunlin_qos_set, Handle, value.Settings);
        }

        /// <summary>PUBLICATION_MATCHED.</summary>
        public MatchedStatus PublicationMatchedStatus => MatchedStatus(Status(StatusMask.PublicationMatched));

        /// <summary>OFFERED_DEADLINE_MISSED.</summary>
        public CountStatus OfferedDeadlineMissedStatus => CountStatus(StatusMask.OfferedDeadlineMissed);

        /// <summary>LIVELINESS_LOST.</summary>
        public CountStatus LivelinessLostStatus => CountStatus(StatusMask.LivelinessLost);

        /// <summary>OFFERED_INCOMPATIBLE_QOS.</summary>
        public IncompatibleQosStatus OfferedIncompatibleQosStatus =>
            IncompatibleQosStatus(Status(StatusMask.OfferedIncompatibleQos));

        private readonly WriterHandlers<DataWriter<T>> handlers = new WriterHandlers<DataWriter<T>>();

        /// <summary>A reader came or went.</summary>
        public event Action<DataWriter<T>, MatchedStatus> PublicationMatched
        {
            add => Change(() => handlers.Matched += value);
            remove => Change(() => handlers.Matched -= value);
        }

        /// <summary>The writer did not keep its deadline.</summary>
        public event Action<DataWriter<T>, CountStatus> OfferedDeadlineMissed
        {
            add => Change(() => handlers.DeadlineMissed += value);
            remove => Change(() => handlers.DeadlineMissed -= value);
        }

        /// <summary>The writer did not assert that it lives.</summary>
        public event Action<DataWriter<T>, CountStatus> LivelinessLost
        {
            add => Change(() => handlers.LivelinessLost += value);
            remove => Change(() => handlers.LivelinessLost -= value);
        }

        /// <summary>A reader asks for more than the writer offers.</summary>
        public event Action<DataWriter<T>, IncompatibleQosStatus> OfferedIncompatibleQos
        {
            add => Change(() => handlers.Incompatible += value);
            remove => Change(() => handlers.Incompatible -= value);
        }

        private protected override StatusMask Wanted => handlers.Wanted;

        internal override void OnStatus(ulong handle, in NativeStatus status) => handlers.Raise(this, status);
    }

    /// <summary>
    /// Memory of a thread for payloads. A write may call a listener that writes, so that there is one
    /// buffer for each depth.
    /// </summary>
    internal sealed class Buffers
    {
        [ThreadStatic]
        private static Buffers? ofThread;

        /// <summary>
        /// For the payload of a sample that is taken alone. Nothing but its decoder runs meanwhile, so one is enough.
        /// </summary>
        internal readonly byte[] Near = new byte[4096];

        private byte[][] all = { new byte[4096] };
        private int depth;

        internal static Buffers OfThread() => ofThread ?? (ofThread = new Buffers());

        internal byte[] Take()
        {
            if (depth == all.Length)
            {
                Array.Resize(ref all, 2 * depth);
            }
            byte[] buffer = all[depth] ?? (all[depth] = new byte[4096]);
            depth++;
            return buffer;
        }

        internal void GiveBack()
        {
            if (depth > 0)
            {
                depth--;
            }
        }
    }

    internal static unsafe class Keys
    {
        /// <summary>Reads a key that the library gave, and gives its memory back.</summary>
        internal static bool Read<T>(TypeSupport<T> support, int code, NativeBlock* key, T into) where T : class
        {
            Check.Ok(code);
            support.Reset(into);
            bool isRead = support.ReadPayload(key->Data, (long)key->Length, into, true, out CdrFault fault);
            Native.dunlin_block_free(key);
            return isRead ? true : throw new DdsException(ReturnCode.Error, fault.ToString());
        }
    }

    internal static unsafe class Matches
    {
        internal delegate int Getter(byte* all, ulong room, ulong* count);

        internal static IReadOnlyList<InstanceHandle> Of(Getter getter)
        {
            for (ulong room = 64; ; room *= 4)
            {
                InstanceHandle[] all = new InstanceHandle[room];
                ulong count;
                fixed (InstanceHandle* data = all)
                {
                    Check.Ok(getter((byte*)data, room, &count));
                }
                if (count <= room)
                {
                    Array.Resize(ref all, (int)count);
                    return all;
                }
            }
        }
    }
}
