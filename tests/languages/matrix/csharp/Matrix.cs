using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Dunlin;

/// <summary>The side in C# of the live matrix: a publisher, or a subscriber.</summary>
internal static class Matrix
{
    private static readonly List<Side> All = new List<Side>();

    private static void Both<T>(string name, IKind<T> kind) where T : class
    {
        All.Add(new Side<T>(name + "_1", kind));
        All.Add(new Side<T>(name + "_2", kind));
    }

    private static void Publish(string from, int readers)
    {
        using var participant = new DomainParticipant(0);
        All.ForEach(side => side.OpenWriter(participant));
        All.FindAll(side => side.IsLate).ForEach(side => side.WriteAll(from));
        All.ForEach(side => side.WaitForMatched(readers));
        All.FindAll(side => !side.IsLate).ForEach(side => side.WriteAll(from));
        // Not before: late joiners do not hear of what is unregistered.
        All.ForEach(side => side.UnregisterAll(from));
        All.ForEach(side => side.WaitForAcknowledgments());
    }

    private static bool Subscribe(int publishers)
    {
        var lines = new List<string>();
        int wanted = publishers * All.Sum(side => side.Lines);
        using (var participant = new DomainParticipant(0))
        using (var waits = new WaitSet())
        {
            All.ForEach(side => waits.Attach(side.OpenReader(participant)));
            while (lines.Count < wanted && waits.Wait(Side.Patience).Count > 0)
            {
                All.ForEach(side => side.TakeAll(lines));
            }
        }
        using (var stream = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
        {
            lines.ForEach(line => stream.Write(line + "\n"));
        }
        if (lines.Count < wanted)
        {
            Console.Error.WriteLine($"{lines.Count} lines of {wanted} came");
        }
        return lines.Count == wanted;
    }

    private static int Main(string[] words)
    {
        Both("Finals_Flat", new OfFinals.OfFlat());
        Both("Finals_Many", new OfFinals.OfMany());
        Both("Finals_Deep", new OfFinals.OfDeep());
        Both("Appendables_Flat", new OfAppendables.OfFlat());
        Both("Appendables_Many", new OfAppendables.OfMany());
        Both("Appendables_Deep", new OfAppendables.OfDeep());
        Both("Mutables_Flat", new OfMutables.OfFlat());
        Both("Mutables_Many", new OfMutables.OfMany());
        Both("Mutables_Deep", new OfMutables.OfDeep());
        string[] without = (Environment.GetEnvironmentVariable("MATRIX_WITHOUT") ?? "").Split(',');
        All.RemoveAll(side => without.Contains(side.Name));
        if (words.Length == 3 && words[0] == "publish")
        {
            Publish(words[1], int.Parse(words[2]));
            return 0;
        }
        if (words.Length == 2 && words[0] == "subscribe")
        {
            return Subscribe(int.Parse(words[1])) ? 0 : 1;
        }
        Console.Error.WriteLine("publish FROM READERS, or subscribe PUBLISHERS");
        return 1;
    }
}
