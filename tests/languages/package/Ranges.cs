using System;
using Dunlin;
using Dunlin.Qos;

/// <summary>Says what becomes of a value that is out of its range.</summary>
internal static class Program
{
    private static void Main()
    {
        try
        {
            TypeSupport<Tank>.Instance.ToPayload(new Tank { Level = 101 }, Representation.Xcdr2);
            Console.WriteLine("written");
        }
        catch (BadParameterException error)
        {
            Console.WriteLine(error.Message);
        }
    }
}
