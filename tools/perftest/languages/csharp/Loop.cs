// What is measured: the loop that writes, and the handlers of data.
using System;
using System.Diagnostics;
using System.Threading;
using Dunlin;
using Dunlin.Cdr;
using static Harness;

/// <summary>The members of a sample, which all four types have.</summary>
internal interface ISample
{
    byte[] Key { get; }
    int EntityId { get; set; }
    uint SeqNum { get; set; }
    int TimestampSec { get; set; }
    uint TimestampUsec { get; set; }
    int LatencyPing { get; set; }
    Seq<byte> BinData { get; }
}

public partial class TestData_t : ISample { }

public partial class TestDataKeyed_t : ISample { }

public partial class TestDataLarge_t : ISample { }

public partial class TestDataKeyedLarge_t : ISample { }

/// <summary>What a subscriber knows of a publisher. Only the thread of the handler writes it.</summary>
internal sealed class Publication
{
    internal int EntityId;
    internal bool IsBegun;
    internal Traffic Traffic;
}

internal sealed unsafe class Loop<T> where T : class, ISample, new()
{
    /// <summary>Octets of a sample beside its payload.</summary>
    private const uint Overhead = 28;
    /// <summary>Samples between two looks at the clock, where that would cost more than writing them.</summary>
    private const int Look = 16;

    internal readonly DataWriter<T>?[] Writers = new DataWriter<T>?[Topics];
    internal readonly DataReader<T>?[] Readers = new DataReader<T>?[Topics];
    internal readonly GuardCondition Guard = new GuardCondition();
    internal readonly WaitSet Waits;
    internal readonly Publication[] Publications = new Publication[Id + 1];
    internal Flags Flags { get; private set; }
    internal uint Subscriber, Instances;
    internal IntPtr Inbox;
    private readonly T sample = new T();
    private readonly Received<T>[] received = { new Received<T>(), new Received<T>(), new Received<T>() };
    private uint nextKey;
    private bool isMade;

    private int entityId;
    private long since, outstanding, answers, late, taken;
    private ulong sent, pings, lost, nextPing, sentAt;
    private bool isWaiting, isBlocked, isPing;
    private PlanFlags manner;
    private ulong* ring;
    private ulong ringSize = 1;

    internal Loop()
    {
        Waits = new WaitSet(Guard);
        for (int i = 0; i < Publications.Length; i++)
        {
            Publications[i] = new Publication();
        }
    }

    internal void SetFlags(Flags all)
    {
        Flags = all;
        foreach (Received<T> one in received)
        {
            one.Flags = all;
        }
    }

    /// <summary>CLOCK_MONOTONIC in nanoseconds.</summary>
    internal static ulong Now() => (ulong)Stopwatch.GetTimestamp();

    internal void NextKey(byte[] key)
    {
        uint next = nextKey;
        nextKey = next + 1 < Instances ? next + 1 : 0;
        PutKey(key, next);
    }

    internal static void PutKey(byte[] key, uint number)
    {
        key[0] = (byte)number;
        key[1] = (byte)(number >> 8);
        key[2] = (byte)(number >> 16);
        key[3] = (byte)(number >> 24);
    }

    /// <summary>Samples of all segments.</summary>
    internal ulong Written { get; private set; }

    internal int Measure(Plan* plan, Progress* progress)
    {
        if ((plan->Flags & PlanFlags.Begins) != 0)
        {
            BeginSegment(plan);
        }
        Volatile.Write(ref taken, (long)plan->Taken);
        int code = RunPart(plan);
        progress->Sent = sent;
        progress->Pings = pings;
        progress->Lost = lost;
        progress->Answers = (ulong)Volatile.Read(ref answers);
        progress->Late = (ulong)Volatile.Read(ref late);
        progress->Waiting = isWaiting ? 1u : 0;
        progress->Blocked = isBlocked ? 1u : 0;
        return code;
    }

    private void BeginSegment(Plan* plan)
    {
        Volatile.Write(ref outstanding, 0);
        Volatile.Write(ref answers, 0);
        Volatile.Write(ref late, 0);
        sent = pings = lost = 0;
        nextPing = (plan->Flags & PlanFlags.Pings) != 0 ? 0 : ulong.MaxValue;
        isWaiting = isBlocked = isMade = false;
        manner = plan->Flags;
        ring = plan->Ring;
        ringSize = plan->RingSize;
        Volatile.Write(ref since, (long)Now());
        Volatile.Write(ref entityId, plan->EntityId);
    }

