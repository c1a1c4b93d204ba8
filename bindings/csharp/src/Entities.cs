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

        internal void Add(Entity entity) => all.TryAdd(entity.Handle, entity);

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
            return all.GetOrAdd(group, make);
        }
    }
}
