using System;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>The handlers of what happens to writers: a writer has them, a publisher and a participant.</summary>
    internal sealed class WriterHandlers<TWriter> where TWriter : Entity
    {
        internal Action<TWriter, MatchedStatus>? Matched;
        internal Action<TWriter, CountStatus>? DeadlineMissed;
        internal Action<TWriter, CountStatus>? LivelinessLost;
        internal Action<TWriter, IncompatibleQosStatus>? Incompatible;

        internal StatusMask Wanted =>
            (Matched == null ? 0 : StatusMask.PublicationMatched)
            | (DeadlineMissed == null ? 0 : StatusMask.OfferedDeadlineMissed)
            | (LivelinessLost == null ? 0 : StatusMask.LivelinessLost)
            | (Incompatible == null ? 0 : StatusMask.OfferedIncompatibleQos);

        internal void Raise(TWriter writer, in NativeStatus status)
        {
            switch ((StatusMask)status.Kind)
            {
                case StatusMask.PublicationMatched:
                    Matched?.Invoke(writer, Entity.MatchedStatus(status));
                    break;
                case StatusMask.OfferedDeadlineMissed:
                    DeadlineMissed?.Invoke(writer, Entity.CountStatus(status));
                    break;
                case StatusMask.LivelinessLost:
                    LivelinessLost?.Invoke(writer, Entity.CountStatus(status));
                    break;
                case StatusMask.OfferedIncompatibleQos:
                    Incompatible?.Invoke(writer, writer.IncompatibleQosStatus(status));
                    break;
            }
        }
    }

    /// <summary>The same of readers: a reader has them, a subscriber and a participant.</summary>
    internal sealed class ReaderHandlers<TReader> where TReader : Entity
    {
        internal Action<TReader>? Available;
        internal Action<TReader, MatchedStatus>? Matched;
        internal Action<TReader, CountStatus>? DeadlineMissed;
        internal Action<TReader, CountStatus>? Lost;
        internal Action<TReader, SampleRejectedStatus>? Rejected;
        internal Action<TReader, LivelinessChangedStatus>? Liveliness;
        internal Action<TReader, IncompatibleQosStatus>? Incompatible;

        internal StatusMask Wanted =>
            (Available == null ? 0 : StatusMask.DataAvailable)
            | (Matched == null ? 0 : StatusMask.SubscriptionMatched)
            | (DeadlineMissed == null ? 0 : StatusMask.RequestedDeadlineMissed)
            | (Lost == null ? 0 : StatusMask.SampleLost)
            | (Rejected == null ? 0 : StatusMask.SampleRejected)
            | (Liveliness == null ? 0 : StatusMask.LivelinessChanged)
            | (Incompatible == null ? 0 : StatusMask.RequestedIncompatibleQos);

        internal void Raise(TReader reader, in NativeStatus status)
        {
            switch ((StatusMask)status.Kind)
            {
                case StatusMask.SubscriptionMatched:
                    Matched?.Invoke(reader, Entity.MatchedStatus(status));
                    break;
                case StatusMask.RequestedDeadlineMissed:
                    DeadlineMissed?.Invoke(reader, Entity.CountStatus(status));
                    break;
                case StatusMask.SampleLost:
                    Lost?.Invoke(reader, Entity.CountStatus(status));
                    break;
                case StatusMask.SampleRejected:
                    Rejected?.Invoke(reader, Entity.RejectedStatus(status));
                    break;
                case StatusMask.LivelinessChanged:
                    Liveliness?.Invoke(reader, Entity.LivelinessStatus(status));
                    break;
                case StatusMask.RequestedIncompatibleQos:
                    Incompatible?.Invoke(reader, reader.IncompatibleQosStatus(status));
                    break;
            }
        }
    }
}
