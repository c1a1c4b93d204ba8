using System;
using System.Collections.Generic;
using System.Threading;
using Dunlin.Cdr;
using Dunlin.Discovery;
using Dunlin.Qos;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>Is given a sample, whose value is used again for the next one.</summary>
    public delegate void SampleHandler<T>(T value, in SampleInfo info);

    /// <summary>Takes and reads values of a topic.</summary>
    public sealed unsafe partial class DataReader<T> : Entity where T : class
    {
        private readonly DomainParticipant participant;
        private readonly TypeSupport<T> support;
        private Samples<T>? spare;
        private T? spareValue;
        private long undecodable;
        private volatile string? lastUndecodable;

        internal DataReader(
            Entity parent, ITopic<T> topic, DataReaderQos? qos, Action<DataReader<T>>? dataAvailable)
        {
            Topic = topic;
            participant = parent as DomainParticipant ?? ((Subscriber)parent).Participant;
            support = TypeSupport<T>.Instance;
            handlers.Available = dataAvailable;
            using Arena arena = new Arena();
            NativeReaderQos native = qos == null ? default : qos.Settings.Reader(arena);
            NativeReaderQos* given = qos == null ? null : &native;
            Make((listener, handle) => Native.dunlin_reader_new(
                parent.Handle, topic.Entity.Handle, given, listener, handle));
        }

        /// <summary>Its topic, or the part of one that it gets.</summary>
        public ITopic<T> Topic { get; }

        private protected override DomainParticipant? Owner => participant;

        /// <summary>The subscriber that it belongs to.</summary>
        public Subscriber Subscriber => (Subscriber)participant.Entities.Group(
            this, handle => new Subscriber(participant, handle));

        /// <summary>Ends all its conditions.</summary>
        public void DisposeContainedEntities() => DisposeContained();

        /// <summary>
        /// Reads what a sample has: its value, or of the end of an instance its key. False: it is none of the
        /// type, was given back, and has no token any more.
        /// </summary>
        internal bool Decode(NativeSample* sample, T into)
        {
            return Decode(sample, into, out CdrFault fault) || Reject(sample, fault);
        }

        private bool Decode(NativeSample* sample, T into, out CdrFault fault)
        {
            if (sample->Info.ValidData)
            {
                return support.ReadPayload(
                    sample->Data, (long)sample->Length, into, false, Handle, sample, out fault);
            }
            support.Reset(into);
            fault = default;
            if (!support.IsKeyed)
            {
                return true;
            }
            if (sample->Data != null)
            {
                return support.ReadPayload(sample->Data, (long)sample->Length, into, true, out fault);
            }
            NativeBlock key;
            InstanceHandle instance = sample->Info.InstanceHandle;
            if (Native.dunlin_reader_key(Handle, &instance, &key) != 0)
            {
                return true;
            }
            bool isRead = support.ReadPayload(key.Data, (long)key.Length, into, true, out fault);
            Native.dunlin_block_free(&key);
            return isRead;
        }

        private bool Reject(NativeSample* sample, in CdrFault fault)
        {
            string why = fault.ToString();
            lastUndecodable = why;
            Interlocked.Increment(ref undecodable);
            using Arena arena = new Arena();
            Native.dunlin_reject(Handle, sample, arena.Text(why));
            return false;
        }

        /// <summary>How many payloads could not be decoded, and were left out; they count as lost, too.</summary>
        public long UndecodableCount => Interlocked.Read(ref undecodable);

        /// <summary>What was wrong with the last of them; null if there was none.</summary>
        public string? LastUndecodable => lastUndecodable;

        /// <summary>
        /// Takes one sample that was not read before into a value, whose memory is used again. False:
        /// there is none.
        /// </summary>
        public bool TakeNext(ref T into, out SampleInfo info) => Next(ref into, out info, true);

        /// <summary>The same, and the sample stays in the reader.</summary>
        public bool ReadNext(ref T into, out SampleInfo info) => Next(ref into, out info, false);

        private bool Next(ref T into, out SampleInfo info, bool isTaken)
        {
            NativeSelect select = default;
            select.Size = Select.Native56;
            select.SampleStates = (uint)SampleStates.NotRead;
            NativeSample sample;
            byte[] near = Buffers.OfThread().Near;
            fixed (byte* room = near)
            {
                for (;;)
                {
                    int code = isTaken
                        ? Native.dunlin_take_next(Handle, &select, room, (ulong)near.Length, &sample)
                        : Native.dunlin_read_next(Handle, &select, room, (ulong)near.Length, &sample);
                    if (code != 0)
                    {
                        info = default;
                        return code == (int)ReturnCode.NoData ? false : throw Check.Error(code);
                    }
                    bool isDecoded = sample.Token == 0
                        ? Decode(&sample, into ??= support.Create())
                        : DecodeLarge(&sample, ref into);
                    if (isDecoded)
                    {
                        info = sample.Info;
                        return true;
                    }
                }
            }
        }

        // As Decode, of a sample that is to be given back.
        private bool DecodeLarge(NativeSample* sample, ref T into)
        {
            try
            {
                into ??= support.Create();
                return Decode(sample, into);
            }
            finally
            {
                if (sample->Token != 0)
                {
                    Native.dunlin_give_back(Handle, sample, 1);
                }
            }
        }

        /// <summary>
        /// Takes all samples that were not read before, and gives one after the other to a handler. The
        /// value is the same object each time.
        /// </summary>
        /// <returns>How many there were.</returns>
        public int TakeEach(SampleHandler<T> handler)
        {
            T value = Interlocked.Exchange(ref spareValue, null) ?? support.Create();
            int all = 0;
            while (TakeNext(ref value, out SampleInfo info))
            {
                all++;
                handler(value, info);
            }
            spareValue = value;
            return all;
        }

        /// <summary>Takes samples: all of them, at first.</summary>
        public Samples<T> Take(Select select = default) => Batch(select, true);

        /// <summary>Reads samples, which stay in the reader.</summary>
        public Samples<T> Read(Select select = default) => Batch(select, false);

        private Samples<T> Batch(in Select select, bool isTaken)
        {
            Samples<T> samples = Interlocked.Exchange(ref spare, null) ?? new Samples<T>(this);
            samples.Fill(isTaken, select);
            return samples;
        }

        internal void Return(Samples<T> samples) => spare = samples;

        /// <summary>The instance of a value; <see cref="InstanceHandle.Nil"/> if the reader does not know it.</summary>
        public InstanceHandle LookupInstance(T value)
        {
            InstanceHandle instance = support.InstanceOf(value);
            int code = Native.dunlin_reader_lookup(Handle, &instance);
            if (code == (int)ReturnCode.NoData)
            {
                return InstanceHandle.Nil;
            }
            Check.Ok(code);
            return instance;
        }

        /// <summary>The key of an instance into a value, whose other members get their defaults.</summary>
        /// <returns>False: the reader does not know the instance.</returns>
        public bool GetKeyValue(InstanceHandle instance, T into)
        {
            NativeBlock key;
            int code = Native.dunlin_reader_key(Handle, &instance, &key);
            return code != (int)ReturnCode.NoData && Keys.Read(support, code, &key, into);
        }

        /// <summary>Waits until so many writers match.</summary>
        /// <exception cref="DdsTimeoutException">They do not by then.</exception>
        public void WaitForMatched(int writers, TimeSpan timeout) =>
            Check.Ok(Native.dunlin_reader_wait_for_matched(Handle, (ulong)writers, Duration.Of(timeout)));

        /// <summary>Waits until all is here that the matched reliable writers had when the reader joined.</summary>
        /// <exception cref="DdsTimeoutException">It is not by then.</exception>
        public void WaitForHistoricalData(TimeSpan timeout) =>
            Check.Ok(Native.dunlin_reader_wait_for_historical(Handle, Duration.Of(timeout)));

        /// <summary>The writers that match.</summary>
        public IReadOnlyList<InstanceHandle> MatchedPublications =>
            Matches.Of((all, room, count) => Native.dunlin_reader_matched(Handle, all, room, count));

        /// <summary>What a writer that matches says of itself; null if it does not match any more.</summary>
        public BuiltinData? MatchedPublicationData(InstanceHandle writer)
        {
            InstanceHandle* at = &writer;
            return BuiltinData.Of(
                (data, block) => Native.dunlin_reader_matched_data(Handle, at, data, block));
        }

        /// <summary>How many samples came that did not pass the content filter.</summary>
        public long FilteredCount
        {
            get
            {
                ulong count;
                Check.Ok(Native.dunlin_reader_filtered(Handle, &count));
                return (long)count;
            }
        }

        /// <summary>Why writers of the same or a similar topic do not match, a line each.</summary>
        public string Explain()
        {
            NativeBlock block;
            Check.Ok(Native.dunlin_reader_explain(Handle, &block));
            return Arena.Take(&block);
        }

        /// <summary>A condition that there are samples with these states.</summary>
        public ReadCondition CreateReadCondition(Select select = default) => new ReadCondition(this, select);

        /// <summary>
        /// A condition that there are samples with these states whose content an expression describes, in
        /// the language of content filters.
        /// </summary>
        public QueryCondition CreateQueryCondition(
            string expression, IReadOnlyList<string>? parameters = null, Select select = default)
        {
            return new QueryCondition(this, select, expression, parameters ?? Array.Empty<string>());
        }

        /// <summary>The QoS.</summary>
        public DataReaderQos Qos
        {
            get => DataReaderQos.Of(QosAccess.Reader(Native.dunlin_qos_get, Handle));
            set => QosAccess.SetReader(Native.dunlin_qos_set, Handle, value.Settings);
        }
    }
}
