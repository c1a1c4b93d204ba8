// Stands in for xUnit where it is not: the same test files run with either.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Xunit
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class FactAttribute : Attribute { }

    public static class Assert
    {
        public static void True(bool value, string why = "it is false") => Hold(value, why);

        public static void False(bool value, string why = "it is true") => Hold(!value, why);

        public static void Equal<T>(T expected, T found) =>
            Hold(EqualityComparer<T>.Default.Equals(expected, found), "expected " + expected + ", found " + found);

        public static void NotEqual<T>(T unwanted, T found) =>
            Hold(!EqualityComparer<T>.Default.Equals(unwanted, found), "found " + found);

        public static void Same(object? expected, object? found) => Hold(ReferenceEquals(expected, found), "not the same");

        public static void Contains(string part, string text) => Hold(text.Contains(part), "no '" + part + "' in: " + text);

        public static E Throws<E>(Action action) where E : Exception
        {
            try
            {
                action();
            }
            catch (Exception error) when (error.GetType() == typeof(E))
            {
                return (E)error;
            }
            throw new InvalidOperationException("no " + typeof(E).Name + " was thrown");
        }

        private static void Hold(bool value, string why)
        {
            if (!value)
            {
                throw new InvalidOperationException(why);
            }
        }
    }

    internal static class Runner
    {
        // No wait of a test is longer.
        private static readonly TimeSpan Long = TimeSpan.FromSeconds(25);

        private static int Main(string[] wanted)
        {
            int failed = 0, passed = 0;
            var methods = typeof(Runner).Assembly.GetTypes().SelectMany(type => type.GetMethods())
                .Where(method => method.GetCustomAttribute<FactAttribute>() != null)
                .Where(method => wanted.Length == 0 || wanted.Any(method.Name.Contains));
            foreach (MethodInfo method in methods)
            {
                string name = method.DeclaringType!.Name + "." + method.Name;
                // Whoever ends a program that hangs learns where it does.
                using Timer watch = new Timer(_ => Console.WriteLine("RUNNING " + name + Threads()), null, Long, Long);
                try
                {
                    object test = Activator.CreateInstance(method.DeclaringType)!;
                    using IDisposable? end = test as IDisposable;
                    (method.Invoke(test, null) as Task)?.GetAwaiter().GetResult();
                    passed++;
                }
                catch (Exception error)
                {
                    failed++;
                    Console.WriteLine("FAILED " + name + ": " + ((error as TargetInvocationException)?.InnerException ?? error));
                }
            }
            Console.WriteLine("csharp: " + passed + " tests passed, " + failed + " failed");
            return failed == 0 && passed > 0 ? 0 : 1;
        }

        // Name, state and processor time of each: who spins differs from who waits.
        private static string Threads() =>
            string.Concat(Directory.GetDirectories("/proc/self/task").Select(thread => "\n  " + State(thread)));

        private static string State(string thread)
        {
            try
            {
                string stat = File.ReadAllText(thread + "/stat");
                int begin = stat.IndexOf('('), end = stat.LastIndexOf(')') + 1;
                string[] words = stat.Substring(end).Split(' ');
                return stat.Substring(begin, end - begin) + " " + words[1] + " " + words[12];
            }
            catch (IOException)
            {
                return "(it has ended)";
            }
        }
    }
}
