// What a handler of data takes into.
using System;
using Dunlin;
using static Harness;

/// <summary>The sample of a topic that was taken last, and those that stay where they are.</summary>
internal sealed unsafe class Received<T> where T : class, ISample, new()
{
    /// <summary>Octets of what is no sample of data, at most.</summary>
    internal const int Note = 64;
    /// <summary>Octets of a sample before those of its payload; the encapsulation header is 4 of them.</summary>
    private const int Head = 32;

    internal T Sample = new T();
    internal Flags Flags;
    private readonly TestDataHead_t head = new TestDataHead_t();
    private SamplesInPlace<T>? batch;
    private int next;

    /// <summary>Octets of the payload, which the sample has unless they stay where they are.</summary>
    internal int Length { get; private set; }

    /// <summary>Takes the next sample; false if there is none.</summary>
    internal bool Next(DataReader<T> reader)
    {
        if ((Flags & Flags.ZeroCopy) != 0)
        {
            return NextInPlace(reader);
        }
        while (reader.TakeNext(ref Sample, out SampleInfo info))
        {
            if (info.ValidData)
            {
                Length = Sample.BinData.Count;
                return true;
            }
        }
        return false;
    }

    private bool NextInPlace(DataReader<T> reader)
    {
        for (;;)
        {
            while (batch != null && next < batch.Count)
            {
                if (Look(batch, next++))
                {
                    return true;
                }
            }
            // Memory of the publisher is not kept longer than needed.
            batch?.Dispose();
            batch = reader.TakeInPlace();
            next = 0;
            if (batch.Count == 0)
            {
                batch.Dispose();
                batch = null;
                return false;
            }
        }
    }

    // Reads all members but the payload, which stays where it is.
    private bool Look(SamplesInPlace<T> samples, int index)
    {
        long all = samples.Length(index);
        if (!samples.Info(index).ValidData || all < Head)
        {
            return false;
        }
        try
        {
            Span<byte> before = stackalloc byte[Head];
            samples.Copy(index, 0, before);
            // What is behind the payload is not behind the head.
            before[3] = 0;
            TypeSupport<TestDataHead_t>.Instance.FromPayload(before, head);
            if (head.Length > all - Head)
            {
                return false;
            }
            Length = (int)head.Length;
            if (Length <= Note)
            {
                Sample.BinData.Clear();
                Sample.BinData.Resize(Length);
                samples.Copy(index, Head, Sample.BinData.Span);
            }
            head.Key.CopyTo(Sample.Key, 0);
            Sample.EntityId = head.EntityId;
            Sample.SeqNum = head.SeqNum;
            Sample.TimestampSec = head.TimestampSec;
            Sample.TimestampUsec = head.TimestampUsec;
            Sample.LatencyPing = head.LatencyPing;
            return (Flags & Flags.Checks) == 0 || samples.IsIntact(index);
        }
        catch (DdsException)
        {
            return false;
        }
    }
}
