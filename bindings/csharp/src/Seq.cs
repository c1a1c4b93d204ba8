using System;
using System.Collections;
using System.Collections.Generic;

namespace Dunlin
{
    /// <summary>
    /// A sequence of IDL: a list whose elements lie in one piece of memory, <see cref="Span"/>. What is
    /// read into a sequence again uses its elements again.
    /// </summary>
    public sealed class Seq<T> : IList<T>, IReadOnlyList<T>, IEquatable<Seq<T>>, ICloneable
    {
        private T[] all;
        private int count;
        // Octets elsewhere; null as long as there never were any.
        private Counted? counted;
        private bool isShared;

        /// <summary>Without elements.</summary>
        public Seq()
        {
            all = Array.Empty<T>();
        }

        /// <summary>Without elements, but with room for some.</summary>
        public Seq(int capacity)
        {
            all = new T[capacity];
        }

        /// <summary>With copies of these elements.</summary>
        public Seq(IEnumerable<T> elements) : this()
        {
            AddRange(elements);
        }

        /// <summary>With copies of these elements.</summary>
        public Seq(ReadOnlySpan<T> elements)
        {
            all = elements.ToArray();
            count = all.Length;
        }

        /// <summary>The elements as a sequence of their own.</summary>
        public static implicit operator Seq<T>(T[] elements) => new Seq<T>(elements.AsSpan());

        /// <summary>How many elements there are.</summary>
        public int Count => count;

        /// <summary>How many elements there is room for.</summary>
        public int Capacity => all.Length;

        /// <inheritdoc/>
        public bool IsReadOnly => false;

        /// <summary>The elements, until their number changes. Shared ones are copied first, since they may change.</summary>
        public Span<T> Span
        {
            get
            {
                Own();
                return new Span<T>(all, 0, count);
            }
        }

        /// <summary>
        /// Whether the elements are octets that do not change: they lie in a sample that was taken, or were shared by
        /// <see cref="OctetSequences.Share"/>. Writers send them by reference, and copies refer to them, too.
        /// </summary>
        public bool IsShared => isShared;

        /// <summary>
        /// The elements where they are, to be read: until they change, or the object becomes another sample, and as
        /// long as the object is used.
        /// </summary>
        public unsafe ReadOnlySpan<T> View => isShared
            ? new ReadOnlySpan<T>(counted!.Address, count)
            : new ReadOnlySpan<T>(all, 0, count);

        // Has its elements in its array.
        private void Own()
        {
            if (isShared)
            {
                Fetch();
            }
        }

        private void Fetch()
        {
            int length = count;
            if (length > all.Length)
            {
                all = new T[length];
            }
            View.CopyTo(all);
            Drop();
            count = length;
        }

        private void Drop()
        {
            if (isShared)
            {
                isShared = false;
                counted!.Free();
            }
            count = 0;
        }

        // Has the octets that a reference is to, which becomes this object's.
        internal unsafe void Refer(ulong octets, byte* address, int length)
        {
            counted ??= new Counted();
            counted.Set(octets, address);
            isShared = true;
            count = length;
        }

        /// <summary>An element.</summary>
        public ref T this[int index]
        {
            get
            {
                if ((uint)index >= (uint)count)
                {
                    throw new ArgumentOutOfRangeException(
                        nameof(index), "there is no element " + index + ", there are " + count);
                }
                Own();
                return ref all[index];
            }
        }

        T IList<T>.this[int index]
        {
            get => this[index];
            set => this[index] = value;
        }

        T IReadOnlyList<T>.this[int index] => this[index];

        /// <summary>Changes the number of elements. New ones are what was there before, or default.</summary>
        public void Resize(int length)
        {
            if (length < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(length));
            }
            if (length == 0)
            {
                Drop();
                return;
            }
            Own();
            Reserve(length);
            count = length;
        }

        private void Reserve(int length)
        {
            if (length > all.Length)
            {
                Array.Resize(ref all, Math.Max(length, Math.Min(2 * all.Length, length + 1024)));
            }
        }

        /// <summary>Makes the elements these.</summary>
        public void Assign(ReadOnlySpan<T> elements)
        {
            Drop();
            Resize(elements.Length);
            elements.CopyTo(all);
        }

        /// <summary>Adds an element.</summary>
        public void Add(T element)
        {
            Own();
            if (count == all.Length)
            {
                Array.Resize(ref all, Math.Max(4, 2 * count));
            }
            all[count++] = element;
        }

