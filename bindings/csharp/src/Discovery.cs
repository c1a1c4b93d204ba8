using System;
using System.Collections.Generic;
using Dunlin.Qos;

namespace Dunlin.Discovery
{
    /// <summary>The built-in topics of DDS 1.4.</summary>
    public enum BuiltinTopic
    {
        /// <summary>DCPSParticipant: the other participants.</summary>
        Participant = 1,
        /// <summary>DCPSTopic: the topics of which others have writers or readers.</summary>
        Topic = 2,
        /// <summary>DCPSPublication: the writers of others.</summary>
        Publication = 3,
        /// <summary>DCPSSubscription: the readers of others.</summary>
        Subscription = 4,
    }

    /// <summary>What others say of a participant, a topic, a writer or a reader.</summary>
    public sealed unsafe class BuiltinData
    {
        private BuiltinData(in NativeBuiltinData native)
        {
            Kind = (BuiltinTopic)native.Kind;
            Key = native.Key;
            ParticipantKey = native.ParticipantKey;
            Name = Arena.Read(native.Name.Data, native.Name.Length);
            TypeName = Arena.Read(native.TypeName.Data, native.TypeName.Length);
            UserData = Arena.ReadBytes(native.UserData.Data, native.UserData.Length);
            TopicData = Arena.ReadBytes(native.TopicData.Data, native.TopicData.Length);
            Properties = Settings.PropertiesOf(native.Properties, native.PropertyCount);
            WriterQos = native.WriterQos == null ? null : DataWriterQos.Of(Settings.Of(*native.WriterQos));
            ReaderQos = native.ReaderQos == null ? null : DataReaderQos.Of(Settings.Of(*native.ReaderQos));
            Settings? group = native.GroupQos == null ? null : Settings.Of(*native.GroupQos);
            Partitions = group == null ? Array.Empty<string>() : group.Partitions;
            GroupData = group == null ? Array.Empty<byte>() : group.Data;
        }

        /// <summary>What it is about.</summary>
        public BuiltinTopic Kind { get; }

        /// <summary>The GUID; of a topic a number that its name and type have.</summary>
        public InstanceHandle Key { get; }

        /// <summary>Of a writer or reader: its participant.</summary>
        public InstanceHandle ParticipantKey { get; }

        /// <summary>The name of the topic; of a participant its ENTITY_NAME.</summary>
        public string Name { get; }

        /// <summary>The name of the topic's type.</summary>
        public string TypeName { get; }

        /// <summary>USER_DATA.</summary>
        public IReadOnlyList<byte> UserData { get; }

        /// <summary>TOPIC_DATA.</summary>
        public IReadOnlyList<byte> TopicData { get; }

        /// <summary>GROUP_DATA of the publisher or subscriber.</summary>
        public IReadOnlyList<byte> GroupData { get; }

        /// <summary>PARTITION of the publisher or subscriber.</summary>
        public IReadOnlyList<string> Partitions { get; }

        /// <summary>Of a participant: PROPERTY, and what its product tells of itself.</summary>
        public IReadOnlyList<Property> Properties { get; }

        /// <summary>Of a writer: its QoS, as far as others are told.</summary>
        public DataWriterQos? WriterQos { get; }

        /// <summary>Of a reader: its QoS, as far as others are told.</summary>
        public DataReaderQos? ReaderQos { get; }

        internal delegate int Getter(NativeBuiltinData* data, NativeBlock* block);

        /// <summary>Null: it is not known, or not any more.</summary>
        internal static BuiltinData? Of(Getter get)
        {
            NativeBuiltinData data = new NativeBuiltinData { Size = (uint)sizeof(NativeBuiltinData) };
            NativeBlock block;
            int code = get(&data, &block);
            if (code == (int)ReturnCode.NoData)
            {
                return null;
            }
            Check.Ok(code);
            BuiltinData made = new BuiltinData(data);
            Native.dunlin_block_free(&block);
            return made;
        }
    }

    /// <summary>A sample of a built-in topic.</summary>
    public readonly struct BuiltinSample
    {
        internal BuiltinSample(BuiltinData? data, in SampleInfo info)
        {
            Data = data;
            Info = info;
        }

        /// <summary>What is said; null where it has gone, which <see cref="Info"/> tells of.</summary>
        public BuiltinData? Data { get; }

        /// <summary>What DDS says about the sample; its instance is the key.</summary>
        public SampleInfo Info { get; }
    }

    /// <summary>The reader of a built-in topic: what is known, and what changes from then on.</summary>
    public sealed unsafe class BuiltinReader : Entity
    {
        private readonly uint kind;

        internal BuiltinReader(DomainParticipant participant, BuiltinTopic topic)
        {
            kind = (uint)topic;
            ulong handle;
            Check.Ok(Native.dunlin_builtin_reader(participant.Handle, kind, &handle));
            Handle = handle;
        }

        /// <summary>Takes all samples.</summary>
        public IReadOnlyList<BuiltinSample> Take(Select select = default) => All(select, true);

        /// <summary>Reads all samples, which stay in the reader.</summary>
        public IReadOnlyList<BuiltinSample> Read(Select select = default) => All(select, false);

        /// <summary>A condition that there are samples with these states.</summary>
        public ReadCondition CreateReadCondition(Select select = default) => new ReadCondition(this, select);

        private IReadOnlyList<BuiltinSample> All(in Select select, bool isTaken)
        {
            NativeSelect native = select.ToNative();
            NativeSample[] samples = new NativeSample[select.MaxSamples > 0 ? select.MaxSamples : 1024];
            List<BuiltinSample> all = new List<BuiltinSample>();
            fixed (NativeSample* data = samples)
            {
                ulong count;
                int code = isTaken
                    ? Native.dunlin_take(Handle, &native, data, (ulong)samples.Length, &count)
                    : Native.dunlin_read(Handle, &native, data, (ulong)samples.Length, &count);
                if (code == (int)ReturnCode.NoData)
                {
                    return all;
                }
                Check.Ok(code);
                try
                {
                    for (ulong i = 0; i < count; i++)
                    {
                        all.Add(new BuiltinSample(Decoded(data + i), data[i].Info));
                    }
                }
                finally
                {
                    Native.dunlin_give_back(Handle, data, count);
                }
            }
            return all;
        }

        private BuiltinData? Decoded(NativeSample* sample)
        {
            return sample->Info.ValidData
                ? BuiltinData.Of((data, block) => Native.dunlin_builtin_decode(kind, sample, data, block))
                : null;
        }
    }
}
