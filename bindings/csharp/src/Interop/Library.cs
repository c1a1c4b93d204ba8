using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Dunlin
{
    /// <summary>The name by which the functions of the C interface are looked for.</summary>
    internal static class NativeLibraryPath
    {
        internal const string Name = "dunlin";
    }

    /// <summary>Finds libdunlin, and refuses one that does not fit.</summary>
    internal static unsafe class Library
    {
        /// <summary>The version of the C interface that this assembly is made for.</summary>
        private const uint Major = 0;
        private const uint Minor = 5;

        private static readonly object Gate = new object();
        private static volatile bool isLoaded;
        private static Func<string, IntPtr>? load;

        /// <summary>What the library writes where it fills in a configuration.</summary>
        internal static long ConfigSize { get; private set; }

        /// <summary>Called before the first call of the library.</summary>
        internal static void EnsureLoaded()
        {
            if (!isLoaded)
            {
                LoadOnce();
            }
        }

        private static void LoadOnce()
        {
            lock (Gate)
            {
                if (isLoaded)
                {
                    return;
                }
                SetResolver();
                CheckVersion();
                CheckLayouts();
                AppDomain.CurrentDomain.ProcessExit += (sender, arguments) => Native.dunlin_shutdown();
                isLoaded = true;
            }
        }

        // What this needs is newer than the standard that the assembly is compiled against.
        private static void SetResolver()
        {
            const string Home = ", System.Runtime.InteropServices";
            Type? library = Type.GetType("System.Runtime.InteropServices.NativeLibrary" + Home);
            Type? resolver = Type.GetType("System.Runtime.InteropServices.DllImportResolver" + Home);
            MethodInfo? set = library?.GetMethod("SetDllImportResolver");
            MethodInfo? loader = library?.GetMethod("Load", new[] { typeof(string) });
            if (resolver == null || set == null || loader == null || load != null)
            {
                return;
            }
            load = (Func<string, IntPtr>)loader.CreateDelegate(typeof(Func<string, IntPtr>));
            MethodInfo found = typeof(Library).GetMethod(
                nameof(Resolve), BindingFlags.NonPublic | BindingFlags.Static)!;
            set.Invoke(null, new object[] { typeof(Library).Assembly, found.CreateDelegate(resolver) });
        }

        private static IntPtr Resolve(string name, Assembly assembly, DllImportSearchPath? path)
        {
            if (name != NativeLibraryPath.Name || load == null)
            {
                return IntPtr.Zero;
            }
            foreach (string file in Places())
            {
                if (File.Exists(file))
                {
                    return load(file);
                }
            }
            // Not beside this assembly: where the system looks.
            return load("libdunlin.so." + Major);
        }

        private static IEnumerable<string> Places()
        {
            string[] names = { "libdunlin.so", "libdunlin.so." + Major };
            string? said = Environment.GetEnvironmentVariable("DUNLIN_LIBRARY");
            if (!string.IsNullOrEmpty(said))
            {
                yield return said!;
                foreach (string name in names)
                {
                    yield return Path.Combine(said!, name);
                }
            }
            string home = AppContext.BaseDirectory;
            string own = typeof(Library).Assembly.Location;
            string beside = own.Length == 0 ? home : Path.GetDirectoryName(own) ?? home;
            string machine = "linux-" + RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant();
            foreach (string folder in new[] { beside, home })
            {
                foreach (string name in names)
                {
                    yield return Path.Combine(folder, name);
                    yield return Path.Combine(folder, "runtimes", machine, "native", name);
                }
            }
        }

        private static void CheckVersion()
        {
            uint version;
            try
            {
                version = Native.dunlin_abi_version();
            }
            catch (DllNotFoundException error)
            {
                string places = string.Join(", ", Places());
                throw new DdsException(
                    ReturnCode.Error,
                    "libdunlin.so." + Major + " is not found in " + places + " or where the system looks: "
                    + "set DUNLIN_LIBRARY to its file or folder. " + error.Message);
            }
            catch (EntryPointNotFoundException error)
            {
                throw new DdsException(ReturnCode.Error, "libdunlin is another library: " + error.Message);
            }
            if (version >> 16 != Major || (version & 0xffff) < Minor)
            {
                throw new DdsException(
                    ReturnCode.Error,
                    "libdunlin has version " + (version >> 16) + "." + (version & 0xffff)
                    + " of the C interface, and " + Major + "." + Minor + " or a later " + Major
                    + ".x is needed: install the library of this package");
            }
        }

        private static void CheckLayouts()
        {
            Size("dunlin_text", sizeof(NativeText));
            Size("dunlin_block", sizeof(NativeBlock));
            Size("dunlin_property", sizeof(NativeProperty));
            Size("dunlin_sample_info", sizeof(SampleInfo));
            Size("dunlin_sample", sizeof(NativeSample));
            Size("dunlin_select", sizeof(NativeSelect));
            Size("dunlin_loan", sizeof(NativeLoan));
            Size("dunlin_write_options", sizeof(NativeWriteOptions));
            Size("dunlin_status", sizeof(NativeStatus));
            Size("dunlin_policy_count", sizeof(NativePolicyCount));
            Size("dunlin_listener", sizeof(NativeListener));
            Size("dunlin_writer_qos", sizeof(NativeWriterQos));
            Size("dunlin_reader_qos", sizeof(NativeReaderQos));
            Size("dunlin_topic_qos", sizeof(NativeTopicQos));
            Size("dunlin_group_qos", sizeof(NativeGroupQos));
            Size("dunlin_participant_qos", sizeof(NativeParticipantQos));
            ConfigSize = Size("dunlin_participant_config", sizeof(NativeParticipantConfig));
            Size("dunlin_counters", sizeof(NativeCounters));
            Size("dunlin_builtin_data", sizeof(NativeBuiltinData));
        }

        // The library's may be longer: structures grow at their ends, and tell their size.
        private static long Size(string name, int wanted)
        {
            ulong size, count;
            byte[] text = Encoding.ASCII.GetBytes(name);
            fixed (byte* data = text)
            {
                NativeText native = new NativeText { Data = data, Length = (ulong)text.Length };
                int code = Native.dunlin_abi_layout(native, &size, null, 0, &count);
                if (code != 0 || size < (ulong)wanted)
                {
                    throw new DdsException(
                        ReturnCode.Error,
                        "the structure " + name + " of libdunlin has " + (code == 0 ? size : 0)
                        + " bytes, and " + wanted + " are needed: library and assembly are of different versions");
                }
                return (long)size;
            }
        }
    }
}