    private int RunPart(Plan* plan)
    {
        bool isWatched = (plan->Flags & PlanFlags.OneAtATime) != 0;
        for (;;)
        {
            if (isWaiting && !AwaitEcho(plan))
            {
                return 0;
            }
            if (sent >= plan->Samples)
            {
                return 0;
            }
            if (isWatched || isBlocked || sent % Look == 0)
            {
                if ((ulong)Volatile.Read(ref answers) - plan->Taken >= plan->RingSize || Now() >= plan->Until)
                {
                    return 0;
                }
            }
            if (!isBlocked)
            {
                MakeSample(plan);
            }
            try
            {
                Writers[Throughput]!.Write(sample);
                isBlocked = false;
            }
            catch (DdsTimeoutException)
            {
                isBlocked = true;
                continue;
            }
            NoteWritten(plan);
        }
    }

    // Whether the payload is made anew in memory of Dunlin, and is what happens to be there.
    private bool IsFlat(int payload) => (Flags & Flags.Flat) != 0 && payload > Received<T>.Note;

    private void MakeSample(Plan* plan)
    {
        int payload = (int)plan->Payload;
        if (IsFlat(payload))
        {
            Writers[Throughput]!.Place(sample.BinData, payload);
        }
        else if (!isMade)
        {
            sample.BinData.Clear();
            sample.BinData.Resize(payload);
            sample.BinData.Share();
            isMade = true;
        }
        if (plan->Instance < 0)
        {
            NextKey(sample.Key);
        }
        else
        {
            PutKey(sample.Key, (uint)plan->Instance);
        }
        sample.EntityId = plan->EntityId;
        sample.SeqNum = plan->FirstSeq + (uint)sent;
        isPing = sent == nextPing;
        if (!isPing)
        {
            sample.TimestampSec = 0;
            sample.TimestampUsec = 0;
            sample.LatencyPing = NoPing;
            return;
        }
        sample.LatencyPing = (plan->Flags & PlanFlags.Practice) != 0 ? WarmUp : (int)(pings % plan->Subscribers);
        bool isOne = (plan->Flags & PlanFlags.OneAtATime) != 0;
        sentAt = Now();
        sample.TimestampSec = (int)(sentAt >> 32);
        sample.TimestampUsec = (uint)sentAt;
        if (isOne)
        {
            Volatile.Write(ref outstanding, (long)sample.SeqNum + 1);
        }
    }

    // Notes where the next ping is.
    private void NoteWritten(Plan* plan)
    {
        if (isPing)
        {
            ulong batch = sent / plan->PerBatch;
            ulong place = (sent % plan->PerBatch + 1) % plan->PerBatch;
            nextPing = (batch + plan->PingEvery) * plan->PerBatch + place;
            isWaiting = (plan->Flags & PlanFlags.OneAtATime) != 0;
            pings++;
        }
        sent++;
        Written++;
    }

    // False: the part of the segment ends before the echo is there.
    private bool AwaitEcho(Plan* plan)
    {
        while (Volatile.Read(ref outstanding) != 0)
        {
            ulong now = Now(), end = plan->Until + Grace;
            if (plan->PingTimeout < Never - sentAt)
            {
                ulong lostAt = sentAt + plan->PingTimeout;
                if (now >= lostAt)
                {
                    lost += Interlocked.Exchange(ref outstanding, 0) != 0 ? 1ul : 0;
                    break;
                }
                end = Math.Min(end, lostAt);
            }
            if (now >= end)
            {
                return false;
            }
            Wait(Waits, end - now);
        }
        isWaiting = false;
        return true;
    }

    internal void Wait(WaitSet waits, ulong nanoseconds)
    {
        long ticks = (long)Math.Min(nanoseconds / 100 + 1, long.MaxValue / 200);
        waits.Wait(TimeSpan.FromTicks(ticks));
        Guard.SetTriggerValue(false);
        if (Volatile.Read(ref outstanding) != 0 || waits != Waits)
        {
            NoteMatches();
        }
    }

    // Asking for a status resets its condition.
    internal void NoteMatches()
    {
        for (int topic = 0; topic < Topics; topic++)
        {
            _ = Writers[topic]?.PublicationMatchedStatus.CurrentCount;
            _ = Readers[topic]?.SubscriptionMatchedStatus.CurrentCount;
        }
    }

    internal void OnData(int topic, DataReader<T> reader)
    {
        ulong now = Now();
        Received<T> got = received[topic];
        while (got.Next(reader))
        {
            switch (topic)
            {
                case Announcement:
                    PassOn(topic, got);
                    break;
                case Latency:
                    TakeEcho(got, now);
                    now = Now();
                    break;
                default:
                    TakeData(got);
                    break;
            }
        }
    }

