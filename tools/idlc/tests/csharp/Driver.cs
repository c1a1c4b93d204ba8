// Reads lines of a type and a payload in hexadecimal. Says of each that it is no value, or what it is written as: in XCDR1
// and XCDR2 in native byte order, the key in both, and the key hash.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using Dunlin;
using Dunlin.Qos;

internal interface IRunner
{
    string Run(byte[] payload);

    string RunKey(byte[] payload);
}

internal sealed class Runner<T> : IRunner where T : class, ICloneable
{
    private readonly TypeSupport<T> support = TypeSupport<T>.Instance;
    private readonly T kept = TypeSupport<T>.Instance.Create();

    public string Run(byte[] payload)
    {
        T fresh = support.Create();
        string? error = Read(() => support.FromPayload(payload, fresh));
        // Into what had other values before, too.
        string? again = Read(() => support.FromPayload(payload, kept));
        if ((error == null) != (again == null) || (error == null && !fresh.Equals(kept)))
        {
            throw new InvalidOperationException("again: " + error + again);
        }
        if (error != null)
        {
            return error;
        }
        T copy = (T)fresh.Clone();
        if (!copy.Equals(fresh) || copy.GetHashCode() != fresh.GetHashCode() || ReferenceEquals(copy, fresh))
        {
            throw new InvalidOperationException("a copy is not equal");
        }
        string text = "ok " + Hex(support.ToPayload(copy, Representation.Xcdr1))
            + " " + Hex(support.ToPayload(kept, Representation.Xcdr2));
        return support.IsKeyed ? text + " " + Key(fresh) : text;
    }

    public string RunKey(byte[] payload)
    {
        T fresh = support.Create();
        return Read(() => support.FromKeyPayload(payload, fresh)) ?? "ok " + Key(fresh);
    }

    private string Key(T value)
    {
        return Hex(support.ToKeyPayload(value, Representation.Xcdr1)) + " "
            + Hex(support.ToKeyPayload(value, Representation.Xcdr2)) + " " + support.InstanceOf(value);
    }

    private static string? Read(Action read)
    {
        try
        {
            read();
            return null;
        }
        catch (DdsException error)
        {
            return "error " + error.Message.Replace('\n', ' ');
        }
    }

    private static string Hex(byte[] bytes)
    {
        StringBuilder text = new StringBuilder();
        foreach (byte one in bytes)
        {
            text.Append(one.ToString("x2"));
        }
        return text.ToString();
    }
}

internal static class Driver
{
    private static void Main()
    {
        Dictionary<string, IRunner> all = typeof(Driver).Assembly.GetTypes()
            .Where(type => type.GetCustomAttribute<TypeSupportAttribute>(false) != null)
            .ToDictionary(
                Name, type => (IRunner)Activator.CreateInstance(typeof(Runner<>).MakeGenericType(type))!);
        using System.IO.StreamWriter output = new System.IO.StreamWriter(Console.OpenStandardOutput());
        for (string? line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] words = line.Split(' ');
            byte[] payload = Enumerable.Range(0, words[1].Length / 2)
                .Select(at => Convert.ToByte(words[1].Substring(2 * at, 2), 16)).ToArray();
            bool isKey = words[0].StartsWith("key:", StringComparison.Ordinal);
            IRunner runner = all[isKey ? words[0].Substring(4) : words[0]];
            output.WriteLine(isKey ? runner.RunKey(payload) : runner.Run(payload));
        }
    }

    private static string Name(Type type)
    {
        Type support = type.GetCustomAttribute<TypeSupportAttribute>(false)!.Support;
        return (string)support.GetProperty("TypeName")!.GetValue(Activator.CreateInstance(support))!;
    }
}