        /// <summary>Adds elements.</summary>
        public void AddRange(IEnumerable<T> elements)
        {
            foreach (T element in elements)
            {
                Add(element);
            }
        }

        /// <summary>Adds elements.</summary>
        public void AddRange(ReadOnlySpan<T> elements)
        {
            Own();
            Reserve(count + elements.Length);
            elements.CopyTo(new Span<T>(all, count, elements.Length));
            count += elements.Length;
        }

        /// <inheritdoc/>
        public void Clear()
        {
            Drop();
            Array.Clear(all, 0, all.Length);
        }

        /// <inheritdoc/>
        public int IndexOf(T element)
        {
            Own();
            return Array.IndexOf(all, element, 0, count);
        }

        /// <inheritdoc/>
        public bool Contains(T element) => IndexOf(element) >= 0;

        /// <inheritdoc/>
        public void CopyTo(T[] to, int index)
        {
            View.CopyTo(to.AsSpan(index));
            GC.KeepAlive(this);
        }

        /// <inheritdoc/>
        public void Insert(int index, T element)
        {
            if ((uint)index > (uint)count)
            {
                throw new ArgumentOutOfRangeException(nameof(index));
            }
            Add(element);
            Array.Copy(all, index, all, index + 1, count - 1 - index);
            all[index] = element;
        }

        /// <inheritdoc/>
        public void RemoveAt(int index)
        {
            if ((uint)index >= (uint)count)
            {
                throw new ArgumentOutOfRangeException(nameof(index));
            }
            Own();
            count--;
            Array.Copy(all, index + 1, all, index, count - index);
            all[count] = default!;
        }

        /// <inheritdoc/>
        public bool Remove(T element)
        {
            int at = IndexOf(element);
            if (at >= 0)
            {
                RemoveAt(at);
            }
            return at >= 0;
        }

        /// <summary>The elements as an array.</summary>
        public T[] ToArray()
        {
            T[] made = View.ToArray();
            GC.KeepAlive(this);
            return made;
        }

        /// <summary>Goes through the elements and allocates nothing.</summary>
        public Span<T>.Enumerator GetEnumerator() => Span.GetEnumerator();

        IEnumerator<T> IEnumerable<T>.GetEnumerator()
        {
            Own();
            for (int i = 0; i < count; i++)
            {
                yield return all[i];
            }
        }

        IEnumerator IEnumerable.GetEnumerator() => ((IEnumerable<T>)this).GetEnumerator();

        /// <summary>Makes the elements copies of those of another sequence.</summary>
        public void CopyFrom(Seq<T> other)
        {
            if (ReferenceEquals(this, other))
            {
                return;
            }
            Drop();
            if (other.isShared && ReferTo(other))
            {
                return;
            }
            other.Own();
            Resize(other.count);
            for (int i = 0; i < count; i++)
            {
                all[i] = Cdr.Values.Clone(other.all[i]);
            }
        }

        // Where shared octets lie, and what counts them; false: they are not shared.
        internal unsafe bool Piece(out byte* data, out ulong octets)
        {
            bool isSo = isShared;
            data = isSo ? counted!.Address : null;
            octets = isSo ? counted!.Handle : 0;
            return octets != 0;
        }

        private unsafe bool ReferTo(Seq<T> other)
        {
            ulong clone;
            bool isMade = Native.dunlin_octets_clone(other.counted!.Handle, &clone) == 0;
            if (isMade)
            {
                Refer(clone, other.counted.Address, other.count);
            }
            GC.KeepAlive(other);
            return isMade;
        }

        /// <summary>A sequence with copies of the elements.</summary>
        public Seq<T> Clone()
        {
            Seq<T> made = new Seq<T>();
            made.CopyFrom(this);
            return made;
        }

        object ICloneable.Clone() => Clone();

        /// <summary>Whether the elements are the same.</summary>
        public bool Equals(Seq<T>? other)
        {
            if (other is null || other.count != count)
            {
                return false;
            }
            ReadOnlySpan<T> here = View, there = other.View;
            bool isEqual = true;
            for (int i = 0; i < here.Length && isEqual; i++)
            {
                isEqual = Cdr.Values.Equal(here[i], there[i]);
            }
            GC.KeepAlive(this);
            GC.KeepAlive(other);
            return isEqual;
        }

        /// <inheritdoc/>
        public override bool Equals(object? other) => Equals(other as Seq<T>);

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            HashCode hash = default;
            foreach (T element in View)
            {
                hash.Add(Cdr.Values.Hash(element));
            }
            GC.KeepAlive(this);
            return hash.ToHashCode();
        }
    }
}
