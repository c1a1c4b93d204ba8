using System;
using System.Threading;

namespace Dunlin
{
    /// <summary>Durations as the library has them.</summary>
    public static class Duration
    {
        /// <summary>Without end.</summary>
        public static readonly TimeSpan Infinite = TimeSpan.MaxValue;

        internal static long Of(TimeSpan span)
        {
            if (span == Infinite || span == Timeout.InfiniteTimeSpan)
            {
                return long.MaxValue;
            }
            // Beyond 292 years nobody waits for the end.
            if (span.Ticks > long.MaxValue / 100)
            {
                return long.MaxValue;
            }
            return span.Ticks < long.MinValue / 100 ? long.MinValue + 1 : span.Ticks * 100;
        }

        internal static TimeSpan From(long nanoseconds)
        {
            return nanoseconds == long.MaxValue ? Infinite : TimeSpan.FromTicks(nanoseconds / 100);
        }

        internal static long Timestamp(DateTime time)
        {
            return (time.ToUniversalTime() - DateTime.UnixEpoch).Ticks * 100;
        }
    }
}
