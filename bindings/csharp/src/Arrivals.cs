using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Dunlin
{
    /// <summary>
    /// Waits for samples of a reader without a thread: one wait after the other. The library calls back once for
    /// each; code behind the wait runs on the thread pool.
    /// </summary>
    internal sealed unsafe class Arrivals : IValueTaskSource, IDisposable
    {
        private static readonly Native.OnWake Woken = Wake;
        private static readonly IntPtr WokenPointer = Marshal.GetFunctionPointerForDelegate(Woken);

        private readonly ReadCondition condition;
        private ManualResetValueTaskSourceCore<bool> core;
        private int isOver = 1;

        internal Arrivals(Entity reader)
        {
            condition = new ReadCondition(reader, new Select { SampleStates = SampleStates.NotRead });
            core.RunContinuationsAsynchronously = true;
        }

        /// <summary>Until there may be a sample, the reader has ended, or <see cref="End"/> is called.</summary>
        internal ValueTask Next()
        {
            core.Reset();
            Volatile.Write(ref isOver, 0);
            // The library calls back exactly once, maybe when the condition is closed. So each call has its own.
            GCHandle self = GCHandle.Alloc(this);
            int code = Native.dunlin_condition_wake_once(condition.Handle, WokenPointer, GCHandle.ToIntPtr(self));
            if (code != 0)
            {
                self.Free();
                throw Check.Error(code);
            }
            return new ValueTask(this, core.Version);
        }

        /// <summary>The wait is over, whether there is a sample or not.</summary>
        internal void End()
        {
            if (Interlocked.Exchange(ref isOver, 1) == 0)
            {
                core.SetResult(true);
            }
        }

        private static void Wake(IntPtr context)
        {
            GCHandle self = GCHandle.FromIntPtr(context);
            Arrivals? arrivals = (Arrivals?)self.Target;
            self.Free();
            arrivals?.End();
        }

        public void Dispose() => condition.Dispose();

        void IValueTaskSource.GetResult(short token) => core.GetResult(token);

        ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => core.GetStatus(token);

        void IValueTaskSource.OnCompleted(
            Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            core.OnCompleted(continuation, state, token, flags);
    }
}
