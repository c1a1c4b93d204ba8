// What the runtime did while it measured.
using System;
using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;

/// <summary>Collections, and what the heap gave, from the first segment on.</summary>
internal static class Costs
{
    private static bool isBegun;
    private static int collections;
    private static long bytes;

    /// <summary>A segment begins, or a subscriber hears of one; what matters is the first.</summary>
    internal static void Begin()
    {
        if (isBegun)
        {
            return;
        }
        isBegun = true;
        collections = Collections();
        // Last: what is asked here allocates, too.
        bytes = GC.GetTotalAllocatedBytes(true);
    }

    private static int Collections()
    {
        int all = 0;
        for (int generation = 0; generation <= GC.MaxGeneration; generation++)
        {
            // A collection of a generation collects those below it, which count it as well.
            all = Math.Max(all, GC.CollectionCount(generation));
        }
        return all;
    }

    /// <summary>A line for those who read; null if nothing was measured.</summary>
    internal static string? Describe(ulong samples)
    {
        if (!isBegun || samples == 0)
        {
            return null;
        }
        long allocated = GC.GetTotalAllocatedBytes(true) - bytes;
        string mode = GCSettings.IsServerGC ? "server collector" : "workstation collector";
        return string.Format(
            CultureInfo.InvariantCulture, "{0}, {1}: {2} collections, {3:0.00} B of the heap a sample.",
            RuntimeInformation.FrameworkDescription, mode, Collections() - collections, (double)allocated / samples);
    }
}
