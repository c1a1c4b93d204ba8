namespace Dunlin.Qos
{
    /// <summary>The QoS that entities have, or what is created from them.</summary>
    internal static unsafe class QosAccess
    {
        internal delegate int Getter(ulong entity, NativeQos* qos, NativeBlock* block);

        internal delegate int Setter(ulong entity, NativeQos* qos);

        internal static Settings Participant(Getter get, ulong entity)
        {
            NativeParticipantQos native = new NativeParticipantQos { Size = (uint)sizeof(NativeParticipantQos), Kind = 1 };
            NativeBlock block;
            Check.Ok(get(entity, (NativeQos*)&native, &block));
            Settings settings = Settings.Of(native);
            Native.dunlin_block_free(&block);
            return settings;
        }

        internal static void SetParticipant(Setter set, ulong entity, Settings settings)
        {
            using Arena arena = new Arena();
            NativeParticipantQos native = settings.Participant(arena);
            Check.Ok(set(entity, (NativeQos*)&native));
        }

        internal static Settings Topic(Getter get, ulong entity)
        {
            NativeTopicQos native = new NativeTopicQos { Size = (uint)sizeof(NativeTopicQos), Kind = 2 };
            NativeBlock block;
            Check.Ok(get(entity, (NativeQos*)&native, &block));
            Settings settings = Settings.Of(native);
            Native.dunlin_block_free(&block);
            return settings;
        }

        internal static void SetTopic(Setter set, ulong entity, Settings settings)
        {
            using Arena arena = new Arena();
            NativeTopicQos native = settings.Topic(arena);
            Check.Ok(set(entity, (NativeQos*)&native));
        }

        internal static Settings Group(Getter get, ulong entity, uint kind)
        {
            NativeGroupQos native = new NativeGroupQos { Size = (uint)sizeof(NativeGroupQos), Kind = kind };
            NativeBlock block;
            Check.Ok(get(entity, (NativeQos*)&native, &block));
            Settings settings = Settings.Of(native);
            Native.dunlin_block_free(&block);
            return settings;
        }

        internal static void SetGroup(Setter set, ulong entity, Settings settings, uint kind)
        {
            using Arena arena = new Arena();
            NativeGroupQos native = settings.Group(arena, kind);
            Check.Ok(set(entity, (NativeQos*)&native));
        }

        internal static Settings Writer(Getter get, ulong entity)
        {
            NativeWriterQos native = new NativeWriterQos { Size = (uint)sizeof(NativeWriterQos), Kind = 5 };
            NativeBlock block;
            Check.Ok(get(entity, (NativeQos*)&native, &block));
            Settings settings = Settings.Of(native);
            Native.dunlin_block_free(&block);
            return settings;
        }

        internal static void SetWriter(Setter set, ulong entity, Settings settings)
        {
            using Arena arena = new Arena();
            NativeWriterQos native = settings.Writer(arena);
            Check.Ok(set(entity, (NativeQos*)&native));
        }

        internal static Settings Reader(Getter get, ulong entity)
        {
            NativeReaderQos native = new NativeReaderQos { Size = (uint)sizeof(NativeReaderQos), Kind = 6 };
            NativeBlock block;
            Check.Ok(get(entity, (NativeQos*)&native, &block));
            Settings settings = Settings.Of(native);
            Native.dunlin_block_free(&block);
            return settings;
        }

        internal static void SetReader(Setter set, ulong entity, Settings settings)
        {
            using Arena arena = new Arena();
            NativeReaderQos native = settings.Reader(arena);
            Check.Ok(set(entity, (NativeQos*)&native));
        }
    }
}
