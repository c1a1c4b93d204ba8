using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>What happens to entities, as the library tells it: contexts are indexes of a table.</summary>
    internal static unsafe class Listeners
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void OnHandle(IntPtr context, ulong handle);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void OnStatus(IntPtr context, ulong entity, NativeStatus* status);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void OnRelease(IntPtr context);

        private static readonly OnHandle Data = DataAvailable;
        private static readonly OnHandle DataOnReaders = ReadersHaveData;
        private static readonly OnStatus Status = StatusChanged;
        private static readonly OnRelease Released = Release;
        private static readonly IntPtr DataPointer = Marshal.GetFunctionPointerForDelegate(Data);
        private static readonly IntPtr DataOnReadersPointer = Marshal.GetFunctionPointerForDelegate(DataOnReaders);
        private static readonly IntPtr StatusPointer = Marshal.GetFunctionPointerForDelegate(Status);
        private static readonly IntPtr ReleasePointer = Marshal.GetFunctionPointerForDelegate(Released);

        private static readonly object Gate = new object();
        private static readonly Stack<int> Free = new Stack<int>();
        // Grows by a new array, so that it is read without the lock.
        private static volatile Entity?[] all = new Entity?[64];
        private static int used = 1;

        /// <summary>A listener for the library, whose context is released by it, or by <see cref="Forget"/>.</summary>
        internal static NativeListener Of(Entity entity, StatusMask mask)
        {
            return new NativeListener
            {
                Size = (uint)sizeof(NativeListener),
                Mask = (uint)mask,
                Context = (void*)(IntPtr)Add(entity),
                OnData = DataPointer,
                OnDataOnReaders = DataOnReadersPointer,
                OnStatus = StatusPointer,
                Release = ReleasePointer,
            };
        }

        /// <summary>The call that was given a listener has failed.</summary>
        internal static void Forget(in NativeListener listener) => Release((IntPtr)listener.Context);

        private static int Add(Entity entity)
        {
            lock (Gate)
            {
                int index = Free.Count > 0 ? Free.Pop() : used++;
                if (index >= all.Length)
                {
                    Entity?[] more = new Entity?[2 * all.Length];
                    Array.Copy(all, more, all.Length);
                    all = more;
                }
                all[index] = entity;
                return index;
            }
        }

        private static Entity? At(IntPtr context)
        {
            int index = (int)context;
            Entity?[] entities = all;
            return (uint)index < (uint)entities.Length ? entities[index] : null;
        }

        /// <summary>Calls a handler, whose exceptions go where those of all handlers go.</summary>
        internal static void Guarded(Entity entity, Action<Entity> call)
        {
            try
            {
                call(entity);
            }
            catch (Exception error)
            {
                Report(entity, error);
            }
        }

        private static void DataAvailable(IntPtr context, ulong handle)
        {
            Entity? entity = At(context);
            try
            {
                entity?.OnDataAvailable(handle);
            }
            catch (Exception error)
            {
                Report(entity, error);
            }
        }

        private static void ReadersHaveData(IntPtr context, ulong handle)
        {
            Entity? entity = At(context);
            try
            {
                entity?.OnDataOnReaders(handle);
            }
            catch (Exception error)
            {
                Report(entity, error);
            }
        }

        private static void StatusChanged(IntPtr context, ulong handle, NativeStatus* status)
        {
            Entity? entity = At(context);
            try
            {
                entity?.OnStatus(handle, *status);
            }
            catch (Exception error)
            {
                Report(entity, error);
            }
        }

        private static void Release(IntPtr context)
        {
            lock (Gate)
            {
                int index = (int)context;
                if (all[index] != null)
                {
                    all[index] = null;
                    Free.Push(index);
                }
            }
        }

        // An exception that leaves a callback ends the process.
        private static void Report(Entity? entity, Exception error)
        {
            // A handler that is still running when its entity ends has done nothing wrong.
            if (error is AlreadyDeletedException && entity != null && entity.IsClosed)
            {
                return;
            }
            try
            {
                DomainParticipant.RaiseListenerError(entity, error);
            }
            catch (Exception again)
            {
                Console.Error.WriteLine("dunlin: a handler of ListenerError failed: " + again);
            }
        }
    }
}
