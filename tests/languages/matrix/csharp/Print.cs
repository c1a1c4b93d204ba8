using System;
using System.Collections.Generic;
using System.Linq;
using Dunlin;

/// <summary>How values are printed. All languages print the same.</summary>
internal static class Print
{
    public static string Of(bool value) => value ? "1" : "0";

    public static string Of(char value) => ((int)value).ToString();

    public static string Of(long value) => value.ToString();

    public static string Of(ulong value) => value.ToString();

    public static string Of(float value) => BitConverter.SingleToInt32Bits(value).ToString("x8");

    public static string Of(double value) => BitConverter.DoubleToInt64Bits(value).ToString("x16");

    public static string Of(string? value) => value == null ? "-" : $"\"{value}\"";

    public static string Wide(string value) => "u" + string.Concat(value.Select(unit => ((int)unit).ToString("x4")));

    public static string List<T>(IEnumerable<T> all, Func<T, string> element) => $"[{string.Join(",", all.Select(element))}]";

    public static string Map<TKey, TValue>(
        IDictionary<TKey, TValue> all, Func<TKey, string> key, Func<TValue, string> value) where TKey : notnull =>
        List(all, entry => $"{key(entry.Key)}={value(entry.Value)}");

    /// <summary>Of many octets how many there are and FNV-1a of them.</summary>
    public static string Octets(Seq<byte> value)
    {
        uint hash = 0x811c9dc5;
        foreach (byte octet in value)
        {
            hash = unchecked((hash ^ octet) * 0x01000193);
        }
        return $"{value.Count}:{hash:x8}";
    }
}
