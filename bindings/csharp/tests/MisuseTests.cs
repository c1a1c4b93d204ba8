using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>What must not end the process, while memory is collected all the time.</summary>
    public sealed class MisuseTests : IDisposable
    {
        private readonly CancellationTokenSource end = new CancellationTokenSource();
        private readonly Thread collector;

        public MisuseTests()
        {
            collector = new Thread(() =>
            {
                while (!end.IsCancellationRequested)
                {
                    GC.Collect();
                    // A collection stops all other threads: without a pause they come to nothing.
                    Thread.Sleep(1);
                }
            });
            collector.Start();
        }

        public void Dispose()
        {
            end.Cancel();
            collector.Join();
        }

        /// <summary>So each meets collections at other moments.</summary>
        private static void Often(Action scene)
        {
            for (int turn = 0; turn < 20; turn++)
            {
                scene();
            }
        }

        [Fact]
        public void WhatIsDisposedSaysSo() => Often(() =>
        {
            Pair<Small> pair = new Pair<Small>();
            ReadCondition condition = pair.Reader.CreateReadCondition();
            pair.Dispose();
            pair.Dispose();
            Small small = new Small();
            Action[] calls =
            {
                () => pair.Writer.Write(small),
                () => pair.Writer.DisposeInstance(small),
                () => pair.Writer.WaitForAcknowledgments(TimeSpan.Zero),
                () => pair.Reader.Take(),
                () => pair.Reader.TakeNext(ref small, out _),
                () => pair.Reader.CreateReadCondition(),
                () => pair.Participant.CreateTopic<Small>("Others"),
                () => _ = pair.Topic.Name,
                () => _ = condition.TriggerValue,
                () => pair.Reader.DataAvailable += reader => { },
                () => new WaitSet(condition),
            };
            foreach (Action call in calls)
            {
                Assert.Throws<AlreadyDeletedException>(call);
            }
        });

        [Fact]
        public void SamplesOutliveTheirReader() => Often(() =>
        {
            Pair<Small> pair = new Pair<Small>();
            pair.Writer.Write(new Small { Id = 5 });
            pair.WaitForData();
            Samples<Small> samples = pair.Reader.Take();
            pair.Dispose();
            Assert.Equal(5, samples[0].Data.Id);
            Assert.True(samples.Payload(0).Length > 4);
            samples.Dispose();
            samples.Dispose();
            Assert.Throws<ArgumentOutOfRangeException>(() => _ = samples[0]);
        });

        [Fact]
        public void HandlersEndWhatTheyAreCalledBy() => Often(() =>
        {
            using ManualResetEventSlim ended = new ManualResetEventSlim();
            Pair<Small> pair = new Pair<Small>(reader =>
            {
                reader.Dispose();
                ended.Set();
            });
            pair.Writer.Write(new Small());
            Assert.True(ended.Wait(Pair<Small>.Soon));
            pair.Dispose();
        });

        [Fact]
        public void HandlersChangeHandlersWhileOthersDo() => Often(() =>
        {
            using ManualResetEventSlim isIn = new ManualResetEventSlim(), changed = new ManualResetEventSlim();
            using Pair<Small> pair = new Pair<Small>(reader =>
            {
                isIn.Set();
                reader.SampleLost += (one, status) => { };
                changed.Set();
            });
            pair.Writer.Write(new Small());
            Assert.True(isIn.Wait(Pair<Small>.Soon));
            pair.Reader.SubscriptionMatched += (one, status) => { };
            Assert.True(changed.Wait(Pair<Small>.Soon));
        });

        [Fact]
        public async Task WhoWaitsForSamplesSeesTheEnd()
        {
            for (int turn = 0; turn < 20; turn++)
            {
                Pair<Small> pair = new Pair<Small>();
                IAsyncEnumerator<Sample<Small>> samples = pair.Reader.TakeAsync().GetAsyncEnumerator();
                ValueTask<bool> next = samples.MoveNextAsync();
                pair.Participant.Dispose();
                try
                {
                    await next;
                    Assert.True(false, "there is no sample");
                }
                catch (AlreadyDeletedException)
                {
                }
            }
        }

        [Fact]
        public void EntitiesEndWhileOthersUseThem()
        {
            for (int turn = 0; turn < 100; turn++)
            {
                Pair<Small> pair = new Pair<Small>(reader => reader.TakeEach((Small value, in SampleInfo info) => { }));
                using CountdownEvent begun = new CountdownEvent(4);
                // Each has a thread of its own: the pool makes more than one for each processor only after a while.
                Task[] users = Enumerable.Range(0, 4).Select(user => Task.Factory.StartNew(() =>
                {
                    Small value = new Small { Id = user };
                    begun.Signal();
                    try
                    {
                        for (;;)
                        {
                            pair.Writer.Write(value);
                            pair.Reader.TakeNext(ref value, out _);
                        }
                    }
                    catch (AlreadyDeletedException)
                    {
                    }
                }, TaskCreationOptions.LongRunning)).ToArray();
                Assert.True(begun.Wait(Pair<Small>.Soon));
                pair.Dispose();
                Assert.True(Task.WaitAll(users, Pair<Small>.Soon));
            }
        }

        [Fact]
        public void WaitSetsEndWhileTheyAreWaitedIn() => Often(() =>
        {
            GuardCondition guard = new GuardCondition();
            WaitSet waits = new WaitSet(guard);
            Task<Exception?> waiting = Task.Run(() =>
            {
                try
                {
                    waits.Wait(Duration.Infinite);
                    return (Exception?)null;
                }
                catch (AlreadyDeletedException error)
                {
                    return error;
                }
            });
            waits.Dispose();
            Assert.True(waiting.Wait(Pair<Small>.Soon) && waiting.Result != null);
            guard.SetTriggerValue(true);
            Assert.True(guard.TriggerValue);
            guard.Dispose();
            guard.Dispose();
        });

        [Fact]
        public void ValuesThatChangeWhileTheyAreWrittenAreRefused()
        {
            using Pair<Big> pair = new Pair<Big>();
            Big big = new Big();
            using CancellationTokenSource done = new CancellationTokenSource();
            Task changing = Task.Run(() =>
            {
                for (int i = 0; !done.IsCancellationRequested; i++)
                {
                    big.Bytes.Resize(i % 2 == 0 ? 10 : 3000);
                }
            });
            Big read = new Big();
            for (int i = 0; i < 2000; i++)
            {
                try
                {
                    pair.Writer.Write(big);
                }
                catch (InvalidOperationException)
                {
                }
                catch (DdsException)
                {
                }
                while (pair.Reader.TakeNext(ref read, out _))
                {
                }
            }
            done.Cancel();
            changing.Wait();
        }

        [Fact]
        public void NothingIsLeft()
        {
            for (int turn = 0; turn < 20; turn++)
            {
                using Pair<Message> pair = new Pair<Message>();
                pair.Writer.Write(new Message { Name = "x" });
                pair.WaitForData();
                using Samples<Message> samples = pair.Reader.Take();
                Assert.Equal(1, samples.Count);
            }
            // Forgotten batches of other tests are given back when they are collected.
            bool isClean = SpinWait.SpinUntil(
                () =>
                {
                    GC.WaitForPendingFinalizers();
                    return DomainParticipant.Leaks(out string text) == 0;
                },
                Pair<Small>.Soon);
            DomainParticipant.Leaks(out string what);
            Assert.True(isClean, what);
        }
    }

    /// <summary>Samples cost no memory of the heap, once all has its size.</summary>
    public class HeapTests
    {
        private const int Count = 2000;

        private static long Allocated(Action<int> body, int count = Count)
        {
            for (int i = 0; i < count; i++)
            {
                body(i);
            }
            // The runtime itself allocates now and then, when it compiles again what runs often.
            long least = long.MaxValue;
            for (int turn = 0; turn < 20 && least > 0; turn++)
            {
                long before = GC.GetTotalAllocatedBytes(true);
                for (int i = 0; i < count; i++)
                {
                    body(i);
                }
                least = Math.Min(least, GC.GetTotalAllocatedBytes(true) - before);
            }
            return least;
        }

        private static Message Filled()
        {
            Message message = new Message { Name = "name", Text = "always the same, grün", Maybe = 3 };
            message.Bytes.Resize(100);
            message.Numbers.Resize(10);
            message.Smalls.Add(new Small());
            return message;
        }

        [Fact]
        public void WritingAndTakingAllocateNothing()
        {
            using Pair<Message> pair = new Pair<Message>();
            Message message = Filled(), read = new Message();
            int seen = 0;
            long bytes = Allocated(i =>
            {
                message.Maybe = i;
                pair.Writer.Write(message);
                while (pair.Reader.TakeNext(ref read, out SampleInfo info))
                {
                    seen++;
                }
            });
            Assert.Equal(0L, bytes);
            Assert.True(seen > Count);
        }

        [Fact]
        public void ManyOctetsAllocateNothing()
        {
            using Pair<Film> pair = new Pair<Film>();
            Film taken = new Film();
            taken.Frames.Resize(63_000);
            long bytes = Allocated(i =>
            {
                // It writes what it took.
                pair.Writer.Write(taken);
                Assert.True(pair.Reader.TakeNext(ref taken, out SampleInfo info));
            });
            Assert.Equal(0L, bytes);
            Assert.True(taken.Frames.IsShared);
        }

        [Fact]
        public void LoansAndSamplesInPlaceAllocateNothing()
        {
            // Each is received by another thread, for which a busy machine takes its time.
            const int Few = 100;
            using SharedPair<Frame> pair = new SharedPair<Frame>();
            ulong number = 0;
            long bytes = Allocated(i =>
            {
                using (Loan<FramePlain> loan = pair.Writer.Loan<FramePlain>())
                {
                    loan.Value.Id = ++number;
                    loan.Write();
                }
                using SamplesInPlace<Frame> samples = pair.Take();
                Assert.True(samples.Count == 1 && samples.IsInPlace(0));
                Assert.True(samples.Value<ulong>(0, InPlaceTests.Id) == number);
            }, Few);
            Assert.Equal(0L, bytes);
        }

        [Fact]
        public void BatchesAllocateNothing()
        {
            using Pair<Small> pair = new Pair<Small>();
            Small small = new Small();
            long sum = 0;
            long bytes = Allocated(i =>
            {
                small.X = i;
                pair.Writer.Write(small);
                using Samples<Small> samples = pair.Reader.Take();
                foreach (Sample<Small> sample in samples)
                {
                    sum += (long)sample.Data.X;
                }
            });
            Assert.Equal(0L, bytes);
            Assert.True(sum > 0);
        }

        [Fact]
        public void EventsAllocateNothing()
        {
            Small read = new Small(), small = new Small();
            int seen = 0;
            using Pair<Small> pair = new Pair<Small>(reader =>
            {
                while (reader.TakeNext(ref read, out SampleInfo info))
                {
                    Interlocked.Increment(ref seen);
                }
            });
            int written = 0;
            long bytes = Allocated(i =>
            {
                small.X = i;
                pair.Writer.Write(small);
                written++;
                long end = Environment.TickCount + (long)Pair<Small>.Soon.TotalMilliseconds;
                SpinWait wait = default;
                while (Volatile.Read(ref seen) < written)
                {
                    Assert.True(Environment.TickCount < end);
                    wait.SpinOnce();
                }
            });
            Assert.Equal(0L, bytes);
        }
    }
}
