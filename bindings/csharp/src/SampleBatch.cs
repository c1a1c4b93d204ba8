using System;

namespace Dunlin
{
    /// <summary>
    /// Samples that a reader gave. They are given back by <see cref="Dispose"/>, and what is in the batch is used
    /// again then.
    /// </summary>
    public abstract unsafe class SampleBatch<T> : IDisposable where T : class
    {
        private protected readonly DataReader<T> reader;
        private protected NativeSample[] samples = new NativeSample[16];
        private protected int count;
        /// <summary>The reader that the samples are given back to.</summary>
        private protected ulong handle;
        private bool isOut;

        private protected SampleBatch(DataReader<T> reader)
        {
            this.reader = reader;
        }

        /// <summary>Gives back what was forgotten.</summary>
        ~SampleBatch() => GiveBack();

        /// <summary>How many there are.</summary>
        public int Count => count;

        private protected static TypeSupport<T> Support => TypeSupport<T>.Instance;

        private protected ref NativeSample At(int index)
        {
            if ((uint)index >= (uint)count)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(index), "there is no sample " + index + ", there are " + count);
            }
            return ref samples[index];
        }

        /// <summary>Gives the samples back.</summary>
        public void Dispose()
        {
            if (isOut)
            {
                isOut = false;
                GiveBack();
                Return();
            }
        }

        private void GiveBack()
        {
            int given = count;
            count = 0;
            if (given > 0)
            {
                fixed (NativeSample* data = samples)
                {
                    Native.dunlin_give_back(handle, data, (ulong)given);
                }
            }
        }

        internal void Fill(bool isTaken, in Select select)
        {
            NativeSelect native = select.ToNative();
            handle = reader.Handle;
            isOut = true;
            try
            {
                Fill(isTaken, &native, select.MaxSamples);
            }
            catch
            {
                Dispose();
                throw;
            }
        }

        /// <summary>Takes or reads at most so many; 0 for as many as such a batch has.</summary>
        private protected abstract void Fill(bool isTaken, NativeSelect* select, int most);

        /// <summary>The next who asks the reader for a batch gets this one.</summary>
        private protected abstract void Return();

        /// <summary>Gets samples behind those that are there; returns how many.</summary>
        private protected int Get(bool isTaken, NativeSelect* select, int room)
        {
            ulong got;
            fixed (NativeSample* data = samples)
            {
                int code = isTaken
                    ? Native.dunlin_take(handle, select, data + count, (ulong)room, &got)
                    : Native.dunlin_read(handle, select, data + count, (ulong)room, &got);
                if (code == (int)ReturnCode.NoData)
                {
                    return 0;
                }
                Check.Ok(code);
            }
            return (int)got;
        }
    }
}
