namespace Dunlin.Qos
{
    /// <summary>The default QoS of the library.</summary>
    internal static unsafe class Defaults
    {
        internal static Settings Participant
        {
            get
            {
                Library.EnsureLoaded();
                NativeParticipantQos native = new NativeParticipantQos { Size = (uint)sizeof(NativeParticipantQos), Kind = 1 };
                Check.Ok(Native.dunlin_qos_default((NativeQos*)&native));
                return Settings.Of(native);
            }
        }

        internal static Settings Topic
        {
            get
            {
                Library.EnsureLoaded();
                NativeTopicQos native = new NativeTopicQos { Size = (uint)sizeof(NativeTopicQos), Kind = 2 };
                Check.Ok(Native.dunlin_qos_default((NativeQos*)&native));
                return Settings.Of(native);
            }
        }

        internal static Settings Publisher
        {
            get
            {
                Library.EnsureLoaded();
                NativeGroupQos native = new NativeGroupQos { Size = (uint)sizeof(NativeGroupQos), Kind = 3 };
                Check.Ok(Native.dunlin_qos_default((NativeQos*)&native));
                return Settings.Of(native);
            }
        }

        internal static Settings Subscriber
        {
            get
            {
                Library.EnsureLoaded();
                NativeGroupQos native = new NativeGroupQos { Size = (uint)sizeof(NativeGroupQos), Kind = 4 };
                Check.Ok(Native.dunlin_qos_default((NativeQos*)&native));
                return Settings.Of(native);
            }
        }

        internal static Settings Writer
        {
            get
            {
                Library.EnsureLoaded();
                NativeWriterQos native = new NativeWriterQos { Size = (uint)sizeof(NativeWriterQos), Kind = 5 };
                Check.Ok(Native.dunlin_qos_default((NativeQos*)&native));
                return Settings.Of(native);
            }
        }

        internal static Settings Reader
        {
            get
            {
                Library.EnsureLoaded();
                NativeReaderQos native = new NativeReaderQos { Size = (uint)sizeof(NativeReaderQos), Kind = 6 };
                Check.Ok(Native.dunlin_qos_default((NativeQos*)&native));
                return Settings.Of(native);
            }
        }
    }
}
