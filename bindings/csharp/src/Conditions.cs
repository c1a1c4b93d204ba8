using System;
using System.Collections.Generic;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>Something that a wait set waits for.</summary>
    public abstract unsafe class Condition : IDisposable
    {
        private protected Condition() { }

        internal ulong Handle { get; private protected set; }

        /// <summary>Whether it is true now.</summary>
        public bool TriggerValue
        {
            get
            {
                byte value;
                Check.Ok(Native.dunlin_condition_value(Handle, &value));
                return value != 0;
            }
        }

        /// <summary>Ends it. A status condition ends with its entity.</summary>
        public virtual void Dispose()
        {
            int code = Native.dunlin_close(Handle);
            if (code != (int)ReturnCode.AlreadyDeleted)
            {
                Check.Ok(code);
            }
        }
    }

    /// <summary>A condition that the application itself sets, on any thread.</summary>
    public sealed unsafe class GuardCondition : Condition
    {
        /// <summary>One that is not set.</summary>
        public GuardCondition()
        {
            Library.EnsureLoaded();
            ulong handle;
            Check.Ok(Native.dunlin_guard_new(&handle));
            Handle = handle;
        }

        /// <summary>Sets or resets it.</summary>
        public void SetTriggerValue(bool value) => Check.Ok(Native.dunlin_guard_set(Handle, value ? (byte)1 : (byte)0));
    }

    /// <summary>The condition that a status of an entity has changed.</summary>
    public sealed unsafe class StatusCondition : Condition
    {
        internal StatusCondition(Entity entity, ulong handle)
        {
            Entity = entity;
            Handle = handle;
        }

        /// <summary>The entity.</summary>
        public Entity Entity { get; }

        /// <summary>Which statuses count.</summary>
        public StatusMask EnabledStatuses
        {
            get
            {
                uint before;
                Check.Ok(Native.dunlin_status_condition_mask(Handle, null, &before));
                return (StatusMask)before;
            }
            set
            {
                uint mask = (uint)value;
                Check.Ok(Native.dunlin_status_condition_mask(Handle, &mask, null));
            }
        }

        /// <summary>Nothing to do: it ends with its entity.</summary>
        public override void Dispose() { }
    }

    /// <summary>The condition that a reader has samples with some states.</summary>
    public unsafe class ReadCondition : Condition
    {
        internal ReadCondition(Entity reader, in Select select)
        {
            Reader = reader;
            NativeSelect native = select.ToNative();
            ulong handle;
            Check.Ok(Native.dunlin_read_condition_new(reader.Handle, &native, &handle));
            Handle = handle;
        }

        private protected ReadCondition(Entity reader)
        {
            Reader = reader;
        }

        /// <summary>The reader.</summary>
        public Entity Reader { get; }
    }

    /// <summary>The same, of samples whose content an expression describes.</summary>
    public sealed unsafe class QueryCondition : ReadCondition
    {
        internal QueryCondition(
            Entity reader, in Select select, string expression, IReadOnlyList<string> parameters) : base(reader)
        {
            QueryExpression = expression;
            using Arena arena = new Arena();
            NativeSelect native = select.ToNative();
            ulong handle;
            Check.Ok(Native.dunlin_query_condition_new(
                reader.Handle, &native, arena.Text(expression), arena.Texts(parameters),
                (ulong)parameters.Count, &handle));
            Handle = handle;
        }

        /// <summary>The expression.</summary>
        public string QueryExpression { get; }

        /// <summary>The values of its parameters, from %0 on.</summary>
        public IReadOnlyList<string> QueryParameters
        {
            get
            {
                NativeBlock block;
                Check.Ok(Native.dunlin_query_parameters_get(Handle, &block));
                return Texts.Lines(Arena.Take(&block));
            }
            set
            {
                using Arena arena = new Arena();
                Check.Ok(Native.dunlin_query_parameters_set(Handle, arena.Texts(value), (ulong)value.Count));
            }
        }
    }

    /// <summary>Waits until conditions are true. The thread that waits receives meanwhile.</summary>
    public sealed unsafe class WaitSet : IDisposable
    {
        private readonly Dictionary<ulong, Condition> attached = new Dictionary<ulong, Condition>();
        private readonly List<Condition> active = new List<Condition>();
        private readonly ulong handle;
        private ulong[] room = new ulong[16];

        /// <summary>One without conditions.</summary>
        public WaitSet()
        {
            Library.EnsureLoaded();
            ulong made;
            Check.Ok(Native.dunlin_waitset_new(&made));
            handle = made;
        }

        /// <summary>One with conditions.</summary>
        public WaitSet(params Condition[] conditions) : this()
        {
            try
            {
                foreach (Condition condition in conditions)
                {
                    Attach(condition);
                }
            }
            catch
            {
                // Nobody else can.
                Dispose();
                throw;
            }
        }

        /// <summary>Adds a condition, unless it is there; also while another thread waits.</summary>
        public void Attach(Condition condition)
        {
            lock (attached)
            {
                Check.Ok(Native.dunlin_waitset_attach(handle, condition.Handle));
                attached[condition.Handle] = condition;
            }
        }

        /// <summary>Takes a condition out again.</summary>
        public void Detach(Condition condition)
        {
            lock (attached)
            {
                Check.Ok(Native.dunlin_waitset_detach(handle, condition.Handle));
                attached.Remove(condition.Handle);
            }
        }

        /// <summary>The conditions in it.</summary>
        public IReadOnlyList<Condition> Conditions
        {
            get
            {
                lock (attached)
                {
                    return new List<Condition>(attached.Values);
                }
            }
        }

        /// <summary>
        /// Waits until a condition is true, and gives those that are, until the next call; none if it took
        /// too long. One thread waits at a time.
        /// </summary>
        public IReadOnlyList<Condition> Wait(TimeSpan timeout)
        {
            ulong count;
            ulong[] found = room;
            fixed (ulong* data = found)
            {
                int code = Native.dunlin_waitset_wait(
                    handle, Duration.Of(timeout), data, (ulong)found.Length, &count);
                if (code == (int)ReturnCode.Timeout)
                {
                    count = 0;
                }
                else
                {
                    Check.Ok(code);
                }
            }
            lock (attached)
            {
                active.Clear();
                for (ulong i = 0; i < count && i < (ulong)found.Length; i++)
                {
                    if (attached.TryGetValue(found[i], out Condition? condition))
                    {
                        active.Add(condition);
                    }
                }
                if (count > (ulong)found.Length)
                {
                    room = new ulong[2 * count];
                }
                return active;
            }
        }

        /// <summary>Ends it; a thread that waits stops.</summary>
        public void Dispose()
        {
            int code = Native.dunlin_close(handle);
            if (code != (int)ReturnCode.AlreadyDeleted)
            {
                Check.Ok(code);
            }
        }
    }
}
