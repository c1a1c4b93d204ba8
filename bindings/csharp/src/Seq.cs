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

        /// <summary>The elements where they are, until their number changes.</summary>
        public Span<T> Span => new Span<T>(all, 0, count);

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
            Resize(elements.Length);
            elements.CopyTo(all);
        }

        /// <summary>Adds an element.</summary>
        public void Add(T element)
        {
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
            Reserve(count + elements.Length);
            elements.CopyTo(new Span<T>(all, count, elements.Length));
            count += elements.Length;
        }

        /// <inheritdoc/>
        public void Clear()
        {
            Array.Clear(all, 0, all.Length);
            count = 0;
        }

        /// <inheritdoc/>
        public int IndexOf(T element) => Array.IndexOf(all, element, 0, count);

        /// <inheritdoc/>
        public bool Contains(T element) => IndexOf(element) >= 0;

        /// <inheritdoc/>
        public void CopyTo(T[] to, int index) => Array.Copy(all, 0, to, index, count);

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
        public T[] ToArray() => Span.ToArray();

        /// <summary>Goes through the elements and allocates nothing.</summary>
        public Span<T>.Enumerator GetEnumerator() => Span.GetEnumerator();

        IEnumerator<T> IEnumerable<T>.GetEnumerator()
        {
            for (int i = 0; i < count; i++)
            {
                yield return all[i];
            }
        }

        IEnumerator IEnumerable.GetEnumerator() => ((IEnumerable<T>)this).GetEnumerator();

        /// <summary>Makes the elements copies of those of another sequence.</summary>
        public void CopyFrom(Seq<T> other)
        {
            Resize(other.count);
            for (int i = 0; i < count; i++)
            {
                all[i] = Cdr.Values.Clone(other.all[i]);
            }
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
            for (int i = 0; i < count; i++)
            {
                if (!Cdr.Values.Equal(all[i], other.all[i]))
                {
                    return false;
                }
            }
            return true;
        }

        /// <inheritdoc/>
        public override bool Equals(object? other) => Equals(other as Seq<T>);

        /// <inheritdoc/>
        public override int GetHashCode()
        {
            HashCode hash = default;
            for (int i = 0; i < count; i++)
            {
                hash.Add(Cdr.Values.Hash(all[i]));
            }
            return hash.ToHashCode();
        }
    }
}
