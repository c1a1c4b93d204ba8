using System;
using System.Collections.Generic;
using System.ComponentModel;

namespace Dunlin.Cdr
{
    /// <summary>Copies and comparisons for types that are made of IDL.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static class Values
    {
        /// <summary>A copy that shares nothing with the value.</summary>
        public static T Clone<T>(T value)
        {
            if (typeof(T).IsValueType || typeof(T) == typeof(string) || value == null)
            {
                return value;
            }
            if (value is Array array)
            {
                return (T)(object)CloneArray(array);
            }
            return value is ICloneable sample ? (T)sample.Clone() : value;
        }

        private static Array CloneArray(Array array)
        {
            Array made = (Array)array.Clone();
            Type? of = array.GetType().GetElementType();
            if (of != null && !of.IsValueType && of != typeof(string))
            {
                ForEach(array, at => made.SetValue(Clone(array.GetValue(at)), at));
            }
            return made;
        }

        private static void ForEach(Array array, Action<int[]> body)
        {
            int[] at = new int[array.Rank];
            for (long i = 0; i < array.LongLength; i++)
            {
                long rest = i;
                for (int rank = array.Rank - 1; rank >= 0; rank--)
                {
                    at[rank] = (int)(rest % array.GetLength(rank));
                    rest /= array.GetLength(rank);
                }
                body(at);
            }
        }

        /// <summary>An array whose elements are all made.</summary>
        public static A Filled<A, T>(A array, Func<T> make) where A : class
        {
            Array all = (Array)(object)array;
            ForEach(all, at => all.SetValue(make(), at));
            return array;
        }

        /// <summary>A copy of a map.</summary>
        public static SortedDictionary<K, V> Clone<K, V>(SortedDictionary<K, V> map) where K : notnull
        {
            SortedDictionary<K, V> made = new SortedDictionary<K, V>(map.Comparer);
            foreach (KeyValuePair<K, V> entry in map)
            {
                made[entry.Key] = Clone(entry.Value);
            }
            return made;
        }

        /// <summary>Whether two values are the same. -0 is 0, and NaN is NaN.</summary>
        public static bool Equal<T>(T one, T other)
        {
            if (!typeof(T).IsValueType && one is Array first && other is Array second)
            {
                return EqualArrays(first, second);
            }
            return EqualityComparer<T>.Default.Equals(one, other);
        }

        private static bool EqualArrays(Array one, Array other)
        {
            if (one.Rank != other.Rank || one.LongLength != other.LongLength)
            {
                return false;
            }
            bool isEqual = true;
            ForEach(one, at => isEqual = isEqual && Equal<object?>(one.GetValue(at), other.GetValue(at)));
            return isEqual;
        }

        /// <summary>Whether two arrays of numbers are the same.</summary>
        public static bool Equal<T>(ReadOnlySpan<T> one, ReadOnlySpan<T> other)
        {
            if (one.Length != other.Length)
            {
                return false;
            }
            for (int i = 0; i < one.Length; i++)
            {
                if (!Equal(one[i], other[i]))
                {
                    return false;
                }
            }
            return true;
        }

        /// <summary>Whether two maps are the same.</summary>
        public static bool Equal<K, V>(SortedDictionary<K, V> one, SortedDictionary<K, V> other) where K : notnull
        {
            if (one.Count != other.Count)
            {
                return false;
            }
            foreach (KeyValuePair<K, V> entry in one)
            {
                if (!other.TryGetValue(entry.Key, out V value) || !Equal(entry.Value, value))
                {
                    return false;
                }
            }
            return true;
        }

        /// <summary>Equal for equal values.</summary>
        public static int Hash<T>(T value)
        {
            if (!typeof(T).IsValueType && value is Array array)
            {
                return array.Length;
            }
            return value == null ? 0 : EqualityComparer<T>.Default.GetHashCode(value);
        }

        /// <summary>Equal for equal maps.</summary>
        public static int Hash<K, V>(SortedDictionary<K, V>? map) where K : notnull
        {
            return map == null ? 0 : map.Count;
        }

        /// <summary>An array, if it has so many elements.</summary>
        public static T[] OfLength<T>(T[] value, int length, string member)
        {
            if (value == null)
            {
                throw new ArgumentNullException(nameof(value), member + " is an array of " + length + ", not null");
            }
            return value.Length == length ? value : throw WrongLength(value, member, length.ToString());
        }

        /// <summary>An array of several dimensions, if its lengths are those of another.</summary>
        public static T OfShape<T>(T value, Array like, string member) where T : class
        {
            Array? array = value as Array;
            if (array == null)
            {
                throw new ArgumentNullException(nameof(value), member + " is an array, not null");
            }
            for (int i = 0; i < like.Rank; i++)
            {
                if (array.GetLength(i) != like.GetLength(i))
                {
                    throw WrongLength(array, member, like.GetLength(i) + " in dimension " + i);
                }
            }
            return value;
        }

        private static ArgumentException WrongLength(Array value, string member, string wanted)
        {
            return new ArgumentException(
                member + " has " + value.Length + " elements, and has to have " + wanted, nameof(value));
        }

        /// <summary>What a union says that is asked for what is not selected.</summary>
        public static InvalidOperationException NotSelected(string member, object discriminator)
        {
            return new InvalidOperationException(
                member + " is not there: the discriminator is " + discriminator);
        }
    }

    /// <summary>The order of texts as keys of maps.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public sealed class TextOrder : IComparer<string>
    {
        /// <summary>That of their bytes in UTF-8, for <c>string</c>.</summary>
        public static readonly TextOrder Utf8 = new TextOrder();

        private TextOrder() { }

        /// <inheritdoc/>
        public int Compare(string one, string other)
        {
            int length = Math.Min(one.Length, other.Length);
            for (int i = 0; i < length; i++)
            {
                char a = one[i], b = other[i];
                if (a != b)
                {
                    // Surrogates stand for what is behind all other characters.
                    bool isHigh = char.IsSurrogate(a), isOtherHigh = char.IsSurrogate(b);
                    return isHigh == isOtherHigh ? a - b : isHigh ? 1 : -1;
                }
            }
            return one.Length - other.Length;
        }
    }
}

namespace Dunlin.Cdr
{
    /// <summary>An entry of a map that is read.</summary>
    [System.ComponentModel.EditorBrowsable(System.ComponentModel.EditorBrowsableState.Never)]
    public struct CdrEntry<K, V>
    {
        /// <summary>The key.</summary>
        public K Key;
        /// <summary>The value.</summary>
        public V Value;
    }
}
