// Stands in for xUnit where it is not: the same test files run with either.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
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
        private static int Main(string[] wanted)
        {
            int failed = 0, passed = 0;
            var methods = typeof(Runner).Assembly.GetTypes().SelectMany(type => type.GetMethods())
                .Where(method => method.GetCustomAttribute<FactAttribute>() != null)
                .Where(method => wanted.Length == 0 || wanted.Any(method.Name.Contains));
            foreach (MethodInfo method in methods)
            {
                string name = method.DeclaringType!.Name + "." + method.Name;
                try
                {
                    object test = Activator.CreateInstance(method.DeclaringType)!;
                    (method.Invoke(test, null) as Task)?.GetAwaiter().GetResult();
                    (test as IDisposable)?.Dispose();
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
    }
}
