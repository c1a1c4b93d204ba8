using System;
using System.Collections.Concurrent;
using System.Collections.Generic;

namespace Dunlin
{
    /// <summary>What was created from a participant, by the handles of the library.</summary>
    internal sealed unsafe class Entities
    {
        private readonly ConcurrentDictionary<ulong, Entity> all = new ConcurrentDictionary<ulong, Entity>();

        internal delegate int Lookup(ulong below, NativeText name, ulong* found);

        internal delegate void StatusHandler(Entity entity, in NativeStatus status);

        private readonly object gate = new object();
        // Calls of handlers for what is being made, by its handle, in their order.
        private readonly List<KeyValuePair<ulong, Action<Entity>>> pending =
            new List<KeyValuePair<ulong, Action<Entity>>>();
        private int making;

        /// <summary>Something is being made, whose handle nobody knows yet.</summary>
        internal void Begin()
        {
            lock (gate)
            {
                making++;
            }
        }

        /// <summary>It is made, or not.</summary>
        internal void End()
        {
            lock (gate)
            {
                making--;
                if (making == 0)
                {
                    pending.Clear();
                }
            }
        }

        /// <summary>
        /// It is made, and found from now on. What happened to it meanwhile is told first, so that handlers do
        /// not overlap.
        /// </summary>
        internal void Add(Entity entity)
        {
            for (;;)
            {
                Action<Entity> call;
                lock (gate)
                {
                    int at = pending.FindIndex(one => one.Key == entity.Handle);
                    if (at < 0)
                    {
                        all.TryAdd(entity.Handle, entity);
                        return;
                    }
                    call = pending[at].Value;
                    pending.RemoveAt(at);
                }
                Listeners.Guarded(entity, call);
            }
        }

        /// <summary>Calls a handler of something above an entity; while that is being made when it is made.</summary>
        internal void Tell(ulong handle, Action<Entity>? handler)
        {
            Entity? found = Find(handle);
            if (found == null && handler != null)
            {
                found = Known(handle, handler);
            }
            if (found != null)
            {
                handler?.Invoke(found);
            }
        }

        /// <summary>The same with a status.</summary>
        internal void Tell(ulong handle, in NativeStatus status, StatusHandler handler)
        {
            Entity? found = Find(handle);
            if (found == null)
            {
                NativeStatus told = status;
                found = Known(handle, entity => handler(entity, told));
            }
            if (found != null)
            {
                handler(found, status);
            }
        }

        // What was made meanwhile; if it is still being made it is told later.
        private Entity? Known(ulong handle, Action<Entity> later)
        {
            lock (gate)
            {
                Entity? found = Find(handle);
                if (found == null && making > 0)
                {
                    pending.Add(new KeyValuePair<ulong, Action<Entity>>(handle, later));
                }
                return found;
            }
        }

        internal void Remove(Entity entity) => all.TryRemove(entity.Handle, out _);

        /// <summary>Forgets what has ended with what it was created from.</summary>
        internal void RemoveClosed()
        {
            foreach (KeyValuePair<ulong, Entity> one in all)
            {
                if (one.Value.IsClosed)
                {
                    all.TryRemove(one.Key, out _);
                }
            }
        }

        internal Entity? Find(ulong handle) => all.TryGetValue(handle, out Entity? found) ? found : null;

        /// <summary>What has a name below an entity; null if there is nothing.</summary>
        internal T? Find<T>(Lookup lookup, ulong below, string name) where T : Entity
        {
            using Arena arena = new Arena();
            ulong handle;
            int code = lookup(below, arena.Text(name), &handle);
            if (code == (int)ReturnCode.NoData)
            {
                return null;
            }
            Check.Ok(code);
            Entity? found = Find(handle);
            if (found != null && !(found is T))
            {
                throw new PreconditionNotMetException(
                    "what is found of topic " + name + " is a " + found.GetType() + ", not a " + typeof(T));
            }
            return (T?)found;
        }

        /// <summary>
        /// The group of a writer or reader. The library makes one for those that the participant creates itself.
        /// </summary>
        internal Entity Group(Entity of, Func<ulong, Entity> make)
        {
            ulong group;
            Check.Ok(Native.dunlin_parent(of.Handle, &group));
            return Group(group, make);
        }

        internal Entity Group(ulong group, Func<ulong, Entity> make) => all.GetOrAdd(group, make);
    }
}