    private void PassOn(int topic, Received<T> got)
    {
        T of = got.Sample;
        Header header = default;
        for (int i = 0; i < 4; i++)
        {
            header.Key[i] = of.Key[i];
        }
        header.EntityId = of.EntityId;
        header.SeqNum = of.SeqNum;
        header.TimestampSec = of.TimestampSec;
        header.TimestampUsec = of.TimestampUsec;
        header.LatencyPing = of.LatencyPing;
        bool isHere = (Flags & Flags.ZeroCopy) == 0 || got.Length <= Received<T>.Note;
        fixed (byte* data = of.BinData.View)
        {
            dunlin_perftest_sample(Inbox, (uint)topic, &header, isHere ? data : null, isHere ? (ulong)got.Length : 0);
        }
    }

    // An echo, at the publisher.
    private void TakeEcho(Received<T> taken, ulong now)
    {
        T got = taken.Sample;
        int ping = got.LatencyPing;
        if (ping < 0 && (ping < WarmUp || (manner & PlanFlags.Practice) == 0))
        {
            PassOn(Latency, taken);
            return;
        }
        if (got.EntityId != Volatile.Read(ref entityId))
        {
            return;
        }
        bool isOne = (manner & PlanFlags.OneAtATime) != 0, isAnswer;
        long before = answers;
        ulong from;
        if (isOne)
        {
            isAnswer = Volatile.Read(ref outstanding) == (long)got.SeqNum + 1;
            from = sentAt;
        }
        else
        {
            from = (ulong)(uint)got.TimestampSec << 32 | got.TimestampUsec;
            isAnswer = from >= (ulong)Volatile.Read(ref since) && from <= now
                && (ulong)(before - Volatile.Read(ref this.taken)) < ringSize;
        }
        if (!isAnswer)
        {
            Volatile.Write(ref late, late + 1);
            return;
        }
        ring[(ulong)before & (ringSize - 1)] = now - from;
        Volatile.Write(ref answers, before + 1);
        if (isOne)
        {
            // Last, so that what was measured is there.
            Volatile.Write(ref outstanding, 0);
            Guard.SetTriggerValue(true);
        }
    }

    // Data, warm-up or control, at the subscriber.
    private void TakeData(Received<T> taken)
    {
        T got = taken.Sample;
        int id = got.EntityId & Id, ping = got.LatencyPing;
        Publication from = Publications[id];
        if (ping < WarmUp)
        {
            PassOn(Throughput, taken);
            return;
        }
        if (from.EntityId != got.EntityId)
        {
            return;
        }
        bool isWarmUp = ping == WarmUp;
        bool isMine = (Flags & Flags.AnswersAll) != 0 || ping == (int)Subscriber;
        if (isWarmUp ? id == 0 : ping >= 0 && isMine)
        {
            Echo(taken, from);
        }
        if (isWarmUp)
        {
            Volatile.Write(ref from.Traffic.Others, from.Traffic.Others + 1);
            return;
        }
        if (!from.IsBegun)
        {
            from.IsBegun = true;
            PassOn(Throughput, taken);
        }
        CountLost(ref from.Traffic, got.SeqNum);
        uint size = (uint)taken.Length + Overhead;
        Volatile.Write(ref from.Traffic.LastSize, size);
        Volatile.Write(ref from.Traffic.Bytes, from.Traffic.Bytes + size);
        Volatile.Write(ref from.Traffic.Packets, from.Traffic.Packets + 1);
    }

    // The same sample back, in full size.
    private void Echo(Received<T> taken, Publication from)
    {
        T got = taken.Sample;
        try
        {
            NextKey(got.Key);
            if (IsFlat(taken.Length))
            {
                Writers[Latency]!.Place(got.BinData, taken.Length);
            }
            Writers[Latency]!.Write(got);
            Writers[Latency]!.Flush();
        }
        catch (DdsException)
        {
            Volatile.Write(ref from.Traffic.EchoFailures, from.Traffic.EchoFailures + 1);
        }
    }

    private static void CountLost(ref Traffic traffic, uint seq)
    {
        uint gap = seq - traffic.Expected;
        if (gap < uint.MaxValue / 2)
        {
            traffic.Lost += gap;
            traffic.Expected = seq + 1;
        }
        else
        {
            // It was passed over before.
            traffic.Lost--;
        }
    }
}
