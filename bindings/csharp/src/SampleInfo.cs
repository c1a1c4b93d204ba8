using System;
using System.Runtime.InteropServices;

namespace Dunlin
{
    /// <summary>Whether a sample was read before.</summary>
    [Flags]
    public enum SampleStates
    {
        /// <summary>It was.</summary>
        Read = 1,
        /// <summary>It was not.</summary>
        NotRead = 2,
        /// <summary>Either.</summary>
        Any = 3,
    }

    /// <summary>Whether the instance of a sample is new to the reader.</summary>
    [Flags]
    public enum ViewStates
    {
        /// <summary>It is, or has come back.</summary>
        New = 1,
        /// <summary>It is not.</summary>
        NotNew = 2,
        /// <summary>Either.</summary>
        Any = 3,
    }

    /// <summary>Whether the instance of a sample lives.</summary>
    [Flags]
    public enum InstanceStates
    {
        /// <summary>It does.</summary>
        Alive = 1,
        /// <summary>A writer disposed it.</summary>
        NotAliveDisposed = 2,
        /// <summary>No writer writes it any more.</summary>
        NotAliveNoWriters = 4,
        /// <summary>One of the two above.</summary>
        NotAlive = 6,
        /// <summary>Any.</summary>
        Any = 7,
    }

    /// <summary>What DDS says about a sample.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly unsafe struct SampleInfo
    {
        private readonly long sourceTimestamp;
        private readonly long sequence;
        private readonly InstanceHandle instance;
        private readonly InstanceHandle publication;
        private readonly uint sampleState;
        private readonly uint viewState;
        private readonly uint instanceState;
        private readonly int disposedGenerationCount;
        private readonly int noWritersGenerationCount;
        private readonly int sampleRank;
        private readonly int generationRank;
        private readonly int absoluteGenerationRank;
        // With what is reserved behind it.
        private readonly ulong validData;

        /// <summary>A sample; else a change of the instance alone, with nothing but its key.</summary>
        public bool ValidData => (BitConverter.IsLittleEndian ? validData & 0xff : validData >> 56) != 0;

        /// <summary>When it was written, in nanoseconds since 1970; null if its writer did not say.</summary>
        public long? SourceTimestampNanoseconds =>
            sourceTimestamp == long.MinValue ? (long?)null : sourceTimestamp;

        /// <summary>When it was written; null if its writer did not say.</summary>
        public DateTime? SourceTimestamp => sourceTimestamp == long.MinValue
            ? (DateTime?)null
            : DateTime.UnixEpoch.AddTicks(sourceTimestamp / 100);

        /// <summary>Its number among the changes of its writer.</summary>
        public long SequenceNumber => sequence;

        /// <summary>Its instance.</summary>
        public InstanceHandle InstanceHandle => instance;

        /// <summary>Its writer.</summary>
        public InstanceHandle PublicationHandle => publication;

        /// <summary>Whether it was read before.</summary>
        public SampleStates SampleState => (SampleStates)sampleState;

        /// <summary>Whether its instance is new to the reader.</summary>
        public ViewStates ViewState => (ViewStates)viewState;

        /// <summary>Whether its instance lives.</summary>
        public InstanceStates InstanceState => (InstanceStates)instanceState;

        /// <summary>How often the instance had come back from being disposed.</summary>
        public int DisposedGenerationCount => disposedGenerationCount;

        /// <summary>How often it had come back from having no writers.</summary>
        public int NoWritersGenerationCount => noWritersGenerationCount;

        /// <summary>How many samples of the instance follow in the same call.</summary>
        public int SampleRank => sampleRank;

        /// <summary>Generations between this one and the last of the instance in the same call.</summary>
        public int GenerationRank => generationRank;

        /// <summary>Generations between this one and the newest of the instance in the reader.</summary>
        public int AbsoluteGenerationRank => absoluteGenerationRank;
    }
}
