using System;
using System.Collections.Generic;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>
    /// Something of DDS that has a handle. It ends by <see cref="Dispose"/>, with all that was created
    /// from it, while others use it or not. What is used later throws <see cref="AlreadyDeletedException"/>.
    /// </summary>
    public abstract unsafe class Entity : IDisposable
    {
        private readonly object gate = new object();
        private StatusMask installed;
        private bool isInstalling;
        private StatusCondition? statusCondition;

        internal ulong Handle { get; private protected set; }

        private protected Entity() { }

        /// <summary>Whether it has ended, alone or with what it was created from.</summary>
        internal bool IsClosed
        {
            get
            {
                uint kind;
                return Native.dunlin_kind(Handle, &kind) == (int)ReturnCode.AlreadyDeleted;
            }
        }

        /// <summary>The name of a topic; of a writer or reader that of its topic; of others ENTITY_NAME.</summary>
        public string Name
        {
            get
            {
                NativeBlock block;
                Check.Ok(Native.dunlin_name(Handle, &block));
                return Arena.Take(&block);
            }
        }

        /// <summary>What names it among all entities of the domain.</summary>
        public InstanceHandle InstanceHandle
        {
            get
            {
                InstanceHandle guid;
                Check.Ok(Native.dunlin_guid(Handle, &guid));
                return guid;
            }
        }

        /// <summary>Joins the domain, or is announced, if it was created without that.</summary>
        public void Enable() => Check.Ok(Native.dunlin_enable(Handle));

        /// <summary>Which statuses changed and were not read yet.</summary>
        public StatusMask StatusChanges
        {
            get
            {
                uint mask;
                Check.Ok(Native.dunlin_status_changes(Handle, &mask));
                return (StatusMask)mask;
            }
        }

        /// <summary>The condition that a status has changed; an entity has one.</summary>
        public StatusCondition StatusCondition
        {
            get
            {
                lock (gate)
                {
                    if (statusCondition == null)
                    {
                        ulong condition;
                        Check.Ok(Native.dunlin_status_condition(Handle, &condition));
                        statusCondition = new StatusCondition(this, condition);
                    }
                    return statusCondition;
                }
            }
        }

        /// <summary>Ends it with all that was created from it. Ending it twice is nothing to do.</summary>
        public void Dispose()
        {
            // Also while it is being made, or by two threads: the library knows what is closed.
            int code = Handle == 0 ? 0 : Native.dunlin_close(Handle);
            if (code != 0 && code != (int)ReturnCode.AlreadyDeleted)
            {
                throw Check.Error(code);
            }
            Owner?.Entities.Remove(this);
            Closed();
            GC.SuppressFinalize(this);
        }

        private protected virtual void Closed() { }

        /// <summary>The participant that finds it by its handle; null if nobody looks for it.</summary>
        private protected virtual DomainParticipant? Owner => null;

        private protected void DisposeContained()
        {
            Check.Ok(Native.dunlin_delete_contained(Handle));
            Owner?.Entities.RemoveClosed();
        }

        internal NativeStatus Status(StatusMask kind)
        {
            NativeStatus status;
            Check.Ok(Native.dunlin_status_get(Handle, (uint)kind, &status));
            return status;
        }

        internal CountStatus CountStatus(StatusMask kind) => CountStatus(Status(kind));

        internal static CountStatus CountStatus(in NativeStatus status)
        {
            return new CountStatus(Count(status, 0), Count(status, 1), status.Last);
        }

        internal static MatchedStatus MatchedStatus(in NativeStatus status)
        {
            return new MatchedStatus(
                Count(status, 0), Count(status, 1), Count(status, 2), Count(status, 3), status.Last);
        }

        internal static SampleRejectedStatus RejectedStatus(in NativeStatus status)
        {
            return new SampleRejectedStatus(
                Count(status, 0), Count(status, 1), (SampleRejectedReason)status.Reason, status.Last);
        }

        internal static LivelinessChangedStatus LivelinessStatus(in NativeStatus status)
        {
            return new LivelinessChangedStatus(
                Count(status, 0), Count(status, 1), Count(status, 2), Count(status, 3), status.Last);
        }

        private static int Count(NativeStatus status, int at) => status.Count[at];

        internal IncompatibleQosStatus IncompatibleQosStatus(in NativeStatus status)
        {
            const int Room = 32;
            NativePolicyCount* policies = stackalloc NativePolicyCount[Room];
            ulong count;
            Dictionary<int, int> all = new Dictionary<int, int>();
            if (Native.dunlin_status_policies(Handle, policies, Room, &count) == 0)
            {
                for (ulong i = 0; i < Math.Min(count, Room); i++)
                {
                    all[policies[i].Policy] = policies[i].Count;
                }
            }
            return new IncompatibleQosStatus(Count(status, 0), Count(status, 1), status.Reason, all);
        }

        /// <summary>
        /// Why the last endpoint did not match: each policy that stood in the way with both values, a line
        /// each. Of a topic how the type of the last endpoint differs.
        /// </summary>
        public string StatusReasons
        {
            get
            {
                NativeBlock block;
                Check.Ok(Native.dunlin_status_reasons(Handle, &block));
                return Arena.Take(&block);
            }
        }

        /// <summary>The statuses that have handlers.</summary>
        private protected virtual StatusMask Wanted => StatusMask.None;

        /// <summary>
        /// Changes handlers, and tells the library what it is to call. No lock is held meanwhile: the library
        /// waits for handlers that run, and they may change handlers, too.
        /// </summary>
        private protected void Change(Action change)
        {
            lock (gate)
            {
                change();
                if (isInstalling || Handle == 0)
                {
                    return;
                }
                isInstalling = true;
            }
            for (;;)
            {
                StatusMask wanted;
                lock (gate)
                {
                    wanted = Wanted;
                    if (wanted == installed)
                    {
                        isInstalling = false;
                        return;
                    }
                }
                Installed(wanted);
            }
        }

        private void Installed(StatusMask wanted)
        {
            bool isInstalled = false;
            try
            {
                Install(wanted);
                isInstalled = true;
            }
            finally
            {
                lock (gate)
                {
                    installed = isInstalled ? wanted : installed;
                    isInstalling = isInstalling && isInstalled;
                }
            }
        }

        private void Install(StatusMask wanted)
        {
            if (wanted == StatusMask.None)
            {
                Check.Ok(Native.dunlin_set_listener(Handle, null));
                return;
            }
            NativeListener listener = Listeners.Of(this, wanted);
            int code = Native.dunlin_set_listener(Handle, &listener);
            if (code != 0)
            {
                Listeners.Forget(listener);
                throw Check.Error(code);
            }
        }

        /// <summary>Makes the entity with the handlers that it has already.</summary>
        private protected void Make(Maker maker)
        {
            StatusMask wanted = Wanted;
            NativeListener listener = default;
            if (wanted != StatusMask.None)
            {
                listener = Listeners.Of(this, wanted);
            }
            Owner?.Entities.Begin();
            try
            {
                ulong handle;
                int code = maker(wanted == StatusMask.None ? null : &listener, &handle);
                if (code != 0)
                {
                    if (wanted != StatusMask.None)
                    {
                        Listeners.Forget(listener);
                    }
                    throw Check.Error(code);
                }
                installed = wanted;
                Handle = handle;
                Owner?.Entities.Add(this);
            }
            finally
            {
                Owner?.Entities.End();
            }
        }

        internal delegate int Maker(NativeListener* listener, ulong* handle);

        internal virtual void OnDataAvailable(ulong handle) { }

        internal virtual void OnDataOnReaders(ulong handle) { }

        internal virtual void OnStatus(ulong handle, in NativeStatus status) { }
    }
}
