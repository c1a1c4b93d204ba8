namespace Dunlin.Qos
{
    /// <summary>The default QoS of the library.</summary>
    internal static unsafe class Defaults
    {
        internal static Settings Participant => QosAccess.Participant(Default, 0);

        internal static Settings Topic => QosAccess.Topic(Default, 0);

        internal static Settings Publisher => QosAccess.Group(Default, 0, 3);

        internal static Settings Subscriber => QosAccess.Group(Default, 0, 4);

        internal static Settings Writer => QosAccess.Writer(Default, 0);

        internal static Settings Reader => QosAccess.Reader(Default, 0);

        // It has no lists, and so no block.
        private static int Default(ulong none, NativeQos* qos, NativeBlock* block)
        {
            Library.EnsureLoaded();
            *block = default;
            return Native.dunlin_qos_default(qos);
        }
    }
}
